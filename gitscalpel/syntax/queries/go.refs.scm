; What names stand for in Go. The captures are explained in syntax/mentions.py.

(source_file) @scope.module
[(function_declaration) (method_declaration) (func_literal)] @scope.function
[(function_type) (method_elem)] @scope.signature
[
  (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (select_statement)
  (expression_case) (type_case) (default_case) (communication_case)
] @scope.block
(if_statement consequence: (block) @scope.block)
(if_statement alternative: (block) @scope.block)
(for_statement body: (block) @scope.block)
(statement_list (block) @scope.block)

; What holds from its place on.
(short_var_declaration) @scope.let
(statement_list (var_declaration (var_spec) @scope.let))
(statement_list (var_declaration (var_spec_list (var_spec) @scope.let)))
(statement_list (const_declaration (const_spec) @scope.let))
(statement_list (type_declaration) @scope.let)

; What has members; the methods of a type stand outside of it.
(field_declaration_list) @scope.class
(interface_type) @scope.class
[(type_spec) (type_alias)] @scope.generic

; What is looked up around a scope, though it stands in its node.
(function_declaration name: (_) @outside)
(type_spec name: (_) @outside)
(type_alias name: (_) @outside)
(short_var_declaration right: (_) @outside)
(var_spec value: (_) @outside)
(var_spec type: (_) @outside)
(const_spec value: (_) @outside)
(const_spec type: (_) @outside)
(range_clause right: (_) @outside)
(receive_statement right: (_) @outside)
(type_switch_statement value: (_) @outside)
(parameter_declaration type: (_) @outside)
(variadic_parameter_declaration type: (_) @outside)
(_ result: [
  (type_identifier) (qualified_type) (pointer_type) (generic_type) (slice_type) (array_type) (map_type)
  (channel_type) (function_type) (struct_type) (interface_type)
] @outside)

; What binds a name.
(import_spec name: (package_identifier) @bind.import)
(function_declaration name: (identifier) @bind.func)
(type_spec name: (type_identifier) @bind.type)
(type_alias name: (type_identifier) @bind.type)
(var_spec name: (identifier) @bind.var)
(const_spec name: (identifier) @bind.const)
(parameter_declaration name: (identifier) @bind.parameter)
(variadic_parameter_declaration name: (identifier) @bind.parameter)
(type_parameter_declaration name: (identifier) @bind.early)
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bind.early)))
  (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bind.early))))
])))
(short_var_declaration left: (expression_list (identifier) @bind.short))
(range_clause left: (expression_list (identifier) @bind.var) ":=")
(receive_statement left: (expression_list (identifier) @bind.var) ":=")
(type_switch_statement alias: (expression_list (identifier) @bind.var))
(labeled_statement label: (label_name) @bind.label)
(field_declaration name: (field_identifier) @bind.member)
(method_elem name: (field_identifier) @bind.member)

; What is looked up in something.
(method_declaration name: (field_identifier) @member.name)
(selector_expression field: (field_identifier) @member.name)
(qualified_type name: (type_identifier) @member.name)
(keyed_element key: (literal_element (identifier) @keyword))

(package_clause (package_identifier) @label)
(label_name) @use.label
[(identifier) (type_identifier) (field_identifier) (package_identifier)] @use.name

(comment) @comment
[(interpreted_string_literal) (raw_string_literal)] @string
