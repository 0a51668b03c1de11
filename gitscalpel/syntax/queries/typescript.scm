; inherits: ecma

(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name value: (_) @value) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(internal_module name: (_) @name body: (_) @body) @definition.namespace
(module name: (_) @name body: (_) @body) @definition.namespace
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(property_signature name: (_) @name) @definition.field
(enum_assignment name: (_) @name value: (_) @value) @definition.member
(enum_body name: (_) @name @definition.member)

(public_field_definition name: (_) @name value: [
  (arrow_function body: (statement_block) @body)
  (arrow_function body: (expression) @value)
  (function_expression body: (_) @body)
]) @definition.method
(public_field_definition name: (_) @name value: (_)? @value) @definition.field

(ambient_declaration) @wrapper
(expression_statement (internal_module)) @whole
(accessibility_modifier) @word

[(function_signature) (method_signature) (abstract_method_signature)] @shared
(type_identifier) @identifier
