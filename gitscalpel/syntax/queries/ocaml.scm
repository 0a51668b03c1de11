; What a definition is in OCaml. The captures are explained in syntax/query.py.

(let_binding pattern: (value_name) @name (parameter) body: (_) @body) @definition.function
(let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @definition.function
(let_binding pattern: (value_name) @name body: (object_expression) @body) @definition.object
(let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) @definition.function
(let_binding pattern: (value_name) @name body: (_) @body) @definition.variable
(let_binding pattern: (tuple_pattern (value_name) @name) body: (_) @body) @definition.variable
(let_binding pattern: (typed_pattern pattern: (value_name) @name) body: (_) @body) @definition.variable
(value_specification (value_name) @name type: (function_type)) @definition.function
(value_specification (value_name) @name) @definition.variable
(value_specification (parenthesized_operator (_) @name)) @definition.function
(external (value_name) @name) @definition.function
(external (parenthesized_operator (_) @name)) @definition.function

(type_binding name: (type_constructor_path) @name body: (_) @body) @definition.extension
(type_binding name: (_) @name body: (_) @body) @definition.type
(type_binding name: (_) @name equation: (_) @value) @definition.type
(type_binding name: (_) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.exception
(constructor_declaration (constructor_name) @name (record_declaration) @body) @definition.member
(constructor_declaration (constructor_name) @name) @definition.member
(field_declaration (field_name) @name) @definition.field

(module_binding (module_name) @name body: (_) @body) @definition.module
(module_binding (module_name) @name module_type: (_) @body) @definition.module
(module_binding (module_name) @name) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.signature

(class_binding (class_name) @name body: (_)? @body) @definition.class
(class_type_binding (class_type_name) @name body: (_)? @body) @definition.interface
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name body: (_)? @value) @definition.field
(instance_variable_specification (instance_variable_name) @name) @definition.field

; One binding is the whole statement; of several, each begins with its own word.
[
  (value_definition) (type_definition) (module_definition) (class_definition) (class_type_definition)
] @whole
(value_definition ["let" "rec" "and"] @head)
(type_definition ["type" "nonrec" "and"] @head)
(module_definition ["module" "rec" "and"] @head)
(class_definition ["class" "and"] @head)
(class_type_definition ["class" "type" "and"] @head)

; What a module's type says of its values.
(module_binding module_type: (signature (value_specification "val" @announces)) body: (_))

[(let_binding (parameter)) (fun_expression) (function_expression) (method_definition)] @function
[(let_expression) (let_module_expression)] @local
[
  (structure) (signature) (object_expression) (class_body_type) (record_declaration) (variant_declaration)
] @block
(object_expression self: (_) @label)
(class_body_type self_type: (_) @label)

((value_name) @misread (#eq? @misread "_"))

(comment) @comment
[(string) (quoted_string)] @string
(type_binding name: (type_constructor_path) @shared)
