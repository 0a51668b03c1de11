; What a definition is in Go. The captures are explained in syntax/query.py.

(function_declaration) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))) @definition.method
(type_spec type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec type: (interface_type) @body) @definition.interface
(type_spec type: (_) @value) @definition.type
(type_alias type: (_) @value) @definition.type
(method_elem) @definition.method
(field_declaration name: (_) @name) @definition.field
(field_declaration type: [
  (type_identifier) @name
  (qualified_type name: (_) @name)
  (generic_type type: (type_identifier) @name)
] !name) @definition.field
(const_spec name: (identifier) @name) @definition.constant
(var_spec name: (identifier) @name value: (expression_list . (func_literal) @value .)) @definition.variable
(var_spec name: (identifier) @name) @definition.variable

; A declaration is whole, but for those that group others in brackets.
[(type_declaration) (const_declaration) (var_declaration)] @whole
[(type_declaration "(") (const_declaration "(") (var_spec_list)] @group

[(function_declaration) (method_declaration) (func_literal)] @function
[(block) (statement_list) (field_declaration_list) (interface_type)] @block

(comment) @comment
[(raw_string_literal) (interpreted_string_literal)] @string

; Of these, a file may have several.
((function_declaration name: (identifier) @_name) @shared (#eq? @_name "init"))
((var_spec name: (identifier) @_name) @shared (#eq? @_name "_"))

; What stays first.
(package_clause) @first
(import_declaration) @early
