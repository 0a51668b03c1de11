; What the rules and properties of style sheets are, as the grammar is shown them: see syntax/hidden/css.py.
; The captures are explained in syntax/query.py.

(rule_set (selectors) @name (block) @body) @definition.rule
(declaration (property_name) @name . (integer_value) @value) @definition.property
[(selectors) (property_name)] @literal
[(rule_set) (declaration)] @shared
(block) @block

[(comment) (js_comment)] @comment

; What stays first.
(stylesheet (declaration) @early)
