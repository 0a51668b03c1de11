; What names stand for in Rust. The captures are explained in syntax/mentions.py.

(source_file) @scope.module
(mod_item body: (declaration_list) @scope.mod)
(function_item) @scope.function
[(function_signature_item) (function_type) (higher_ranked_trait_bound) (where_predicate)] @scope.generic
[
  (struct_item) (enum_item) (union_item) (trait_item) (impl_item) (type_item) (associated_type)
] @scope.item
[(block) (closure_expression) (match_arm)] @scope.block
[(if_expression) (while_expression) (loop_expression) (for_expression)] @scope.block
[(let_declaration) (let_condition)] @scope.let
(use_declaration) @scope.use

; What has members: the bodies, and the item itself where it has methods.
(struct_item body: (field_declaration_list) @scope.class)
(union_item body: (field_declaration_list) @scope.class)
(enum_item body: (enum_variant_list) @scope.class)
(enum_variant body: (field_declaration_list) @scope.class)
(trait_item body: (declaration_list) @scope.class)

; What is looked up around a scope, though it stands in its node.
(function_item name: (_) @outside)
(function_signature_item name: (_) @outside)
(struct_item name: (_) @outside)
(enum_item name: (_) @outside)
(union_item name: (_) @outside)
(trait_item name: (_) @outside)
(type_item name: (_) @outside)
(associated_type name: (_) @outside)
(let_declaration value: (_) @outside)
(let_declaration type: (_) @outside)
(let_declaration alternative: (_) @outside)
(let_condition value: (_) @outside)
(if_expression alternative: (_) @outside)
(for_expression value: (_) @outside)

; Words of macro calls and of attributes: who is called says what they are.
(token_tree (identifier) @keyword)
(attribute (identifier) @use.attribute)
(attribute (scoped_identifier name: (identifier) @member.any))
(macro_rule left: (token_tree_pattern (identifier) @label))
(token_tree_pattern (identifier) @label)

; The module around, the receiver of a method; `Self` is a name like others.
(scoped_identifier path: (self) @module)
(scoped_use_list path: (self) @module)
(use_declaration (self) @module)
(use_list (self) @module)
(use_as_clause path: (self) @module)
(visibility_modifier (self) @module)
(self_parameter (self) @bind.self)
(parameter pattern: (self) @bind.self)
(token_tree (self) @keyword)
(self) @use.value

; What binds a name.
(impl_item body: (declaration_list (function_item name: (identifier) @member.value)))
(impl_item body: (declaration_list (const_item name: (identifier) @member.value)))
(impl_item body: (declaration_list (type_item name: (type_identifier) @member.type)))
(trait_item body: (declaration_list (function_item name: (identifier) @bind.member)))
(trait_item body: (declaration_list (function_signature_item name: (identifier) @bind.member)))
(trait_item body: (declaration_list (const_item name: (identifier) @bind.member)))
(associated_type name: (type_identifier) @bind.member)
(function_item name: (identifier) @bind.function)
(function_signature_item name: (identifier) @bind.function)
(const_item name: (identifier) @bind.const)
(static_item name: (identifier) @bind.const)
(struct_item name: (type_identifier) @bind.tuple body: (ordered_field_declaration_list))
(struct_item name: (type_identifier) @bind.tuple !body)
(struct_item name: (type_identifier) @bind.struct)
(enum_item name: (type_identifier) @bind.struct)
(union_item name: (type_identifier) @bind.struct)
(trait_item name: (type_identifier) @bind.struct)
(type_item name: (type_identifier) @bind.struct)
(mod_item name: (identifier) @bind.mod)
(macro_definition name: (identifier) @bind.macro)
(enum_variant name: (identifier) @bind.member)
(field_declaration name: (field_identifier) @bind.member)
(type_parameter name: (type_identifier) @bind.generic)
(const_parameter name: (identifier) @bind.number)
(lifetime_parameter name: (lifetime (identifier) @bind.lifetime))
(for_lifetimes (lifetime (identifier) @bind.lifetime))
(lifetime (identifier) @use.lifetime)
(loop_expression (label (identifier) @bind.label))
(while_expression (label (identifier) @bind.label))
(for_expression (label (identifier) @bind.label))
(block (label (identifier) @bind.label))
(label (identifier) @use.label)

; Names that other modules define.
(use_declaration argument: (identifier) @bind.import)
(use_declaration argument: (scoped_identifier name: (identifier) @bind.import))
(scoped_use_list path: (identifier) @bind.import list: (use_list (self)))
(scoped_use_list path: (scoped_identifier name: (identifier) @bind.import) list: (use_list (self)))
(use_list (identifier) @bind.import)
(use_list (scoped_identifier name: (identifier) @bind.import))
(use_as_clause alias: (identifier) @bind.import)
(use_as_clause path: (identifier) @use.any)
(use_as_clause path: (scoped_identifier name: (identifier) @member.any))
(use_wildcard (identifier) @use.path)
(use_wildcard (scoped_identifier name: (identifier) @member.path))
(extern_crate_declaration alias: (identifier) @bind.import)
(extern_crate_declaration name: (identifier) @bind.import)

; Patterns: a name that begins with a capital is a constant, a struct or a variant.
(let_declaration pattern: (_) @binding.let)
(let_condition pattern: (_) @binding.let)
(parameter pattern: (_) @binding.parameter)
(closure_parameters (_) @binding.pattern)
(for_expression pattern: (_) @binding.pattern)
(match_pattern) @binding.pattern
(parameter pattern: (identifier) @bind)
(let_declaration pattern: (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(closure_parameters (identifier) @bind)
(tuple_struct_pattern type: (identifier) @use.value)
([
  (match_pattern . (identifier) @use.value)
  (let_condition pattern: (identifier) @use.value)
  (tuple_pattern (identifier) @use.value)
  (tuple_struct_pattern (identifier) @use.value)
  (slice_pattern (identifier) @use.value)
  (or_pattern (identifier) @use.value)
  (reference_pattern (identifier) @use.value)
  (field_pattern pattern: (identifier) @use.value)
  (captured_pattern (_) (identifier) @use.value)
 ] (#match? @use.value "^[A-Z]"))
(match_pattern . (identifier) @bind)
(let_condition pattern: (identifier) @bind)
(tuple_pattern (identifier) @bind)
(tuple_struct_pattern (identifier) @bind)
(slice_pattern (identifier) @bind)
(or_pattern (identifier) @bind)
(reference_pattern (identifier) @bind)
(ref_pattern (identifier) @bind)
(mut_pattern (identifier) @bind)
(captured_pattern . (identifier) @bind)
(captured_pattern (_) (identifier) @bind)
(field_pattern pattern: (identifier) @bind)
(field_pattern name: (shorthand_field_identifier) @bind)
(field_pattern name: (shorthand_field_identifier) @key)
(shorthand_field_initializer (identifier) @use.value)
(shorthand_field_initializer (identifier) @key)

; Names that are looked up in something.
(field_expression field: (field_identifier) @member.value)
(field_initializer field: (field_identifier) @member.value)
(field_pattern name: (field_identifier) @member.value)
(type_binding name: (type_identifier) @member.type)
(macro_invocation macro: (identifier) @use.called)
(macro_invocation macro: (scoped_identifier name: (identifier) @member.called))
(scoped_identifier path: (identifier) @use.path)
(scoped_identifier path: (scoped_identifier name: (identifier) @member.path))
(scoped_type_identifier path: (identifier) @use.path)
(scoped_type_identifier path: (scoped_identifier name: (identifier) @member.path))
(scoped_use_list path: (identifier) @use.path)
(scoped_use_list path: (scoped_identifier name: (identifier) @member.path))
(scoped_type_identifier name: (type_identifier) @member.type)
(scoped_identifier name: (identifier) @member.value)
(metavariable) @label

((identifier) @signed (#match? @signed "^r#"))
((type_identifier) @signed (#match? @signed "^r#"))
((field_identifier) @signed (#match? @signed "^r#"))
; What is given to a type may be a constant: `Array<N>`.
(type_arguments (type_identifier) @use.argument)
[(type_identifier) (primitive_type)] @use.type
(identifier) @use.value

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal)] @string
