; What a definition is in Java. The captures are explained in syntax/query.py.

(class_declaration) @definition.class
(interface_declaration) @definition.interface
(annotation_type_declaration) @definition.annotation
(enum_declaration) @definition.enum
(record_declaration) @definition.record
(enum_constant) @definition.member
(method_declaration) @definition.method
(annotation_type_element_declaration) @definition.method
[(constructor_declaration) (compact_constructor_declaration)] @definition.constructor
(field_declaration declarator: (variable_declarator name: (_) @name value: (_) @value)) @definition.field
(field_declaration declarator: (variable_declarator name: (_) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (_) @name value: (_) @value)) @definition.constant
(module_declaration) @definition.module

(modifiers) @modifiers
[(annotation) (marker_annotation)] @decorator
[
  (method_declaration)
  (constructor_declaration)
  (compact_constructor_declaration)
  (static_initializer)
  (lambda_expression)
] @function
(object_creation_expression (class_body) @class)
[
  (class_body)
  (interface_body)
  (enum_body)
  (enum_body_declarations)
  (annotation_type_body)
  (constructor_body)
  (module_body)
  (block)
] @block

[(line_comment) (block_comment)] @comment
(string_literal) @string
[(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @shared

; What stays first.
(package_declaration) @first
(import_declaration) @early
