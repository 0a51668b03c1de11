; What the words that steer belong to in Go. The captures are explained in syntax/flow.py.

(for_statement "for" @word) @scope.break @scope.continue
(expression_switch_statement "switch" @word) @scope.break
(type_switch_statement "switch" @word) @scope.break
(select_statement "select" @word) @scope.break
(labeled_statement label: (label_name) @label (for_statement) @scope.break @scope.continue)
(labeled_statement label: (label_name) @label [
  (expression_switch_statement) (type_switch_statement) (select_statement)
] @scope.break)
(break_statement "break" @jump.break)
(break_statement "break" @jump.break (label_name) @to)
(continue_statement "continue" @jump.continue)
(continue_statement "continue" @jump.continue (label_name) @to)

[(function_declaration "func" @word) (method_declaration "func" @word) (func_literal "func" @word)]
  @scope.return @wall.break @wall.continue
(return_statement "return" @jump.return)

(if_statement "if" @jump.branch) @scope.branch
(if_statement alternative: (if_statement) @inner.branch)
