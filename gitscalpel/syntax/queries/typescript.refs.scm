; inherits: ecma.refs

(internal_module) @scope.namespace
(module) @scope.namespace
[(interface_body) (object_type) (enum_body)] @scope.class
[(abstract_class_declaration) (interface_declaration) (type_alias_declaration)] @scope.generic
(conditional_type) @scope.conditional
[
  (function_signature) (method_signature) (abstract_method_signature) (call_signature) (construct_signature)
  (function_type) (constructor_type) (index_signature)
] @scope.function

(conditional_type alternative: (_) @outside)
(abstract_class_declaration name: (_) @outside)
(interface_declaration name: (_) @outside)
(type_alias_declaration name: (_) @outside)
(function_signature name: (_) @outside)
((method_signature name: (computed_property_name (_) @_said) @outside) (#not-match? @_said "^[\"'`]"))
((abstract_method_signature name: (computed_property_name (_) @_said) @outside) (#not-match? @_said "^[\"'`]"))
[
  (internal_module name: [(identifier) @outside (nested_identifier object: (_) @outside)])
  (module name: (_) @outside)
]

; Patterns.
(required_parameter pattern: (_) @binding.parameter)
(optional_parameter pattern: (_) @binding.parameter)
(required_parameter pattern: (identifier) @bind)
(optional_parameter pattern: (identifier) @bind)
(required_parameter (accessibility_modifier) pattern: (identifier) @key)
(required_parameter "readonly" pattern: (identifier) @key)
(required_parameter (override_modifier) pattern: (identifier) @key)
(optional_parameter (accessibility_modifier) pattern: (identifier) @key)
(optional_parameter "readonly" pattern: (identifier) @key)

(class_declaration name: (type_identifier) @bind.class)
(abstract_class_declaration name: (type_identifier) @bind.class)
(class name: (type_identifier) @bind.self)
(interface_declaration name: (type_identifier) @bind.interface)
(type_alias_declaration name: (type_identifier) @bind.alias)
(enum_declaration name: (identifier) @bind.enum)
(internal_module name: (identifier) @bind.namespace)
(internal_module name: (nested_identifier . object: (identifier) @bind.namespace property: (_) @bind.namespace))
(module name: (identifier) @bind.namespace)
(function_signature name: (identifier) @bind.function)
(type_parameter name: (type_identifier) @bind.generic)
(mapped_type_clause name: (type_identifier) @bind.generic)
(infer_type . (type_identifier) @bind.infer)
(index_signature name: (identifier) @bind.parameter)

; Members.
(public_field_definition name: (private_property_identifier) @bind.private)
(method_signature name: (private_property_identifier) @bind.private)
(private_property_identifier) @use.private
(public_field_definition "static" name: (property_identifier) @bind.static)
(method_signature "static" name: (property_identifier) @bind.static)
(public_field_definition name: (property_identifier) @bind.member)
(public_field_definition name: (string (string_fragment) @bind.member))
(method_signature name: (property_identifier) @bind.member)
(method_signature name: (string (string_fragment) @bind.member))
(abstract_method_signature name: (property_identifier) @bind.member)
(property_signature name: (property_identifier) @bind.member)
(property_signature name: (string (string_fragment) @bind.member))
([(public_field_definition name: (computed_property_name
    [(string (string_fragment) @bind.member) (template_string . (string_fragment) @bind.member .)]))
  (method_signature name: (computed_property_name
    [(string (string_fragment) @bind.member) (template_string . (string_fragment) @bind.member .)]))
  (property_signature name: (computed_property_name
    [(string (string_fragment) @bind.member) (template_string . (string_fragment) @bind.member .)]))])
(enum_body name: (property_identifier) @bind.enumerator)
(enum_body name: (string (string_fragment) @bind.enumerator))
(enum_assignment name: (property_identifier) @bind.enumerator)
(enum_assignment name: (string (string_fragment) @bind.enumerator))
(nested_type_identifier name: (type_identifier) @member)
(nested_type_identifier module: (identifier) @use.namespace)
(nested_identifier object: (identifier) @use.any)
(nested_identifier property: (property_identifier) @member)
(lookup_type (literal_type (string (string_fragment) @member)))

(import_require_clause (identifier) @bind.import)
(import_alias . (identifier) @bind.import)
(import_alias "=" (identifier) @use.any)
(export_statement "default" value: (identifier) @use.any)
(export_statement "=" (identifier) @use.any)
(export_statement "as" "namespace" (identifier) @bind.umd)
(extends_clause value: (identifier) @use.value)

(type_identifier) @use.type
