; inherits: ecma

(abstract_class_declaration) @definition.class
(interface_declaration) @definition.interface
(type_alias_declaration) @definition.type
(enum_declaration) @definition.enum
[(internal_module) (module)] @definition.namespace
(function_signature) @definition.function
[(method_signature) (abstract_method_signature)] @definition.method
[(property_signature) (public_field_definition)] @definition.field
(enum_assignment) @definition.member
(enum_body name: (_) @name @definition.member)

(ambient_declaration) @wrapper
(expression_statement (internal_module)) @whole
[(interface_body) (enum_body)] @block

; A namespace goes on where it is opened again.
[
  (function_signature) (method_signature) (abstract_method_signature)
  (internal_module) (module)
] @shared
