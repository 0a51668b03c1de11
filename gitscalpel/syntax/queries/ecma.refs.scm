; What names stand for in JavaScript and TypeScript. The captures are explained in syntax/mentions.py.

(program) @scope.module
(class_body) @scope.class
[(class_declaration) (class)] @scope.generic
[
  (function_declaration) (generator_function_declaration) (function_expression) (generator_function)
  (arrow_function) (method_definition) (class_static_block)
] @scope.function
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @scope.block
(labeled_statement) @scope.label
(with_statement body: (_) @scope.with)

; What is looked up around a scope, though it stands in its node.
(function_declaration name: (_) @outside)
(generator_function_declaration name: (_) @outside)
(class_declaration name: (_) @outside)
((method_definition name: (computed_property_name (_) @_said) @outside) (#not-match? @_said "^[\"'`]"))
(for_in_statement right: (_) @outside)

; Nodes whose patterns bind names of a kind.
(variable_declaration (variable_declarator name: (_) @binding.var))
(lexical_declaration (variable_declarator name: (_) @binding.variable))
(for_in_statement kind: "var" left: (_) @binding.var)
(for_in_statement kind: ["let" "const"] left: (_) @binding.variable)
(catch_clause parameter: (_) @binding.variable)
(arrow_function parameter: (identifier) @binding.parameter)
(variable_declarator name: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(arrow_function parameter: (identifier) @bind)
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(pair_pattern value: (identifier) @bind)
(assignment_pattern left: (identifier) @bind)
(shorthand_property_identifier_pattern) @bind
(shorthand_property_identifier_pattern) @key
(shorthand_property_identifier) @key

; Other names.
(function_declaration name: (identifier) @bind.function)
(generator_function_declaration name: (identifier) @bind.function)
(function_expression name: (identifier) @bind.function)
(generator_function name: (identifier) @bind.function)
(labeled_statement label: (statement_identifier) @bind.label)
(break_statement label: (statement_identifier) @use.label)
(continue_statement label: (statement_identifier) @use.label)
(shorthand_property_identifier) @use.value

; Private names: of the innermost class around that declares them.
(method_definition name: (private_property_identifier) @bind.private)

; Members; what the class itself has may be called like what its objects have.
((method_definition "static" name: (property_identifier) @bind.static) @_in (#has-parent? @_in class_body))
((method_definition name: (property_identifier) @bind.member) @_in (#has-parent? @_in class_body))
((method_definition name: (string (string_fragment) @bind.member)) @_in (#has-parent? @_in class_body))
((method_definition
  name: (computed_property_name [(string (string_fragment) @bind.member) (template_string . (string_fragment) @bind.member .)])) @_in
  (#has-parent? @_in class_body))
(method_definition name: (property_identifier) @member)
(method_definition name: (string (string_fragment) @member))
(pair key: (property_identifier) @member)
(pair key: (string (string_fragment) @member))
(pair_pattern key: (property_identifier) @member)
(pair_pattern key: (string (string_fragment) @member))
(member_expression property: (property_identifier) @member)
(subscript_expression index: (string (string_fragment) @member))
(subscript_expression index: (template_string . (string_fragment) @member .))
([(pair key: (computed_property_name [(string (string_fragment) @member) (template_string . (string_fragment) @member .)]))
  (pair_pattern key: (computed_property_name
    [(string (string_fragment) @member) (template_string . (string_fragment) @member .)]))
  (method_definition name: (computed_property_name
    [(string (string_fragment) @member) (template_string . (string_fragment) @member .)]))])
((call_expression
    function: (member_expression object: (identifier) @_of property: (property_identifier) @_does)
    arguments: (arguments . (_) . [(string (string_fragment) @member) (template_string . (string_fragment) @member .)]))
  (#any-of? @_of "Object" "Reflect")
  (#any-of? @_does "defineProperty" "getOwnPropertyDescriptor" "hasOwn" "has" "get" "set" "deleteProperty"))

; Names that other files define.
(import_specifier alias: (identifier) @bind.import)
(import_specifier name: (identifier) @imported alias: _)
(import_specifier name: (identifier) @bind.import)
(import_clause (identifier) @bind.import)
(namespace_import (identifier) @bind.import)
(namespace_export (identifier) @bind.export)
(export_statement
  (export_clause (export_specifier name: _ @_its alias: (identifier) @bind.passed))
  source: (_) (#eq? @_its "default"))
(export_specifier alias: (identifier) @bind.export)
(export_statement (export_clause (export_specifier name: (identifier) @imported alias: _)) source: (_))
(export_specifier name: (identifier) @use.any alias: _)
(export_specifier name: (identifier) @bind.export)
(export_specifier name: (identifier) @key !alias)

(comment) @comment
[(string) (template_string) (regex)] @string
