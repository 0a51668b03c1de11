; What JavaScript and TypeScript share. The captures are explained in syntax/query.py.

(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method

(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (statement_block) @body)
  (arrow_function body: (expression) @value)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(variable_declarator name: (identifier) @name value: (object) @body) @definition.variable
(variable_declarator name: (identifier) @name value: (_)? @value) @definition.variable

(assignment_expression left: [(identifier) (member_expression)] @name right: [
  (arrow_function body: (statement_block) @body)
  (arrow_function body: (expression) @value)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.function
(assignment_expression left: [(identifier) (member_expression)] @name
  right: (class body: (_) @body)) @definition.class

(pair key: (_) @name value: [
  (arrow_function body: (statement_block) @body)
  (arrow_function body: (expression) @value)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.method

; A declaration of one name is that name's whole statement.
(lexical_declaration . (variable_declarator) .) @whole
(variable_declaration . (variable_declarator) .) @whole
(expression_statement (assignment_expression)) @whole

(export_statement) @wrapper
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
(class !name) @anonymous

(comment) @comment
(template_string) @string
(method_definition ["get" "set"]) @shared

[(identifier) (property_identifier) (shorthand_property_identifier) (private_property_identifier)] @identifier
