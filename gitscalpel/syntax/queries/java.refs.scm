; What names stand for in Java. The captures are explained in syntax/mentions.py.

(program) @scope.module
[
  (class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
  (annotation_type_declaration)
] @scope.item
[(class_body) (interface_body) (enum_body) (annotation_type_body)] @scope.class
[
  (method_declaration) (constructor_declaration) (compact_constructor_declaration) (static_initializer)
] @scope.function
[
  (block) (constructor_body) (lambda_expression) (if_statement) (for_statement) (enhanced_for_statement)
  (while_statement) (try_with_resources_statement) (catch_clause) (switch_block_statement_group) (switch_rule)
] @scope.block
(local_variable_declaration) @scope.let

(class_declaration name: (_) @outside)
(interface_declaration name: (_) @outside)
(enum_declaration name: (_) @outside)
(record_declaration name: (_) @outside)
(annotation_type_declaration name: (_) @outside)
(method_declaration name: (_) @outside)
(enhanced_for_statement value: (_) @outside)

; Packages are folders.
(package_declaration (identifier) @label)
(package_declaration (scoped_identifier (identifier) @label))
(package_declaration (scoped_identifier (scoped_identifier (identifier) @label)))
(import_declaration (scoped_identifier scope: (_) name: (identifier) @member.type) (asterisk))
(import_declaration (scoped_identifier name: (identifier) @bind.import))
(import_declaration (identifier) @use.type (asterisk))
(import_declaration (identifier) @bind.import)
(scoped_identifier scope: (_) name: (identifier) @member.type)
(scoped_identifier scope: (identifier) @use.type)

; What binds a name.
(class_declaration name: (identifier) @bind.class)
(interface_declaration name: (identifier) @bind.class)
(enum_declaration name: (identifier) @bind.class)
(record_declaration name: (identifier) @bind.class)
(annotation_type_declaration name: (identifier) @bind.class)
(constructor_declaration name: (identifier) @use.type)
(compact_constructor_declaration name: (identifier) @use.type)
(method_declaration name: (identifier) @bind.method)
(annotation_type_element_declaration name: (identifier) @bind.method)
(field_declaration declarator: (variable_declarator name: (identifier) @bind.field))
(constant_declaration declarator: (variable_declarator name: (identifier) @bind.field))
(enum_constant name: (identifier) @bind.field)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @bind.component)))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @bind.local))
(formal_parameter name: (identifier) @bind.parameter)
(spread_parameter (variable_declarator name: (identifier) @bind.parameter))
(catch_formal_parameter name: (identifier) @bind.parameter)
(lambda_expression parameters: (identifier) @bind.parameter)
(inferred_parameters (identifier) @bind.parameter)
(enhanced_for_statement name: (identifier) @bind.parameter)
(resource name: (identifier) @bind.parameter)
(instanceof_expression name: (identifier) @bind.parameter)
(type_pattern (_) (identifier) @bind.parameter)
(record_pattern_component (_) (identifier) @bind.parameter)
(record_pattern . (identifier) @use.type)
(type_parameter (type_identifier) @bind.generic)
(labeled_statement . (identifier) @bind.label)
(break_statement (identifier) @use.label)
(continue_statement (identifier) @use.label)

; What is looked up in something.
(method_invocation object: (_) name: (identifier) @member.method)
(method_invocation name: (identifier) @use.method)
(method_reference (_) "::" (identifier) @member.method)
(field_access field: (identifier) @member.any)
(scoped_type_identifier (_) (type_identifier) @member.type)
(object_creation_expression . (_) "." type: (type_identifier) @member.type)
(object_creation_expression . (_) "." type: (generic_type . (type_identifier) @member.type))
(switch_label (identifier) @keyword)
(element_value_pair key: (identifier) @keyword)

(annotation name: (identifier) @use.type)
(marker_annotation name: (identifier) @use.type)
(field_access object: (identifier) @use.any)
(method_invocation object: (identifier) @use.any)
(method_reference . (identifier) @use.any)
(type_identifier) @use.type
(identifier) @use.value

[(line_comment) (block_comment)] @comment
(string_literal) @string
