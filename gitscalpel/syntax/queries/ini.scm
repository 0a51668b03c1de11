; What the sections and keys of INI files are. The captures are explained in syntax/query.py.

(section (section_name (text) @name)) @definition.section @body
(setting (setting_name) @name (setting_value) @value) @definition.key
(setting (setting_name) @name) @definition.key
(section_name (text) @literal)
(setting_name) @literal

; A section goes on behind its header; its first key is where its content begins.
(section (setting) @rest)
(section_name) @label
(section) @block @shared

(comment) @comment
