; inherits: ecma

(field_definition property: (_) @name value: [
  (arrow_function body: (statement_block) @body)
  (arrow_function body: (expression) @value)
  (function_expression body: (_) @body)
]) @definition.method
(field_definition property: (_) @name value: (_)? @value) @definition.field
