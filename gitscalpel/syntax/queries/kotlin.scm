; What a definition is in Kotlin. The captures are explained in syntax/query.py.

(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration (type_identifier) @name (class_body)? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.object
(companion_object (type_identifier) @name (class_body)? @body) @definition.object
((companion_object "object" @name . (class_body)? @body .) @definition.object (#set! name "Companion"))
((companion_object "object" @name . ":" (class_body)? @body) @definition.object (#set! name "Companion"))
(enum_entry (simple_identifier) @name (class_body)? @body) @definition.member
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.field
(function_declaration receiver: (_)? @owner (simple_identifier) @name
  (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name "{"? @body) @definition.constructor
(property_declaration receiver: (_)? @owner (variable_declaration (simple_identifier) @name)
  [(getter) (setter)] @body) @definition.property
((property_declaration receiver: (_)? @owner (variable_declaration (simple_identifier) @name))
  @definition.property . [(getter) (setter)])
(property_declaration receiver: (_)? @owner (variable_declaration (simple_identifier) @name)
  [(property_delegate) @value ("=" . (_) @value)]?) @definition.variable
(property_declaration (multi_variable_declaration
  (variable_declaration (simple_identifier) @name)) "=" . (_) @value) @definition.variable
(type_alias (type_identifier) @name "=" . (_) @value) @definition.type

; Accessors on lines of their own stand beside their property.
[(getter) (setter)] @tail

(modifiers) @modifiers
(annotation) @decorator
[
  (function_declaration) (secondary_constructor) (anonymous_initializer) (getter) (setter)
  (anonymous_function) (lambda_literal)
] @function
(object_literal (class_body) @class)
[(class_body) (enum_class_body) (statements)] @block
(function_body "{") @block

[(line_comment) (multiline_comment)] @comment
(string_literal) @string
[(function_declaration) (secondary_constructor)] @shared

; What gathers the imports.
(import_list) @block

; What stays first.
[(file_annotation) (package_header)] @first
(import_header) @early
