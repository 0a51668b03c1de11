; What the elements of HTML are. The captures are explained in syntax/query.py.

(element . (start_tag (tag_name) @name) (end_tag)) @definition.element @body
(element . (_ (tag_name) @name)) @definition.element
(script_element . (start_tag (tag_name) @name)) @definition.element
(style_element . (start_tag (tag_name) @name)) @definition.element
(tag_name) @literal

((attribute (attribute_name) @_name (attribute_value) @anchor) (#any-of? @_name "id" "ID"))
((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @anchor))
  (#any-of? @_name "id" "ID"))

; An element goes on behind its tag.
(element . (start_tag) . (_) @rest)
(script_element . (start_tag) . (_) @rest)
(style_element . (start_tag) . (_) @rest)
[(start_tag) (end_tag)] @label
(text) @filler
[(element) (script_element) (style_element)] @shared
(element) @block

(comment) @comment

; White space in these is content, as it is in strings.
((element (start_tag (tag_name) @_tag)) @string (#match? @_tag "^(pre|textarea)$"))

; What stays first.
(doctype) @first
