; What the headings of Markdown are. The captures are explained in syntax/query.py.

((atx_heading (atx_h1_marker) heading_content: (_) @name) @definition.section (#set! level "1"))
((atx_heading (atx_h2_marker) heading_content: (_) @name) @definition.section (#set! level "2"))
((atx_heading (atx_h3_marker) heading_content: (_) @name) @definition.section (#set! level "3"))
((atx_heading (atx_h4_marker) heading_content: (_) @name) @definition.section (#set! level "4"))
((atx_heading (atx_h5_marker) heading_content: (_) @name) @definition.section (#set! level "5"))
((atx_heading (atx_h6_marker) heading_content: (_) @name) @definition.section (#set! level "6"))
((setext_heading heading_content: (_) @name (setext_h1_underline)) @definition.section (#set! level "1"))
((setext_heading heading_content: (_) @name (setext_h2_underline)) @definition.section (#set! level "2"))

[(atx_heading) (setext_heading)] @shared
(atx_heading heading_content: (_) @literal)
(setext_heading heading_content: (_) @literal)
(atx_heading heading_content: (inline "#" @rest .))

; What is quoted or listed is no section.
[(block_quote) (list_item)] @aside

; A heading without words.
((atx_heading (atx_h1_marker) @name .) @definition.section (#set! level "1"))
((atx_heading (atx_h2_marker) @name .) @definition.section (#set! level "2"))
((atx_heading (atx_h3_marker) @name .) @definition.section (#set! level "3"))
((atx_heading (atx_h4_marker) @name .) @definition.section (#set! level "4"))
((atx_heading (atx_h5_marker) @name .) @definition.section (#set! level "5"))
((atx_heading (atx_h6_marker) @name .) @definition.section (#set! level "6"))

; What stays first.
[(minus_metadata) (plus_metadata)] @first
