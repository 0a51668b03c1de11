; What the sections of reStructuredText are. The captures are explained in syntax/query.py.

(section . "adornment" @level . (title) @name . "adornment" @level) @definition.section
(section . (title) @name . "adornment" @level) @definition.section
(section) @shared
(title) @literal
