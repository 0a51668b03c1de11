; What a definition is in C#. The captures are explained in syntax/query.py.

(namespace_declaration) @definition.namespace
(file_scoped_namespace_declaration) @definition.namespace
(class_declaration) @definition.class
(record_declaration) @definition.record
(struct_declaration) @definition.struct
(interface_declaration) @definition.interface
(enum_declaration) @definition.enum
(enum_member_declaration) @definition.member
(delegate_declaration) @definition.type

(method_declaration (explicit_interface_specifier)? @owner name: (_) @name) @definition.method
(local_function_statement) @definition.function
(constructor_declaration) @definition.constructor
(destructor_declaration "~" @name name: (_) @name) @definition.method
(operator_declaration "operator" @name operator: _ @name) @definition.method
(conversion_operator_declaration "operator" @name type: (_) @name) @definition.method

(property_declaration (explicit_interface_specifier)? @owner name: (_) @name
  accessors: (_) @body) @definition.property
(property_declaration (explicit_interface_specifier)? @owner name: (_) @name) @definition.property
(indexer_declaration (explicit_interface_specifier)? @owner "this" @name
  accessors: (_)? @body) @definition.property
(event_declaration (explicit_interface_specifier)? @owner name: (_) @name
  accessors: (_) @body) @definition.event
(variable_declarator "=" . (_) @body) @definition.variable
(variable_declarator) @definition.variable

; A declaration of one name is that name's whole statement.
[
  (variable_declaration) (field_declaration) (event_field_declaration)
  (local_declaration_statement) (global_statement)
] @whole

(file_scoped_namespace_declaration) @prefix
(attribute_list) @decorator
[
  (method_declaration) (constructor_declaration) (destructor_declaration) (operator_declaration)
  (conversion_operator_declaration) (local_function_statement) (accessor_declaration)
  (lambda_expression) (anonymous_method_expression)
] @function
[(declaration_list) (enum_member_declaration_list) (block)] @block
[
  (method_declaration) (constructor_declaration) (operator_declaration)
  (conversion_operator_declaration) (indexer_declaration)
] @shared
; A namespace goes on where it is opened again, a type may come in parts, and once for each number of type parameters.
((modifier) @shared (#eq? @shared "partial"))
[(namespace_declaration) (type_parameter_list)] @shared

(comment) @comment
[(verbatim_string_literal) (raw_string_literal) (interpolated_string_expression)] @string

; What stays first.
[(extern_alias_directive) (global_attribute) (file_scoped_namespace_declaration)] @first
(using_directive) @early
