"""Modules that run before a definition moves still run after the move, or the failure is reported."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.edit.editing import dedent_block
from tests.names.marked_files import split_files
from tests.names.test_move_runs import write_files
from tests.names.test_rename import apply_operations

RUN = {
    "a function may be used before": """
        // a.mjs
        export function F() { return 1; }
        // b.mjs
        import { F } from "./a.mjs";
        export const x = F();
    """,
    "a class is used later": """
        // a.mjs
        export class F {}
        // b.mjs
        import { F } from "./a.mjs";
        export function make() { return new F(); }
        export class G { own = new F(); m() { return F; } }
        export const late = () => F;
    """,
    "a circle of what is used later": """
        // a.mjs
        export const own = 1;
        export function F() { return own; }
        export const late = () => F();
        // b.mjs
        export const other = 2;
    """,
    "a circle in which a function is called that needs nothing": """
        // a.mjs
        export function own() { return 1; }
        export function F() { return own(); }
        export const x = F();
        // b.mjs
        export const y = 2;
    """,
    "a circle of which others import what is used at once": """
        // a.mjs
        export const own = 1;
        export const F = () => own;
        export const late = () => F;
        // b.mjs
        // c.mjs
        import * as a from "./a.mjs";
        export class G { static f = a.F; }
    """,
    "a function beside what module.exports says": """
        // a.js
        function F() { return 1; }
        const g = () => F();
        exports.g = g;
        g();
        // b.js
        const h = 1;
        module.exports = { h };
    """,
}
EARLY = {
    "a class is made an object of": (
        """
        // a.mjs
        export class F {}
        // b.mjs
        import { F } from "./a.mjs";
        export const x = new F();
        """,
        ["b.mjs:1: F does not exist yet when this runs"],
    ),
    "a class is inherited from, in a static field, by a key, in a block, by a call": (
        """
        // a.mjs
        export class F {}
        // b.mjs
        import { F } from "./a.mjs";
        function make() { return within(); }
        const within = () => new F();
        class G extends F {}
        class H { static f = F; }
        class I { [F]() {} }
        class J { static { F; } }
        (function () { F; })();
        class K { constructor() { this.f = F; } }
        new K();
        make();
        """,
        [f"b.mjs:{n}: F does not exist yet when this runs" for n in (3, 4, 5, 6, 7, 9, 10)],
    ),
    "a circle in which a class inherits": (
        """
        // a.mjs
        export class Base {}
        export class F extends Base {}
        export const late = () => F;
        // b.mjs
        export const other = 2;
        """,
        [
            "a.mjs and b.mjs now import each other",
            "b.mjs:5: Base may not exist yet when this runs",
        ],
    ),
    "a circle in which a function is called that needs a constant": (
        """
        // a.mjs
        export const own = 1;
        export function g() { return own; }
        export const F = g();
        export const late = () => F;
        // b.mjs
        """,
        [
            "a.mjs and b.mjs now import each other",
            "b.mjs:3: g may not exist yet when this runs",
        ],
    ),
    "a circle through a third": (
        """
        // a.mjs
        import { Base } from "./c.mjs";
        export class F extends Base {}
        // b.mjs
        export const y = 1;
        // c.mjs
        import { w } from "./d.mjs";
        export class Base {}
        export const z = () => w;
        // d.mjs
        import { y } from "./b.mjs";
        export const w = () => y;
        """,
        [
            "b.mjs and c.mjs now import each other through d.mjs",
            "b.mjs:5: Base may not exist yet when this runs",
        ],
    ),
    "a circle in which it is reached through its module": (
        """
        // a.mjs
        export const own = 1;
        export function F() { return 2; }
        export const late = () => F();
        // b.mjs
        import * as a from "./a.mjs";
        export class G { static f = a.own; }
        export const later = () => a.own;
        """,
        [
            "a.mjs and b.mjs now import each other",
            "b.mjs:2: a.own may not exist yet when this runs",
        ],
    ),
    "a circle that there was": (
        """
        // a.mjs
        import { late } from "./b.mjs";
        export class F {}
        export class G extends F {}
        export const later = () => late;
        // b.mjs
        import { later } from "./a.mjs";
        export const late = () => later;
        """,
        ["a.mjs:2: F may not exist yet when this runs"],
    ),
}


TYPED = {
    "decorators, enums and what is worth a type": (
        """
        // a.ts
        export class F {}
        // b.ts
        import { F } from "./a";
        declare class B extends F {}
        interface C extends F {}
        let x: typeof F;
        class D implements F { @dec(F) x: F = f(F); m(@dec(F) x: F) { F; } }
        enum E { a = F.x }
        """,
        [f"b.ts:{n}: F does not exist yet when this runs" for n in (4, 5)],
    ),
    "a type": (
        """
        // a.ts
        export interface F {}
        export const x: F = 1;
        // b.ts
        import { F } from "./a";
        let y: F = f<F>();
        """,
        [],
    ),
    "a circle of types": (
        """
        // a.ts
        export class Own {}
        export class F { own: Own }
        export class G extends F {}
        // b.ts
        """,
        [],
    ),
}


def move_and_write(before: str, root: Path) -> list[str]:
    """Move ``F`` from the first file to the second, write both states, and return the notes on order."""
    source, target, *_ = split_files(dedent_block(before))
    outcome = apply_operations(
        dedent_block(before), {"op": "move", "path": source, "symbol": "F", "to_path": target}
    )
    write_files(None, dedent_block(before), root / "before")
    write_files(outcome, dedent_block(before), root / "after")
    return [each for each in outcome.unchecked if "yet" in each or "import each other" in each]


def all_run(root: Path) -> bool:
    """Return True if each file runs when loaded first."""
    runs = [subprocess.run(["node", each], capture_output=True, check=False) for each in root.iterdir()]
    return all(each.returncode == 0 for each in runs)


@pytest.mark.parametrize("before", RUN.values(), ids=RUN)
def test_modules_run_after_the_move(before: str, tmp_path: Path) -> None:
    notes = move_and_write(before, tmp_path)
    assert [each for each in notes if "yet" in each] == []
    if shutil.which("node"):
        assert all_run(tmp_path / "before")
        assert all_run(tmp_path / "after")


@pytest.mark.parametrize(("before", "expected"), EARLY.values(), ids=EARLY)
def test_use_before_definition_is_reported(before: str, expected: list[str], tmp_path: Path) -> None:
    assert move_and_write(before, tmp_path) == expected
    if shutil.which("node"):
        assert all_run(tmp_path / "before")
        assert not all_run(tmp_path / "after")


@pytest.mark.parametrize(("before", "expected"), TYPED.values(), ids=TYPED)
def test_type_positions_do_not_run(before: str, expected: list[str], tmp_path: Path) -> None:
    assert move_and_write(before, tmp_path) == expected
