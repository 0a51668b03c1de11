"""Names in texts with an unclosed construct, where the scope of the rest is uncertain."""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

UNCLOSED = {
    "a class: what follows is read as its methods": """
        // a.ts
        const «a» = 1;
        function use(a) { return a }
        class C {
          m() {
            go();
          }

        use(¿a?);
        if (¿a?) { ¿a?() }
        other(«a» + 1);
    """,
    "a class: what is called is read as a method": """
        // a.js
        export function «use»() {}
        class C {
          m() { «use»(); }

        ¿use?() { }
        // b.js
        import { «use» } from "./a.js";
        class C { use() { «use»() } }
    """,
    "a function": """
        // a.js
        let «a» = 1;
        function f(b) {
          if (b) {
            var ¿a? = 1;
          }
          go(¿a?);
    """,
    "nothing around it has the name": """
        // a.js
        class C {
          m(«a») { return «a» }
    """,
}


@pytest.mark.parametrize("text", UNCLOSED.values(), ids=UNCLOSED)
def test_names_after_an_unclosed_construct(text: str) -> None:
    assert_marked(text)
