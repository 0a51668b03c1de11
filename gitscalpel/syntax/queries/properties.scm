; What the keys of .properties files are. The captures are explained in syntax/query.py.

(property (key) @name (value) @value) @definition.key
(property (key) @name) @definition.key
(key) @literal

(comment) @comment
