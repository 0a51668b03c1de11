; What a definition is in Rust. The captures are explained in syntax/query.py.

[(function_item) (function_signature_item)] @definition.function
(struct_item) @definition.struct
(union_item) @definition.union
(enum_item) @definition.enum
(enum_variant) @definition.member
(field_declaration) @definition.field
(trait_item) @definition.trait
(impl_item type: (type_identifier) @name) @definition.impl
(impl_item type: (generic_type type: (type_identifier) @name)) @definition.impl
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @definition.impl
(impl_item type: (generic_type
  type: (scoped_type_identifier name: (type_identifier) @name))) @definition.impl
(impl_item type: [(primitive_type) (reference_type) (pointer_type) (array_type) (tuple_type)
  (unit_type) (dynamic_type) (function_type)] @name) @definition.impl
(mod_item) @definition.module
[(const_item) (static_item)] @definition.constant
(type_item type: (_) @value) @definition.type
(associated_type) @definition.type
(macro_definition) @definition.macro

(attribute_item) @decorator
[(function_item) (closure_expression)] @function
[
  (block) (declaration_list) (field_declaration_list) (ordered_field_declaration_list) (enum_variant_list)
] @block
[(impl_item) (function_signature_item)] @shared

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal)] @string

; What stays first.
[(shebang) (inner_attribute_item)] @first
(line_comment (inner_doc_comment_marker)) @first
(block_comment (inner_doc_comment_marker)) @first
