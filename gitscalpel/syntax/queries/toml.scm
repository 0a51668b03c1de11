; What the keys and tables of TOML are. The captures are explained in syntax/query.py.

(pair . (_) @name "=" (_) @value) @definition.key
(table . "[" . (_) @name) @definition.table @body
(table_array_element . "[[" . (_) @name) @definition.item @body
(array [(string) (integer) (float) (boolean) (local_date) (local_time) (local_date_time) (offset_date_time)]
  @definition.item @name @value)
(array [(array) (inline_table)] @definition.item @name @body)
(array (_) @unnamed @shared)

[(bare_key) (quoted_key)] @literal
(dotted_key) @dotted

; A table goes on behind its header; its first pair is where its content begins.
(table (pair) @rest)
(table_array_element (pair) @rest)
(table_array_element) @shared
(table . "[" . (_) @label)
(table_array_element . "[[" . (_) @label)
[(table) (table_array_element) (array) (inline_table)] @block

(comment) @comment
(string) @string
