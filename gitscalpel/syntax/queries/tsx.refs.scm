; inherits: typescript.refs

; Elements.
(jsx_opening_element name: (identifier) @keyword (#match? @keyword "^[a-z]"))
(jsx_closing_element name: (identifier) @keyword (#match? @keyword "^[a-z]"))
(jsx_self_closing_element name: (identifier) @keyword (#match? @keyword "^[a-z]"))
(jsx_attribute (property_identifier) @keyword)
(jsx_text) @string
