; What the elements of HTML are. The captures are explained in syntax/query.py.

(element . (start_tag (tag_name) @name) (end_tag)) @definition.element @body
(element . (_ (tag_name) @name)) @definition.element
(script_element . (start_tag (tag_name) @name)) @definition.element
(style_element . (start_tag (tag_name) @name)) @definition.element
(tag_name) @literal

((attribute (attribute_name) @_name (attribute_value) @anchor) (#any-of? @_name "id" "ID"))
((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @anchor))
  (#any-of? @_name "id" "ID"))

; An element goes on behind its tag, also with what no node is of (the code of a template).
(element . (start_tag) @header)
(script_element . (start_tag) @header)
(style_element . (start_tag) @header)
; Those without content do not, though the grammar counts text behind them to them.
((element . (start_tag (tag_name) @_tag) @last)
  (#match? @_tag "^(?i:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$"))
[(start_tag) (end_tag)] @label
(text) @filler
[(element) (script_element) (style_element)] @shared
(element) @block

(comment) @comment

; White space in these is content, as it is in strings.
((element (start_tag (tag_name) @_tag)) @string (#match? @_tag "^(pre|textarea)$"))

; What stays first.
(doctype) @first
