; What a definition is in Rust. The captures are explained in syntax/query.py.

(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name body: (_)? @body) @definition.struct
(union_item name: (_) @name body: (_) @body) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(enum_variant name: (_) @name) @definition.member
(field_declaration name: (_) @name) @definition.field
(trait_item name: (_) @name body: (_) @body) @definition.trait
(impl_item type: (type_identifier) @name body: (_) @body) @definition.impl
(impl_item type: (generic_type type: (type_identifier) @name) body: (_) @body) @definition.impl
(impl_item type: (scoped_type_identifier name: (type_identifier) @name) body: (_) @body) @definition.impl
(mod_item name: (_) @name body: (_)? @body) @definition.module
(const_item name: (_) @name value: (_)? @value) @definition.constant
(static_item name: (_) @name value: (_)? @value) @definition.constant
(type_item name: (_) @name type: (_) @value) @definition.type
(associated_type name: (_) @name) @definition.type
(macro_definition name: (_) @name) @definition.macro

(attribute_item) @decorator
(visibility_modifier) @word
[(function_item) (closure_expression)] @function
[(impl_item) (function_signature_item)] @shared

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal)] @string
[(identifier) (type_identifier) (field_identifier)] @identifier
