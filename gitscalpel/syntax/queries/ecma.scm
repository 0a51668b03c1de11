; What JavaScript and TypeScript share. The captures are explained in syntax/query.py.

(function_declaration) @definition.function
(generator_function_declaration) @definition.function
(class_declaration) @definition.class
(method_definition) @definition.method
(variable_declarator name: (identifier) @name) @definition.variable
(variable_declarator name: (object_pattern
  (shorthand_property_identifier_pattern) @name)) @definition.variable
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @definition.variable
(variable_declarator name: (array_pattern (identifier) @name)) @definition.variable
(assignment_expression left: [(identifier) (member_expression)] @name) @definition.assigned
(pair key: (_) @name) @definition.assigned

; A declaration of one name is that name's whole statement.
[(lexical_declaration) (variable_declaration) (expression_statement)] @whole

(export_statement) @wrapper
(export_statement ["export" "default"] @export)
(decorator) @decorator
[
  (function_declaration)
  (generator_function_declaration)
  (function_expression)
  (generator_function)
  (arrow_function)
  (method_definition)
  (class_static_block)
] @function
(class) @class
[(statement_block) (class_body) (object)] @block

(comment) @comment
[(template_string) (string)] @string
(method_definition ["get" "set"]) @shared

; What stays first.
(hash_bang_line) @first
(program (expression_statement (string)) @first)
(statement_block (expression_statement (string)) @first)
