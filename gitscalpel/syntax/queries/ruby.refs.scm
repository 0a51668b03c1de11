; What names stand for in Ruby. The captures are explained in syntax/mentions.py.

(program) @scope.module
[(class) (module)] @scope.class
[(method) (singleton_method)] @scope.function
[(block) (do_block) (lambda)] @scope.block

(class name: (_) @outside)
(class superclass: (_) @outside)
(module name: (_) @outside)
(method name: (_) @outside)
(singleton_method name: (_) @outside)
(singleton_method object: (_) @outside)

; What binds a name.
(class name: (constant) @bind.constant)
(class name: (scope_resolution name: (constant) @bind.constant))
(module name: (constant) @bind.constant)
(module name: (scope_resolution name: (constant) @bind.constant))
(assignment left: (constant) @bind.constant)
(singleton_class (body_statement (method name: (identifier) @bind.static)))
(singleton_class (body_statement (method name: (setter (identifier) @bind.static))))
(singleton_method object: (self) name: (identifier) @bind.static)
(singleton_method name: (identifier) @use.unknown)
(method name: (identifier) @bind.method)
(method name: (setter (identifier) @bind.method))
(alias name: (identifier) @bind.method)
(alias alias: (identifier) @use.own)
(undef (identifier) @use.own)
(call !receiver method: (identifier) @attribute (#any-of? @attribute "attr_accessor" "attr_reader" "attr_writer")
  arguments: (argument_list (simple_symbol) @bind.attribute @signed))
(call !receiver method: (identifier) @access (#any-of? @access "private" "public" "protected")
  arguments: (argument_list (simple_symbol) @use.own @signed))
(instance_variable) @bind.instance
(instance_variable) @signed
(class_variable) @bind.shared
(class_variable) @signed
(global_variable) @bind.global
(global_variable) @signed
(simple_symbol) @use.symbol
(simple_symbol) @signed

(method_parameters (identifier) @bind.parameter)
(lambda_parameters (identifier) @bind.parameter)
(block_parameters (identifier) @bind.parameter)
(destructured_parameter (identifier) @bind.parameter)
(optional_parameter name: (identifier) @bind.parameter)
(keyword_parameter name: (identifier) @bind.parameter)
(splat_parameter name: (identifier) @bind.parameter)
(hash_splat_parameter name: (identifier) @bind.parameter)
(block_parameter name: (identifier) @bind.parameter)
(assignment left: (identifier) @bind.local)
(operator_assignment left: (identifier) @bind.local)
(left_assignment_list (identifier) @bind.local)
(destructured_left_assignment (identifier) @bind.local)
(rest_assignment (identifier) @bind.local)
(for pattern: (identifier) @bind.local)
(exception_variable (identifier) @bind.local)
(keyword_pattern value: (identifier) @bind.local)
(array_pattern (identifier) @bind.local)
(as_pattern name: (identifier) @bind.local)

; What is looked up in something.
(call receiver: (_) method: (identifier) @member.call)
(call receiver: (_) method: (constant) @member.call)
(call !receiver method: (identifier) @use.method)
(scope_resolution scope: (_) name: (constant) @member.constant)
(scope_resolution name: (constant) @use.constant)
(argument_list (pair key: (hash_key_symbol) @keyword value: (_)))
(pair key: (hash_key_symbol) @keyword)
(keyword_pattern key: (hash_key_symbol) @label value: (_))
(keyword_pattern key: (hash_key_symbol) @keyword)

(constant) @use.constant
(identifier) @use.value

(comment) @comment
[(string) (heredoc_body) (string_array) (symbol_array) (regex)] @string
(string_content) @string
