; What a definition is in shells. The captures are explained in syntax/query.py.

(function_definition) @definition.function
(variable_assignment name: (variable_name) @name "=") @definition.variable
(declaration_command ["declare" "typeset"] (variable_name) @name) @definition.variable

(declaration_command) @whole
; What is bound for one command, or in a process of its own; what stands in a condition is no statement.
[
  (command) (list) (pipeline) (negated_command) (subshell) (command_substitution) (process_substitution)
] @local
[(compound_statement) (subshell)] @block

(comment) @comment
[(string) (raw_string) (ansi_c_string) (heredoc_redirect)] @string

; A variable may be assigned to again and again.
(variable_assignment) @shared
