; What names stand for in Python. The captures are explained in syntax/mentions.py.

(module) @scope.module @binding.variable
(class_definition) @scope.class
[(function_definition) (lambda)] @scope.function
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope.comprehension

; What is looked up around a scope, though it stands in its node.
(function_definition name: (identifier) @outside)
(class_definition name: (identifier) @outside)
(class_definition superclasses: (_) @outside)
(function_definition return_type: (_) @outside)
(default_parameter value: (_) @outside)
(typed_parameter type: (_) @outside)
(typed_default_parameter type: (_) @outside)
(typed_default_parameter value: (_) @outside)
(list_comprehension body: (_) . (for_in_clause right: (_) @outside))
(set_comprehension body: (_) . (for_in_clause right: (_) @outside))
(dictionary_comprehension body: (_) . (for_in_clause right: (_) @outside))
(generator_expression body: (_) . (for_in_clause right: (_) @outside))

; What binds a name.
(function_definition name: (identifier) @bind.function)
(class_definition name: (identifier) @bind.class)
(function_definition type_parameters: (type_parameter (type (identifier) @bind.early)))
(class_definition type_parameters: (type_parameter (type (identifier) @bind.early)))
(type_alias_statement left: (type (identifier) @bind.variable))
(type_alias_statement left: (type (generic_type . (identifier) @bind.variable)))
(parameters (identifier) @bind.parameter)
(lambda_parameters (identifier) @bind.parameter)
(default_parameter name: (identifier) @bind.parameter)
(typed_parameter . (identifier) @bind.parameter)
(typed_default_parameter name: (identifier) @bind.parameter)
(dictionary_splat_pattern (identifier) @bind.variable)
(list_splat_pattern (identifier) @bind)
(assignment left: (identifier) @bind.variable)
(augmented_assignment left: (identifier) @bind.variable)
(named_expression name: (identifier) @bind.variable)
(for_statement left: (identifier) @bind.variable)
(for_in_clause left: (identifier) @bind.target)
(for_in_clause left: (_) @binding.target)
(pattern_list (identifier) @bind)
(tuple_pattern (identifier) @bind)
(list_pattern (identifier) @bind)
(as_pattern_target (identifier) @bind.variable)
([(tuple (identifier) @bind.variable) (list (identifier) @bind.variable)
  (parenthesized_expression (identifier) @bind.variable)
  (tuple (tuple (identifier) @bind.variable))] @in
  (#has-parent? @in as_pattern_target))
(as_pattern (case_pattern) . (identifier) @bind.variable)
(case_pattern (dotted_name . (identifier) @bind.variable .))
(keyword_pattern (dotted_name . (identifier) @bind.variable .))
(splat_pattern (identifier) @bind.variable)
(delete_statement (identifier) @bind.variable)
(delete_statement (expression_list (identifier) @bind.variable))
(global_statement (identifier) @global)
(nonlocal_statement (identifier) @nonlocal)

; Names that other files define.
(import_from_statement name: (aliased_import alias: (identifier) @bind.import))
(import_from_statement name: (dotted_name . (identifier) @bind.import .))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @imported)))
(import_from_statement module_name: (dotted_name (identifier) @module))
(import_from_statement module_name: (relative_import (dotted_name (identifier) @module)))
(import_statement name: (aliased_import alias: (identifier) @bind.import))
(import_statement name: (aliased_import name: (dotted_name (identifier) @module)))
(import_statement name: (dotted_name . (identifier) @bind.import))
(import_statement name: (dotted_name (identifier) @module))

; Names that are looked up in something.
(attribute attribute: (identifier) @member)
(case_pattern (dotted_name (identifier) (identifier) @member))
(class_pattern (dotted_name (identifier) (identifier) @member))
(keyword_argument name: (identifier) @keyword)
(keyword_pattern . (identifier) @keyword)

(comment) @comment
(string) @string
