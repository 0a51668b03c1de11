"""What is newer than the grammar of Zig, as patterns of what to hide; see ``masking``.

What is left must read as something near: an assignment to several names as one
to the first of them, a labelled ``switch`` as one without a label.
"""

from __future__ import annotations

_TYPE = rb"(?:[^=;\n,(){}]|\([^()\n]*\)|\{[^{}\n]*\})*"
_TARGET = rb"(?:(?:const|var)[ \t]+)?[\w.@\"\[\]*]+(?:[ \t]*:" + _TYPE + rb")?"

HIDDEN = (
    # const a, var b: T = f(); and a, const b = f();
    rb"^[ \t]*(?:comptime[ \t]+)?(?:const|var)[ \t]+\w+(?:[ \t]*:[^=;\n]{0,200}?)?(?P<others>(?:,\s*"
    + _TARGET
    + rb"){1,12})(?=[ \t]*=[^=>])",
    rb"^[ \t]*[\w.@\"\[\]*]+(?P<others>(?:,[ \t]*"
    + _TARGET
    + rb"){1,12})(?=[ \t]*=[^=>](?:[^\n{}]|\{[^\n{}]*\})*(?:\{|[^\s,{}])\r?$)",
    # value: switch (x) {, and as a statement, where something goes on with it.
    rb"(?:=>?|\||\b(?:return|catch|orelse|else))\s*(?P<label>[A-Za-z_]\w*[ \t]*:)(?=\s*switch\b)",
    rb"^[ \t]*(?P<label>([A-Za-z_]\w*)[ \t]*:)(?=[ \t]*switch\b[\s\S]{0,4000}?\bcontinue[ \t]+:\2\b)",
    # continue :state value
    rb"(?P<resume>\bcontinue[ \t]+:\w+)(?=[ \t]+(?!else\b)[^\s;,})|])",
    # What are names now, or were never anything else where they stand: x.async(), async: bool, type: {
    rb"(?:^[ \t]*|\.|\bfn[ \t]+)(?P<as_78_name>async|await)(?=[ \t]*[(:=,;})\]]|[ \t]*\.)",
    rb"[=)]\s*(?P<as_78_label>type)(?=[ \t]*:[ \t]*\{)",
    rb"\b(?:break|continue)[ \t]+:(?P<as_78_label>type)\b",
    # asm ("" ::: .{ .memory = true })
    rb":\s*(?P<clobbers>\.\{[^{}]*\})(?=\s*\))",
)
