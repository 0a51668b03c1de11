; What a definition is in Dart. The captures are explained in syntax/query.py.

(class_definition) @definition.class
(class_definition (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.mixin
(extension_declaration class: (_) @name) @definition.extension
(extension_type_declaration) @definition.type
(representation_declaration name: (_) @definition.field @name)
(enum_declaration) @definition.enum
(enum_constant) @definition.member
(type_alias (type_identifier) @name "=" . (_) @value) @definition.type
(type_alias (type_identifier) @name . (formal_parameter_list)) @definition.type
(function_signature) @definition.function
[(getter_signature) (setter_signature)] @definition.property
(operator_signature "operator" @name _ @name . (formal_parameter_list)) @definition.function
[
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))
] @definition.constructor
(lambda_expression parameters: (function_signature name: (_) @name) body: (_) @body) @definition.function
(static_final_declaration . (identifier) @name "=" . (_) @value) @definition.constant
(initialized_identifier . (identifier) @name ("=" . (_) @value)?) @definition.variable

; A member's name and its body stand side by side, and so do all parts of a variable outside of types.
(function_body) @tail
(program [
  (const_builtin) (final_builtin) (inferred_type) (type_identifier) (type_arguments) (nullable_type)
  (function_type) (record_type) (void_type) "late" "external" "."
] @head)
[
  (declaration) (method_signature) (initialized_identifier_list) (static_final_declaration_list)
  (local_function_declaration)
] @whole

(annotation) @decorator
[(function_body) (function_expression) (initializers)] @local
[(class_body) (extension_body) (enum_body) (block)] @block
(function_body (block)) @block

[(comment) (documentation_comment)] @comment
(string_literal) @string
[(getter_signature) (setter_signature) (operator_signature) (extension_declaration)] @shared

; What stays first.
[(script_tag) (library_name)] @first
[(import_or_export) (part_directive) (part_of_directive)] @early
