; What the words that steer belong to in Rust. The captures are explained in syntax/flow.py.

[(for_expression "for" @word) (while_expression "while" @word) (loop_expression "loop" @word)] @scope.loop
(loop_expression (label (identifier) @label)) @scope.loop
(while_expression (label (identifier) @label)) @scope.loop
(for_expression (label (identifier) @label)) @scope.loop
(block (label (identifier) @label)) @scope.labelled
(break_expression "break" @jump.loop)
(break_expression "break" @jump.loop (label (identifier) @to))
(continue_expression "continue" @jump.loop)
(continue_expression "continue" @jump.loop (label (identifier) @to))
[(function_item) (closure_expression) (async_block)] @wall.loop

(function_item "fn" @word) @scope.body
(async_block "async" @word) @scope.body
(closure_expression) @scope.body
(return_expression "return" @jump.body)
(try_expression "?" @jump.body)

(function_item (function_modifiers "async" @word)) @scope.waiting
(async_block "async" @word) @scope.waiting
(closure_expression "async" @word) @scope.waiting
(await_expression "await" @jump.waiting)
[(function_item) (closure_expression)] @wall.waiting

(if_expression "if" @jump.branch) @scope.branch
(else_clause (if_expression) @inner.branch)
(match_expression "match" @word) @scope.match

(token_tree ["break" "continue"] @maybe.loop)
(token_tree "return" @maybe.body)
(token_tree "await" @maybe.waiting)
