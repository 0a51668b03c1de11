; What a definition is in Haskell. The captures are explained in syntax/query.py.

(data_type constructors: (_) @body) @definition.type
(newtype constructor: (_) @body) @definition.type
(type_family closed_family: (_) @body) @definition.type
(type_synomym type: (_) @value) @definition.type
[(data_type) (newtype) (type_family) (data_family) (type_instance)] @definition.type
(class declarations: (_)? @body) @definition.class
(instance patterns: (type_patterns . [(name) (qualified) (parens) (apply) (list) (prefix_list) (tuple)
  (prefix_tuple) (unit) (literal) (promoted)] @name) declarations: (_)? @body) @definition.impl
(instance patterns: (type_patterns (variable) . (_) @name .) declarations: (_)? @body) @definition.impl
(instance patterns: (type_patterns . (variable) @name .) declarations: (_)? @body) @definition.impl
(instance !patterns declarations: (_)? @body) @definition.impl

(data_constructor constructor: (record name: (_) @name fields: (_) @body)) @definition.member
(data_constructor constructor: (_ name: (_) @name)) @definition.member
(data_constructor constructor: (infix operator: (_) @name)) @definition.member
(gadt_constructor name: (_) @name type: (record fields: (_) @body)) @definition.member
(gadt_constructor name: (_) @name) @definition.member
(newtype_constructor name: (_) @name field: (record) @body) @definition.member
(newtype_constructor name: (_) @name) @definition.member
(field name: (_) @name) @definition.field

(local_binds decl: (signature name: (variable) @name
  type: [(name) (apply) (variable) (list) (tuple) (unit) (qualified) (parens)]) @definition.variable)
(signature name: (variable) @name type: (_)) @definition.function
(signature name: (prefix_id (_) @name) type: (_)) @definition.function
(signature names: (binding_list (variable) @name)) @definition.function
(signature names: (binding_list (prefix_id (_) @name))) @definition.function
(default_signature signature: (signature name: (variable) @name)) @definition.function
(function name: (variable) @name) @definition.function
(function name: (prefix_id (_) @name)) @definition.function
(function (infix operator: (operator) @name)) @definition.function
(function (infix operator: (infix_id (_) @name))) @definition.function
(function (function_head_parens (infix operator: (operator) @name))) @definition.function
(function (function_head_parens (infix operator: (infix_id (_) @name)))) @definition.function
(foreign_import signature: (signature name: (variable) @name)) @definition.function
(local_binds decl: (bind name: (variable) @name) @definition.variable)
(bind name: (variable) @name) @definition.function
(bind name: (prefix_id (_) @name)) @definition.function
(bind pattern: (tuple (variable) @name)) @definition.variable
(pattern_synonym (signature synonym: (_) @name)) @definition.pattern
(pattern_synonym (equation synonym: (constructor) @name)) @definition.pattern
(pattern_synonym (equation synonym: (_ function: (constructor) @name))) @definition.pattern
(pattern_synonym (equation synonym: (record name: (_) @name))) @definition.pattern

; A signature and the equations below it are one definition.
[(function name: (_)) (function (infix)) (function (function_head_parens)) (bind) (default_signature)
  (pattern_synonym)] @clause
(signature names: (binding_list) @announces)
(default_signature "default" @announces)
(match) @rest

; What the name of an instance is made of.
(type_patterns (parens) @declarator)
(apply constructor: (_)) @declarator
(parens type: (_)) @declarator

(pragma) @about
(fixity) @about
(local_binds) @local
(data_instance) @whole
[
  (declarations) (class_declarations) (instance_declarations) (data_constructors) (gadt_constructors)
  (fields) (record) (equations)
] @block

((haddock) @comment (#not-match? @comment "^(--|[{]-)\\s*\\^"))
((haddock) @tail (#match? @tail "^(--|[{]-)\\s*\\^"))
(comment) @comment
[(string) (quasiquote)] @string
[(instance) (type_instance)] @shared
(data_type "instance" @shared)
(newtype "instance" @shared)

; What gathers the imports.
(imports) @block

; What stays first.
(header) @first
(import) @early
