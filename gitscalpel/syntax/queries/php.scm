; What a definition is in PHP. The captures are explained in syntax/query.py.

(namespace_definition) @definition.namespace
(class_declaration) @definition.class
(trait_declaration) @definition.trait
(interface_declaration) @definition.interface
(enum_declaration) @definition.enum
(enum_case) @definition.member
(function_definition) @definition.function
(method_declaration) @definition.method
(const_element . (name) @name . (_) @value) @definition.constant
(property_declaration (property_element) @definition.property (property_hook_list) @body)
(property_element) @definition.property
(property_promotion_parameter) @definition.property
(assignment_expression left: (variable_name) @name) @definition.variable

; A declaration of one name is that name's whole statement.
[(const_declaration) (property_declaration) (expression_statement)] @whole

(namespace_definition) @prefix
(attribute_list) @decorator
[
  (function_definition) (method_declaration) (anonymous_function) (arrow_function) (property_hook)
] @function
(anonymous_class) @class
[(compound_statement) (declaration_list) (enum_declaration_list) (colon_block)] @block

; It goes on where it is opened again.
(namespace_definition) @shared

(comment) @comment
[(heredoc) (nowdoc) (string) (encapsed_string) (shell_command_expression) (text_interpolation)]
  @string

; What stays first.
(program . (text) @first)
[(php_tag) (declare_statement) (namespace_definition !body)] @first
(namespace_use_declaration) @early
