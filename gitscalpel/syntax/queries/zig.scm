; What a definition is in Zig. The captures are explained in syntax/query.py.

(_ (FnProto function: (_) @name) (Block)? @body) @definition.function
(VarDecl "var" variable_type_function: (_) @name ("=" . (_) @value)?) @definition.variable
(VarDecl variable_type_function: (_) @name ("=" . (_) @value)?) @definition.constant
(ContainerField field_member: (_) @name ("=" . (_) @value)?) @definition.field
(ContainerDecl . (_) @_sort
  (ContainerField . (doc_comment)? . (ErrorUnionExpr) @name ("=" . (_) @value)?) @definition.member
  (#match? @_sort "^(enum|union)"))
(ErrorSetDecl (IDENTIFIER) @definition.member @name)
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @definition.test
(TestDecl "test" @name . (IDENTIFIER) @name (Block) @body) @definition.test
(TestDecl "test" @name . (Block) @body) @definition.test

; What a name can be bound to.
((ContainerDecl . (_) @_sort) @definition.struct (#match? @_sort "^struct"))
((ContainerDecl . (_) @_sort) @definition.enum (#match? @_sort "^enum"))
((ContainerDecl . (_) @_sort) @definition.union (#match? @_sort "^union"))
((ContainerDecl . (_) @_sort) @definition.type (#match? @_sort "^opaque"))
(ErrorSetDecl) @definition.enum

[(Decl) (Statement)] @whole
"pub" @head
(Block) @local
(ContainerDecl) @class
[(ContainerDecl) (ErrorSetDecl) (Block)] @block

[(line_comment) (doc_comment)] @comment
[(STRINGLITERALSINGLE) (container_doc_comment)] @string
(container_doc_comment) @doc
(TestDecl) @shared
