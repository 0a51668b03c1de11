; What a definition is in Scala. The captures are explained in syntax/query.py.

(package_clause name: (_) @name body: (_) @body) @definition.namespace
(package_object) @definition.object
(class_definition) @definition.class
(object_definition) @definition.object
(trait_definition) @definition.trait
(enum_definition) @definition.enum
[(simple_enum_case) (full_enum_case)] @definition.member
((function_definition name: (_) @name) @definition.constructor (#eq? @name "this"))
[(function_definition) (function_declaration)] @definition.function
(given_definition name: (_) @name body: (with_template_body) @body) @definition.object
(given_definition name: (_) @name) @definition.variable
(extension_definition parameters: (parameters (parameter
  type: (type_identifier) @name))) @definition.extension
(extension_definition parameters: (parameters (parameter
  type: (generic_type type: (type_identifier) @name)))) @definition.extension
[(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @definition.variable
(val_definition pattern: (identifiers (identifier) @name)) @definition.variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @definition.variable
(val_definition pattern: (operator_identifier) @name) @definition.variable
[(val_declaration) (var_declaration)] @definition.variable
(type_definition "=" . (_) @value) @definition.type
(type_definition) @definition.type
(class_parameter ["val" "var"]) @definition.field

; An end marker stands beside its definition.
["end" "_end_ident"] @tail

(modifiers) @modifiers
(annotation) @decorator
[(function_definition) (lambda_expression)] @function
[(block) (indented_block)] @local
(instance_expression (template_body) @class)
[(template_body) (enum_body) (with_template_body)] @block
(function_definition body: [(block) (indented_block)] @block)
(enum_case_definitions) @whole

[(comment) (block_comment)] @comment
[(string) (interpolated_string)] @string
[
  (function_definition) (function_declaration) (class_definition) (trait_definition)
  (object_definition) (extension_definition) (package_clause)
] @shared

; What stays first.
(package_clause !body) @first
