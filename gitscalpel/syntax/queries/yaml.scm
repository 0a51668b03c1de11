; What the keys and items of YAML are. The captures are explained in syntax/query.py.

(block_mapping_pair key: (_) @name value: (block_node [(block_mapping) (block_sequence)] @body)) @definition.key
(block_mapping_pair key: (_) @name value: (flow_node [(flow_mapping) (flow_sequence)] @body)) @definition.key
(block_mapping_pair key: (_) @name value: (_) @value) @definition.key
(block_mapping_pair key: (_) @name) @definition.key
(flow_pair key: (_) @name value: (flow_node [(flow_mapping) (flow_sequence)] @body)) @definition.key
(flow_pair key: (_) @name value: (_) @value) @definition.key
(flow_pair key: (_) @name) @definition.key
(block_mapping_pair key: (_) @literal)
(flow_pair key: (_) @literal)

(block_sequence_item (block_node [(block_mapping) (block_sequence)] @body)) @definition.item @name
(block_sequence_item (flow_node [(flow_mapping) (flow_sequence)] @body)) @definition.item @name
(block_sequence_item) @definition.item @name
(flow_sequence (flow_node [(flow_mapping) (flow_sequence)] @body) @definition.item @name)
(flow_sequence (flow_node) @definition.item @name)
(block_sequence_item) @unnamed @shared
(flow_sequence (flow_node) @unnamed @shared)

; Documents of one file may have the same keys.
(stream (document) (document (block_node (block_mapping (block_mapping_pair) @shared))))

[(block_mapping) (block_sequence) (flow_mapping) (flow_sequence)] @block

(comment) @comment
(block_scalar) @keeps
