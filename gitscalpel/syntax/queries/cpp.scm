; inherits: c

(class_specifier) @definition.class
[(namespace_definition) (namespace_alias_definition)] @definition.namespace
(alias_declaration type: (_) @value) @definition.type
(concept_definition) @definition.concept

(class_specifier) @complete
[(template_declaration) (friend_declaration)] @whole

[(reference_declarator) (structured_binding_declarator)] @declarator
(operator_cast) @callable
(qualified_identifier) @qualified
[(abstract_function_declarator) (field_initializer_list)] @rest

(lambda_expression) @function
(access_specifier) @label
(raw_string_literal) @string
; A namespace goes on where it is opened again.
[(function_definition) (namespace_definition)] @shared
