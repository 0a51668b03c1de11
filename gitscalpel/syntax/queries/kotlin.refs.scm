; What names stand for in Kotlin. The captures are explained in syntax/mentions.py.

(source_file) @scope.module
[
  (class_declaration) (object_declaration) (companion_object) (object_literal) (enum_entry)
] @scope.class
[
  (function_declaration) (secondary_constructor) (anonymous_function) (getter) (setter)
] @scope.function
[
  (function_body) (lambda_literal) (for_statement) (when_expression) (catch_block) (control_structure_body)
  (anonymous_initializer) (when_entry) (statements)
] @scope.block
(type_alias) @scope.item
((property_declaration (type_parameters)) @scope.item (#has-parent? @scope.item class_body source_file))
((property_declaration) @scope.let (#has-parent? @scope.let statements))

(class_declaration (type_identifier) @outside)
(object_declaration (type_identifier) @outside)
(companion_object (type_identifier) @outside)
(enum_entry (simple_identifier) @outside)
(enum_entry (value_arguments) @outside)
(type_alias (type_identifier) @outside)
(function_declaration (simple_identifier) @outside)
((property_declaration (type_parameters) (variable_declaration (simple_identifier) @outside)) @_in
  (#has-parent? @_in class_body source_file))
((property_declaration "=" . (_) @outside) @_in (#has-parent? @_in statements))
((property_declaration (property_delegate) @outside) @_in (#has-parent? @_in statements))

; Packages are folders.
(package_header (identifier (simple_identifier) @label))
(import_header (identifier (simple_identifier) @imported) (import_alias))
(import_header (identifier (simple_identifier) @imported) (wildcard_import))
(import_header (identifier (simple_identifier) @bind.import .))
(import_header (identifier (simple_identifier) @imported))
(import_alias (type_identifier) @bind.alias)

; What binds a name.
(class_declaration (type_identifier) @bind.class)
(object_declaration (type_identifier) @bind.class)
(companion_object (type_identifier) @bind.class)
(type_alias (type_identifier) @bind.class)
(enum_entry (simple_identifier) @bind.member)
(class_parameter (simple_identifier) @bind.member)
(function_declaration (simple_identifier) @bind.function)
((property_declaration (variable_declaration (simple_identifier) @bind.local)) @_in (#has-parent? @_in statements))
((property_declaration (multi_variable_declaration (variable_declaration (simple_identifier) @bind.local))) @_in
  (#has-parent? @_in statements))
(property_declaration (variable_declaration (simple_identifier) @bind.property))
(parameter (simple_identifier) @bind.parameter)
(parameter_with_optional_type (simple_identifier) @bind.parameter)
(lambda_parameters (variable_declaration (simple_identifier) @bind.parameter))
(variable_declaration (simple_identifier) @bind.parameter)
(catch_block (simple_identifier) @bind.parameter)
(type_parameter (type_identifier) @bind.generic)

; What is looked up in something.
(navigation_suffix (simple_identifier) @member)
(user_type (type_identifier) (type_identifier) @member.type)
(infix_expression (_) . (simple_identifier) @member . (_))
(callable_reference (type_identifier) (simple_identifier) @member)
(value_argument (simple_identifier) @keyword . "=")

(interpolated_identifier) @use.value
(type_identifier) @use.type
(simple_identifier) @use.value

[(line_comment) (multiline_comment)] @comment
(string_literal) @string
