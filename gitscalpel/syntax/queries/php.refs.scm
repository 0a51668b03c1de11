; What names stand for in PHP. The captures are explained in syntax/mentions.py.

(program) @scope.module
(namespace_definition body: (_)) @scope.namespace
[
  (class_declaration) (interface_declaration) (trait_declaration) (enum_declaration) (anonymous_class)
] @scope.class
[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @scope.function

(class_declaration name: (_) @outside)
(interface_declaration name: (_) @outside)
(trait_declaration name: (_) @outside)
(enum_declaration name: (_) @outside)
(function_definition name: (_) @outside)
(method_declaration name: (_) @outside)

; Namespaces are not renamed here.
(namespace_definition name: (namespace_name (name) @label))
(namespace_use_clause (qualified_name prefix: (namespace_name (name) @label)))
(namespace_use_declaration (namespace_name (name) @label))
(namespace_use_clause alias: (name) @bind.alias)

(namespace_use_clause (qualified_name (name) @imported) alias: (_))
(namespace_use_clause . (name) @imported alias: (_))

(namespace_use_clause (qualified_name (name) @bind.import))
(namespace_use_clause . (name) @bind.import)
(namespace_name (name) @use.prefix)

; What binds a name. A variable is one of its function wherever it stands in it.
(class_declaration name: (name) @bind.class)
(interface_declaration name: (name) @bind.class)
(trait_declaration name: (name) @bind.class)
(enum_declaration name: (name) @bind.class)
(function_definition name: (name) @bind.function)
(method_declaration name: (name) @bind.method)
(enum_case name: (name) @bind.constant)
(const_element . (name) @bind.constant)
(property_element name: (variable_name (name) @bind.property))
(property_promotion_parameter name: (variable_name (name) @bind.property))
(global_declaration (variable_name (name) @global))
(scoped_property_access_expression name: (variable_name (name) @member.property))
(variable_name (name) @bind.variable)
(dynamic_variable_name (name) @bind.variable)

; What is looked up in something.
(member_access_expression name: (name) @member.property)
(nullsafe_member_access_expression name: (name) @member.property)
(member_call_expression name: (name) @member.method)
(nullsafe_member_call_expression name: (name) @member.method)
(scoped_call_expression name: (name) @member.method)
(class_constant_access_expression (_) . (name) @member.constant)
(argument name: (name) @keyword)
(use_as_clause (name) @use.trait)
(use_instead_of_clause (name) @use.trait)

(function_call_expression function: (name) @use.function)
(function_call_expression function: (qualified_name (name) @use.function))
(function_call_expression function: (relative_name (name) @use.function))
(named_type (name) @use.type)
(named_type (qualified_name (name) @use.type))
(base_clause (name) @use.type)
(base_clause (qualified_name (name) @use.type))
(class_interface_clause (name) @use.type)
(class_interface_clause (qualified_name (name) @use.type))
(use_declaration (name) @use.type)
(use_declaration (qualified_name (name) @use.type))
(object_creation_expression (name) @use.type)
(object_creation_expression (qualified_name (name) @use.type))
(class_constant_access_expression . (name) @use.type)
(class_constant_access_expression . (qualified_name (name) @use.type))
(scoped_call_expression scope: (name) @use.type)
(scoped_call_expression scope: (qualified_name (name) @use.type))
(scoped_property_access_expression scope: (name) @use.type)
(scoped_property_access_expression scope: (qualified_name (name) @use.type))
(binary_expression operator: "instanceof" right: (name) @use.type)
(binary_expression operator: "instanceof" right: (qualified_name (name) @use.type))
(attribute (name) @use.type)
(attribute (qualified_name (name) @use.type))
(name) @use.constant

(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc)] @string
