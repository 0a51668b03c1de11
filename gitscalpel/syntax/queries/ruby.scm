; What a definition is in Ruby. The captures are explained in syntax/query.py.

(module) @definition.module
(class) @definition.class
[(method) (singleton_method)] @definition.function

; What is bound to a constant, in the order in which it is asked.
((assignment) @definition.class
  (#match? @definition.class "^[A-Z]\\w*\\s*=\\s*(Class|Data|Module|Struct)[.](new|define)\\b"))
(([(assignment) (operator_assignment)]) @definition.constant
  (#match? @definition.constant "^(::)?[A-Z](\\w|::)*\\s*([|][|])?="))
(([(assignment) (operator_assignment)]) @definition.variable
  (#match? @definition.variable "^[@$]*[a-z_]\\w*\\s*([|][|])?="))
(left_assignment_list (_) @name) @definition.variable
((call) @definition.property (#match? @definition.property "^attr_(accessor|reader)\\b[ (]+[:\"']"))

(assignment) @whole
(argument_list [(method) (singleton_method)]) @wrapped
((argument_list (call method: (identifier) @_is)) @wrapped (#match? @_is "^attr_(accessor|reader)$"))
[(method) (singleton_method) (do_block) (block) (lambda)] @function
[(body_statement) (block_body)] @block
(singleton_method) @shared

(comment) @comment
[
  (heredoc_body) (string) (subshell) (regex) (delimited_symbol) (string_array) (symbol_array)
] @string
; It stays at the margin, and so does all in it.
((comment) @string (#match? @string "^=begin"))
