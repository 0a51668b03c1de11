; inherits: cfamily.refs

(namespace_definition body: (declaration_list) @scope.namespace)
(template_declaration) @scope.item
(template_declaration (declaration) @scope.bounds)
((declaration) @scope.bounds (#has-parent? @scope.bounds field_declaration_list))
(friend_declaration (declaration) @scope.bounds)
(optional_parameter_declaration) @scope.bounds
(init_statement (declaration) @scope.let)
(condition_clause value: (declaration) @scope.let)
(for_range_loop initializer: (init_statement) @scope.let)
[(for_range_loop) (catch_clause) (requires_expression)] @scope.block
(lambda_expression) @scope.function
(enum_specifier ["class" "struct"] body: (enumerator_list) @scope.class)
[(optional_parameter_declaration) (variadic_parameter_declaration)] @binding.parameter

(for_range_loop right: (_) @outside)
(lambda_capture_initializer right: (_) @outside)

; Namespaces.
(namespace_definition name: (namespace_identifier) @bind.namespace)
(namespace_definition name: (nested_namespace_specifier (namespace_identifier) @bind.namespace))
(nested_namespace_specifier (nested_namespace_specifier (namespace_identifier) @bind.namespace))
(namespace_alias_definition name: (namespace_identifier) @bind.alias)
(namespace_alias_definition (nested_namespace_specifier . (namespace_identifier) @use.type))
(namespace_alias_definition (nested_namespace_specifier (namespace_identifier) @member))
(namespace_alias_definition (namespace_identifier) @use.type)

; Types.
(class_specifier name: (type_identifier) @bind.tag body: (_))
((class_specifier name: (type_identifier) @bind.tag) @_in
  (#has-parent? @_in translation_unit declaration_list compound_statement preproc_if preproc_ifdef))
(template_declaration (class_specifier name: (type_identifier) @bind.tag))
(template_declaration (struct_specifier name: (type_identifier) @bind.tag))
((field_declaration type: [
    (class_specifier name: (type_identifier) @bind.tag) (struct_specifier name: (type_identifier) @bind.tag)
    (union_specifier name: (type_identifier) @bind.tag) (enum_specifier name: (type_identifier) @bind.tag)
  ] .) @_in
  (#has-parent? @_in field_declaration_list))
((enum_specifier name: (type_identifier) @bind.tag) @_in (#has-parent? @_in translation_unit declaration_list))
((union_specifier name: (type_identifier) @bind.tag) @_in (#has-parent? @_in declaration_list))
(class_specifier name: (type_identifier) @use.tag)
(alias_declaration name: (type_identifier) @bind.type)
(concept_definition name: (identifier) @bind.type)
(type_parameter_declaration (type_identifier) @bind.generic)
(variadic_type_parameter_declaration (type_identifier) @bind.generic)
(optional_type_parameter_declaration name: (type_identifier) @bind.generic)

; Constructors are called as their class, and so are destructors.
((declaration declarator: (function_declarator declarator: (identifier) @use.type)) @_in
  (#has-parent? @_in field_declaration_list))
((function_definition declarator: (function_declarator declarator: (identifier) @use.type)) @_in
  (#has-parent? @_in field_declaration_list))
((template_declaration (declaration declarator: (function_declarator declarator: (identifier) @use.type))) @_in
  (#has-parent? @_in field_declaration_list))
((template_declaration (function_definition declarator: (function_declarator declarator: (identifier) @use.type))) @_in
  (#has-parent? @_in field_declaration_list))

; A deduction guide is called as its class (`Pair(A, B) -> Pair<A, B>;`).
(declaration !type
  declarator: (function_declarator declarator: (identifier) @use.type (trailing_return_type)))
(ERROR (explicit_function_specifier)
  (function_declarator declarator: (identifier) @use.type (trailing_return_type)))

; A body behind a name without a type, outside of classes, is what a macro begins (`TEST(a, b) {}`).
((function_definition !type declarator: (function_declarator declarator: (identifier) @use.macro)) @_in
  (#has-parent? @_in translation_unit declaration_list preproc_if))

; What is looked up in something.
(qualified_identifier name: (identifier) @member)
(qualified_identifier name: (type_identifier) @member)
(qualified_identifier name: (field_identifier) @member)
(qualified_identifier name: (template_type name: (type_identifier) @member))
(qualified_identifier name: (template_function name: (identifier) @member))
(qualified_identifier name: (template_method name: (field_identifier) @member))
(qualified_identifier name: (destructor_name (identifier) @member))
(qualified_identifier name: (dependent_name (template_type name: (type_identifier) @member)))
(qualified_identifier name: (dependent_name (template_function name: (identifier) @member)))
(qualified_identifier name: (qualified_identifier scope: (namespace_identifier) @member))
(qualified_identifier name: (qualified_identifier scope: (template_type name: (type_identifier) @member)))
(qualified_identifier scope: (namespace_identifier) @use.type)
(qualified_identifier scope: (template_type name: (type_identifier) @use.type))
(field_expression field: (template_method name: (field_identifier) @member))
(field_expression field: (dependent_name (template_method name: (field_identifier) @member)))
; What points to a member is a variable (`->*`, which the grammar does not know, is in cfamily).
(field_expression operator: ".*" field: (field_identifier) @use)
(destructor_name (identifier) @use.type)
(field_initializer (field_identifier) @member)
(field_initializer (template_method name: (field_identifier) @member))

; The names of declarations: in declarators, however deep.
(function_declarator declarator: (identifier) @bind.function)
(function_declarator declarator: (field_identifier) @bind.method)
(_ declarator: (field_identifier) @bind.field)
[(parenthesized_declarator (field_identifier) @bind.field) (reference_declarator (field_identifier) @bind.field)]
(_ declarator: (identifier) @bind)
[
  (parenthesized_declarator (identifier) @bind) (reference_declarator (identifier) @bind)
  (structured_binding_declarator (identifier) @bind) (variadic_declarator (identifier) @bind)
]
(reference_declarator (type_identifier) @bind.type)
(lambda_capture_initializer left: (identifier) @bind.local)

(raw_string_literal) @string

(struct_specifier name: (type_identifier) @use.tag)
(union_specifier name: (type_identifier) @use.tag)
(enum_specifier name: (type_identifier) @use.tag)
(type_identifier) @use.type
