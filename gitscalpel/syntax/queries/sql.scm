; What a definition is in SQL. The captures are explained in syntax/query.py.
; The grammar is shown every definition as a table or a type; see syntax/statements.py.

(create_table (object_reference schema: (_)? @owner name: (_) @name)
  (column_definitions) @body) @definition.table
(create_type (object_reference schema: (_)? @owner name: (_) @name)
  (enum_elements) @body) @definition.enum
(create_type (keyword_type) @kind (object_reference schema: (_)? @owner name: (_) @name)
  (column_definitions)? @body) @definition.type
(column_definition) @definition.field
(enum_elements enum_element: (_) @name @definition.member)

[(column_definitions) (enum_elements)] @block
(statement) @whole

[(comment) (marginalia)] @comment
(literal) @string
; Routines, whose names may be shared, are shown with a word of their own.
((keyword_type) @shared (#eq? @shared "tYPE"))
