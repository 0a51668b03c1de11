; What a definition is in Lua. The captures are explained in syntax/query.py.

(function_declaration) @definition.function
(assignment_statement (variable_list . name: (bracket_index_expression table: (_) @owner field: (string) @name) .)
  (expression_list . value: (_) @value .)) @definition.variable
(assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: (_) @value .)) @definition.variable
(assignment_statement (variable_list
  name: [(identifier) (dot_index_expression)] @name)) @definition.variable
(variable_declaration (variable_list name: (_) @name)) @definition.variable
(field name: [(identifier) (string)] @name) @definition.field

(variable_declaration) @whole
[(function_declaration) (function_definition)] @function
[(do_statement) (for_statement) (while_statement) (repeat_statement)] @local
[(block) (table_constructor)] @block

; A name that gets its value later only announces it.
(variable_declaration . "local" @announces . (variable_list))

(comment) @comment
(string) @string

; What stays first.
(hash_bang_line) @first
