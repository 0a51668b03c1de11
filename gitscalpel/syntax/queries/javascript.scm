; inherits: ecma

(field_definition property: (_) @name) @definition.field
