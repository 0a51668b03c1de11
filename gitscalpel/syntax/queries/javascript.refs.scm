; inherits: ecma.refs

(class_declaration name: (identifier) @bind.class)
(class name: (identifier) @bind.self)
(field_definition property: (private_property_identifier) @bind.private)
(private_property_identifier) @use.private
((field_definition "static" property: (property_identifier) @bind.static) @_in (#has-parent? @_in class_body))
((field_definition property: (property_identifier) @bind.member) @_in (#has-parent? @_in class_body))
((field_definition property: (string (string_fragment) @bind.member)) @_in (#has-parent? @_in class_body))
((field_definition
  property: (computed_property_name [(string (string_fragment) @bind.member) (template_string . (string_fragment) @bind.member .)])) @_in
  (#has-parent? @_in class_body))
(formal_parameters
  [(identifier) (object_pattern) (array_pattern) (assignment_pattern) (rest_pattern)] @binding.parameter)
(formal_parameters (identifier) @bind)

; Elements.
(jsx_opening_element name: (identifier) @keyword (#match? @keyword "^[a-z]"))
(jsx_closing_element name: (identifier) @keyword (#match? @keyword "^[a-z]"))
(jsx_self_closing_element name: (identifier) @keyword (#match? @keyword "^[a-z]"))
(jsx_attribute (property_identifier) @keyword)
(jsx_text) @string

; The word itself, where TypeScript's grammar has an identifier.
(export_specifier alias: "default" @bind.export)
(import_specifier name: "default" @imported)
(export_statement (export_clause (export_specifier name: "default" @imported)) source: (_))
