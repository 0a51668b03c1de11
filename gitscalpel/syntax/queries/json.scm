; What the keys and items of JSON are. The captures are explained in syntax/query.py.

(pair key: (_) @name) @definition.key
(pair key: (_) @literal)
(array [(object) (array)] @definition.item @name @body)
(array [(string) (number) (true) (false) (null)] @definition.item @name @value)
(array [(object) (array) (string) (number) (true) (false) (null)] @unnamed @shared)

[(object) (array)] @block

(comment) @comment
