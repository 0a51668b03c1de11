; What names stand for in C#. The captures are explained in syntax/mentions.py.

(compilation_unit) @scope.module
(namespace_declaration) @scope.namespace
[
  (class_declaration) (struct_declaration) (record_declaration) (interface_declaration) (enum_declaration)
] @scope.class
[
  (method_declaration) (constructor_declaration) (destructor_declaration) (operator_declaration)
  (conversion_operator_declaration) (indexer_declaration) (local_function_statement) (delegate_declaration)
  (accessor_declaration)
] @scope.function
[
  (block) (lambda_expression) (anonymous_method_expression) (for_statement) (foreach_statement)
  (while_statement) (using_statement) (fixed_statement) (catch_clause) (switch_body)
  (query_expression) (arrow_expression_clause)
] @scope.block
[(switch_section) (switch_expression_arm)] @scope.arm

(class_declaration name: (_) @outside)
(struct_declaration name: (_) @outside)
(record_declaration name: (_) @outside)
(interface_declaration name: (_) @outside)
(enum_declaration name: (_) @outside)
(delegate_declaration name: (_) @outside)
(method_declaration name: (_) @outside)
(local_function_statement name: (_) @outside)
(foreach_statement right: (_) @outside)

; Namespaces are not renamed here.
(namespace_declaration name: (identifier) @label)
(namespace_declaration name: (qualified_name (identifier) @label))
(namespace_declaration name: (qualified_name (qualified_name (identifier) @label)))
(namespace_declaration name: (qualified_name (qualified_name (qualified_name (identifier) @label))))
(file_scoped_namespace_declaration name: (identifier) @label)
(file_scoped_namespace_declaration name: (qualified_name (identifier) @label))
(file_scoped_namespace_declaration name: (qualified_name (qualified_name (identifier) @label)))
(file_scoped_namespace_declaration name: (qualified_name (qualified_name (qualified_name (identifier) @label))))
(using_directive name: (identifier) @bind.import)

; What binds a name.
(class_declaration name: (identifier) @bind.class)
(struct_declaration name: (identifier) @bind.class)
(record_declaration name: (identifier) @bind.class)
(interface_declaration name: (identifier) @bind.class)
(enum_declaration name: (identifier) @bind.class)
(delegate_declaration name: (identifier) @bind.class)
(enum_member_declaration name: (identifier) @bind.field)
(constructor_declaration name: (identifier) @use.type)
(destructor_declaration name: (identifier) @use.type)
(method_declaration (explicit_interface_specifier) name: (identifier) @member)
(property_declaration (explicit_interface_specifier) name: (identifier) @member)
(event_declaration (explicit_interface_specifier) name: (identifier) @member)
(method_declaration name: (identifier) @bind.method)
(property_declaration name: (identifier) @bind.property)
(event_declaration name: (identifier) @bind.property)
(field_declaration (variable_declaration (variable_declarator name: (identifier) @bind.field)))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @bind.property)))
(variable_declarator name: (identifier) @bind.local)
(variable_declarator (tuple_pattern name: (identifier) @bind.local))
(tuple_pattern name: (identifier) @bind.local)
(local_function_statement name: (identifier) @bind.local)
(class_declaration (parameter_list (parameter name: (identifier) @bind.component)))
(struct_declaration (parameter_list (parameter name: (identifier) @bind.component)))
(record_declaration (parameter_list (parameter name: (identifier) @bind.component)))
(parameter name: (identifier) @bind.parameter)
(bracketed_parameter_list name: (identifier) @bind.parameter)
(parameter_list name: (identifier) @bind.parameter)
(type_parameter name: (identifier) @bind.generic)
(foreach_statement left: (identifier) @bind.parameter)
(catch_declaration name: (identifier) @bind.parameter)
(declaration_expression name: (identifier) @bind.pattern)
(declaration_pattern name: (identifier) @bind.pattern)
(var_pattern name: (identifier) @bind.pattern)
(recursive_pattern name: (identifier) @bind.pattern)
(list_pattern name: (identifier) @bind.pattern)
(parenthesized_variable_designation (identifier) @bind.pattern)
(from_clause name: (identifier) @bind.local)
(let_clause . (identifier) @bind.local)
(join_clause . (identifier) @bind.local)
(join_into_clause . (identifier) @bind.local)
(query_expression (identifier) @bind.local)
(lambda_expression parameters: (implicit_parameter) @bind.parameter)
(labeled_statement . (identifier) @label)
(goto_statement (identifier) @label)
(tuple_element name: (identifier) @label)

; What is looked up in something.
(member_access_expression name: (identifier) @member)
(member_access_expression name: (generic_name (identifier) @member))
(member_binding_expression name: (identifier) @member)
(member_binding_expression name: (generic_name (identifier) @member))
(qualified_name name: (identifier) @member.type)
(qualified_name name: (generic_name (identifier) @member.type))
(alias_qualified_name name: (identifier) @use.type)
(initializer_expression (assignment_expression left: (identifier) @member))
(with_initializer . (identifier) @member)
(subpattern . (identifier) @member)
(tuple_expression (argument name: (identifier) @label))
(argument name: (identifier) @keyword)
(attribute_argument name: (identifier) @keyword)
(anonymous_object_creation_expression (identifier) @label . "=")
(anonymous_object_creation_expression (identifier) @key)
(tuple_expression (argument . (identifier) @key .))

; What types are.
(using_directive (identifier) @use.type)
(qualified_name qualifier: (identifier) @use.type)
(qualified_name qualifier: (generic_name (identifier) @use.type))
(member_access_expression expression: (generic_name (identifier) @use.type))
(invocation_expression function: (generic_name (identifier) @use.value))
(attribute name: (identifier) @use.type)
(base_list (identifier) @use.type)
(primary_constructor_base_type type: (identifier) @use.type)
(type_parameter_constraints_clause . (identifier) @use.type)
(type_argument_list (identifier) @use.type)
(explicit_interface_specifier (identifier) @use.type)
(explicit_interface_specifier (generic_name (identifier) @use.type))
(as_expression right: (identifier) @use.type)
(_ type: (identifier) @use.type)
(_ returns: (identifier) @use.type)
(_ type: (generic_name (identifier) @use.type))
(generic_name (identifier) @use.type)
(member_access_expression expression: (identifier) @use.any)
(constant_pattern (identifier) @use.any)
(is_expression right: (identifier) @use.any)

(invocation_expression function: (identifier) @nameof (#eq? @nameof "nameof")
  arguments: (argument_list (argument (identifier) @use.any)))
(identifier) @use.value

(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (character_literal)] @string
(string_content) @string

