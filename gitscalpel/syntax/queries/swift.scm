; What a definition is in Swift. The captures are explained in syntax/query.py.

(class_declaration declaration_kind: "extension") @definition.extension
(class_declaration declaration_kind: "struct") @definition.struct
(class_declaration declaration_kind: "enum") @definition.enum
(class_declaration) @definition.class
(protocol_declaration) @definition.protocol
(enum_entry name: (_) @name) @definition.member
[(function_declaration) (protocol_function_declaration)] @definition.function
(init_declaration) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.property
(property_declaration name: (pattern bound_identifier: (_) @name)
  computed_value: (_) @body) @definition.property
(property_declaration name: (pattern bound_identifier: (_) @name)
  . (type_annotation)? . "=" . (_) @value (willset_didset_block)) @definition.property
(property_declaration name: (pattern bound_identifier: (_) @name)
  (willset_didset_block) @body) @definition.property
(property_declaration name: (pattern bound_identifier: (_) @name)
  . (type_annotation)? . "=" . (_) @value) @definition.variable
(property_declaration name: (pattern bound_identifier: (_) @name)) @definition.variable
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @definition.variable
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)
  (protocol_property_requirements) @body) @definition.property
(typealias_declaration "=" . (_) @value) @definition.type
(associatedtype_declaration) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro

(modifiers) @modifiers
(attribute) @decorator
[
  (function_declaration) (init_declaration) (deinit_declaration) (lambda_literal)
  (computed_property) (computed_getter) (computed_setter) (willset_didset_block)
] @function
[(class_body) (enum_class_body) (protocol_body) (function_body) (statements)] @block

[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
[
  (function_declaration) (protocol_function_declaration) (init_declaration) (subscript_declaration)
  (class_declaration declaration_kind: "extension")
] @shared
