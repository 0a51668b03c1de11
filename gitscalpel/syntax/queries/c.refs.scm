; inherits: cfamily.refs

; The names of declarations: in declarators, however deep.
(function_declarator declarator: (identifier) @bind.function)
(function_declarator declarator: (field_identifier) @bind.method)
(_ declarator: (field_identifier) @bind.field)
(parenthesized_declarator (field_identifier) @bind.field)
(_ declarator: (identifier) @bind)
(parenthesized_declarator (identifier) @bind)

(struct_specifier name: (type_identifier) @use.tag)
(union_specifier name: (type_identifier) @use.tag)
(enum_specifier name: (type_identifier) @use.tag)
(type_identifier) @use.type
