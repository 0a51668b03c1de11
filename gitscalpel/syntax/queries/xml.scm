; What the elements of XML are. The captures are explained in syntax/query.py.

(element . (STag (Name) @name) (ETag)) @definition.element @body
(element . (EmptyElemTag (Name) @name)) @definition.element
(Name) @literal

((Attribute (Name) @_name (AttValue) @anchor) (#any-of? @_name "id" "Id" "ID" "xml:id"))

; An element goes on behind its tag; what stands in it has a node of its own.
(element . (STag) @header)
[(STag) (ETag)] @label
(CharData) @filler
(element) @shared
[(element) (content)] @block

(Comment) @comment

; What stays first.
(prolog) @first
