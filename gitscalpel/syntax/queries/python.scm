; What a definition is in Python. The captures are explained in syntax/query.py.

(function_definition) @definition.function
(class_definition) @definition.class
(assignment left: [(identifier) @name (pattern_list (identifier) @name)]) @definition.variable
(assignment left: (tuple_pattern (identifier) @name) right: (_)) @definition.variable
(type_alias_statement left: (type (identifier) @name)) @definition.type

(decorated_definition) @wrapper
(decorator) @decorator
[(function_definition) (lambda)] @function
(block) @block

(comment) @comment
(string) @string @doc

; Overloads, property accessors and registrations share one name on purpose.
((decorated_definition (decorator) @_mark definition: (_) @shared)
  (#match? @_mark "overload|[.](setter|getter|deleter|register)"))

; What stays first.
(future_import_statement) @first
((string) @first (#has-parent? @first module block))
