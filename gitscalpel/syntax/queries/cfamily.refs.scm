; What names stand for in C and in C++. The captures are explained in syntax/mentions.py.

(translation_unit) @scope.module
(field_declaration_list) @scope.class
(function_definition) @scope.function
(function_declarator) @scope.signature
[
  (compound_statement) (for_statement) (if_statement) (while_statement) (switch_statement)
] @scope.block
((declaration) @scope.let (#has-parent? @scope.let compound_statement))
(case_statement (declaration) @scope.let)
(labeled_statement (declaration) @scope.let)
(for_statement initializer: (declaration) @scope.let)

; What is looked up around a scope, though it stands in its node.
(function_declarator declarator: (parenthesized_declarator) @outside)
(declaration type: (type_identifier) @outside)

; Where the names of parameters end that have no body.
((declaration) @scope.bounds
  (#has-parent? @scope.bounds translation_unit preproc_if preproc_ifdef preproc_else preproc_elif
    declaration_list linkage_specification))
[(field_declaration) (type_definition) (parameter_declaration)] @scope.bounds

(translation_unit) @binding.variable
(compound_statement) @binding.local
(parameter_declaration) @binding.parameter
(field_declaration) @binding.field

; Types. `struct S` alone declares it; before something else it may use it.
(struct_specifier name: (type_identifier) @bind.tag body: (_))
(union_specifier name: (type_identifier) @bind.tag body: (_))
(enum_specifier name: (type_identifier) @bind.tag body: (_))
((union_specifier name: (type_identifier) @bind.tag) @_in (#has-parent? @_in translation_unit))
((struct_specifier name: (type_identifier) @bind.tag) @_in
  (#has-parent? @_in translation_unit preproc_if preproc_ifdef preproc_else declaration_list compound_statement))
(_ declarator: (type_identifier) @bind.type)
(parenthesized_declarator (type_identifier) @bind.type)
(enumerator name: (identifier) @bind.enumerator)

; What is looked up in something.
(field_expression (ERROR) @_star field: (field_identifier) @use (#eq? @_star "*"))
(field_expression operator: ["." "->"] field: (field_identifier) @member)
(field_designator (field_identifier) @member)
(offsetof_expression member: (field_identifier) @member)

(labeled_statement label: (_) @bind.label)
(goto_statement label: (_) @use.label)

; The preprocessor.
(preproc_def name: (identifier) @bind.macro)
(preproc_function_def name: (identifier) @bind.macro)
(preproc_params (identifier) @label)
(preproc_ifdef name: (identifier) @use.macro)
(preproc_defined (identifier) @use.macro)
(preproc_arg) @fragment

(comment) @comment
[(string_literal) (char_literal) (system_lib_string)] @string
