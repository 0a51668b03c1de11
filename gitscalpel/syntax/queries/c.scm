; What a definition is in C. The captures are explained in syntax/query.py.

(function_definition) @definition.function
(struct_specifier) @definition.struct
(union_specifier) @definition.union
(enum_specifier) @definition.enum
(enumerator) @definition.member
(type_definition) @definition.type
(declaration) @definition.variable
(field_declaration) @definition.field
[(preproc_def) (preproc_function_def)] @definition.macro

[(struct_specifier) (union_specifier) (enum_specifier)] @complete
[(declaration) (field_declaration) (type_definition) (linkage_specification)] @whole

[
  (pointer_declarator)
  (array_declarator)
  (parenthesized_declarator)
  (attributed_declarator)
  (init_declarator)
  (function_declarator)
] @declarator
(function_declarator) @callable

(attribute_declaration) @decorator
(function_definition) @function
[(compound_statement) (field_declaration_list) (enumerator_list) (declaration_list)] @block

(comment) @comment
[(string_literal) (char_literal)] @string
[(preproc_def) (preproc_function_def)] @shared
((storage_class_specifier) @announces (#eq? @announces "extern"))

; What stays first.
((preproc_call) @first (#match? @first "^#[ \\t]*pragma[ \\t]+once"))

; What macros make of a statement is no definition, even if it reads like one.
((identifier) @misread
  (#any-of? @misread "if" "else" "for" "while" "do" "switch" "return" "class" "namespace" "struct"))
