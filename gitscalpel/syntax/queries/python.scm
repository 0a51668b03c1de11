; What a definition is in Python. The captures are explained in syntax/query.py.

(function_definition name: (identifier) @name body: (block) @body) @definition.function
(class_definition name: (identifier) @name body: (block) @body) @definition.class
(assignment left: (identifier) @name right: (_)? @value) @definition.variable
(type_alias_statement left: (type (identifier) @name) right: (_) @value) @definition.type

(decorated_definition) @wrapper
(decorator) @decorator
(function_definition) @function
(lambda) @function

(comment) @comment
(string) @string
(module . (comment)* . (string) @docstring)
(class_definition body: (block . (comment)* . (string) @docstring))
(function_definition body: (block . (comment)* . (string) @docstring))

; Overloads, property accessors and registrations share one name on purpose.
((decorated_definition (decorator) @_mark definition: (_) @shared)
  (#match? @_mark "overload|[.](setter|getter|deleter|register)"))

(identifier) @identifier
