; What a definition is in Elixir: a call of a macro. The captures are explained in syntax/query.py.

(call target: (identifier) @_def (arguments . (_) @name) (do_block) @body
  (#eq? @_def "defmodule")) @definition.module
(call target: (identifier) @_def (arguments . (_) @name) (do_block) @body
  (#eq? @_def "defprotocol")) @definition.protocol
(call target: (identifier) @_def (arguments . (_) @owner (keywords (pair value: (_) @name))) (do_block) @body
  (#eq? @_def "defimpl")) @definition.impl
(call target: (identifier) @_def (arguments . (_) @name .) (do_block) @body
  (#eq? @_def "defimpl")) @definition.impl
(call target: (identifier) @name (arguments . (_) @value)
  (#any-of? @name "defstruct" "defexception")) @definition.struct
(call target: (identifier) @_def
  (arguments . [(call) (identifier) (binary_operator "when")] @name (keywords (pair value: (_) @value) .)?)
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp")) @definition.function
(call target: (identifier) @_def
  (arguments . [(call) (identifier) (binary_operator "when")] @name (keywords (pair value: (_) @value) .)?)
  (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp")) @definition.macro
(call target: (identifier) @_def
  (arguments . [(binary_operator operator: _ @name) (unary_operator operator: _ @name)]
    (keywords (pair value: (_) @value) .)?)
  (do_block)? @body
  (#match? @_def "^def(macro)?p?$") (#not-eq? @name "when")) @definition.function
(call target: (identifier) @_test (arguments . (string) @name (keywords (pair value: (_) @value) .)?)
  (do_block)? @body
  (#any-of? @_test "test" "property")) @definition.test
(call target: (identifier) @_describe (arguments . (string) @name) (do_block) @body
  (#eq? @_describe "describe")) @definition.describe

; Attributes: types, callbacks, constants of a module, and what is said of the definition below.
(unary_operator "@" operand: (call target: (identifier) @_is
  (arguments . (binary_operator left: (_) @name operator: "::" right: (_) @value)))
  (#any-of? @_is "type" "typep" "opaque")) @definition.type
(unary_operator "@" operand: (call target: (identifier) @_is
  (arguments . (binary_operator left: (_) @name operator: "::" right: (_) @value)))
  (#any-of? @_is "callback" "macrocallback")) @definition.function
(unary_operator "@" @name operand: (call target: (identifier) @name @_is (arguments . (_) @value))
  (#not-match? @_is "^((after|before)_(compile|verify)|behaviour|compile|deprecated|derive|dialyzer|doc)$")
  (#not-match? @_is "^(enforce_keys|external_resource|impl|(macro)?callback|moduledoc|on_load|opaque)$")
  (#not-match? @_is "^(on_definition|optional_callbacks|since|spec|(module|describe)?tag|type(doc|p)?)$")) @definition.constant
((unary_operator "@" operand: (call target: (identifier) @_is)) @decorator
  (#any-of? @_is "deprecated" "dialyzer" "doc" "impl" "since" "spec" "tag" "typedoc"))

; Around a name: its arguments and its guard.
[(call) (binary_operator "when")] @declarator
((call target: (identifier) @misread) (#eq? @misread "unquote"))
(unary_operator operand: (call target: (identifier) @_is) @announces
  (#any-of? @_is "callback" "macrocallback"))

[(anonymous_function) (stab_clause)] @local
(do_block) @block
[(rescue_block) (catch_block) (else_block) (after_block)] @tail

(comment) @comment
((unary_operator operand: (call target: (identifier) @_is)) @string @doc (#eq? @_is "moduledoc"))
([(string) (charlist) (sigil) (quoted_atom) (quoted_keyword)] @string
  (#not-match? @string "^(~[A-Za-z]+)?(\"\"\"|''')"))
((call target: (identifier) @_def) @shared
  (#any-of? @_def "def" "defp" "defdelegate" "defimpl" "defmacro" "defmacrop" "defn" "defnp" "defguard"))
(unary_operator "@") @shared
