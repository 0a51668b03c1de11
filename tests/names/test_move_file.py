"""Moves of files with updates of their imports: files before and after."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from gitscalpel.changesets.operations import MovedFiles
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from tests.edit.editing import dedent_block
from tests.names.test_rename import apply_operations


def move_files(before: str, *pairs: tuple[str, str], also: tuple[dict[str, Any], ...] = ()) -> Outcome:
    """Return the outcome of moving files."""
    ops = [{"op": "move_file", "path": path, "to": to} for path, to in pairs]
    return apply_operations(before, *ops, *also)


def format_followers(outcome: Outcome) -> str:
    """Return the files that were updated, as one text."""
    paths = sorted({each.path for each in outcome.done if isinstance(each.op, MovedFiles)})
    return "".join(f"# {path}\n{(outcome.overlay.content(path) or b'').decode()}" for path in paths)


PYTHON = {
    "by its name": (
        [("old.py", "new.py")],
        """
        # a.py
        import old
        import old as o, os
        from old import f  # why
        def g():
            from old import h
            return old.f(old=o.f)
        # old.py
        def f(old=1): pass
        h = 1
        """,
        """
        # a.py
        import new
        import new as o, os
        from new import f  # why
        def g():
            from new import h
            return new.f(old=o.f)
        """,
    ),
    "into a package": (
        [("mod.py", "pkg/mod.py")],
        """
        # a.py
        import mod
        from mod import *
        print(mod.x)
        # mod.py
        x = 1
        # pkg/__init__.py
        """,
        """
        # a.py
        import pkg.mod
        from pkg.mod import *
        print(pkg.mod.x)
        """,
    ),
    "out of its package": (
        [("pkg/mod.py", "mod.py")],
        """
        # a.py
        from pkg import mod, other
        import pkg.mod
        print(mod.x, pkg.mod.x)
        # pkg/__init__.py
        # pkg/mod.py
        x = 1
        # pkg/other.py
        """,
        """
        # a.py
        import mod
        from pkg import other
        import mod
        print(mod.x, mod.x)
        """,
    ),
    "another name in the same package": (
        [("pkg/old.py", "pkg/new.py")],
        """
        # a.py
        from pkg import old
        import pkg as p
        print(old.x, p.old.x)
        # pkg/__init__.py
        from .old import x
        from . import old as kept
        # pkg/old.py
        x = 1
        # pkg/user.py
        from .old import x
        from . import old
        print(old.x)
        """,
        """
        # a.py
        from pkg import new
        import pkg as p
        print(new.x, p.new.x)
        # pkg/__init__.py
        from .new import x
        from . import new as kept
        # pkg/user.py
        from .new import x
        from . import new
        print(new.x)
        """,
    ),
    "the package itself, by its name and by dots alone": (
        [("pkg/__init__.py", "pkg/core.py")],
        """
        # a.py
        import pkg
        from pkg import below, f
        print(pkg.f)
        # pkg/__init__.py
        def f(): pass
        # pkg/below.py
        from . import f
        from . import f as g, other
        from . import other
        # pkg/other.py
        # pkg/sub/c.py
        from .. import f, other
        """,
        """
        # a.py
        import pkg.core
        from pkg import below
        from pkg.core import f
        print(pkg.core.f)
        # pkg/below.py
        from .core import f
        from . import other
        from .core import f as g
        from . import other
        # pkg/sub/c.py
        from .. import other
        from ..core import f
        """,
    ),
    "what it imports by its place": (
        [("pkg/sub/mod.py", "pkg/mod.py")],
        """
        # pkg/__init__.py
        # pkg/base.py
        x = y = 1
        # pkg/sub/__init__.py
        # pkg/sub/mod.py
        from ..base import x
        from .near import z
        from .. import base as b
        from . import near
        print(near.z)
        # pkg/sub/near.py
        z = 1
        """,
        """
        # pkg/mod.py
        from .base import x
        from .sub.near import z
        from . import base as b
        from .sub import near
        print(near.z)
        """,
    ),
    "a package with all that is in it": (
        [("pkg/__init__.py", "all/pkg/__init__.py"), ("pkg/mod.py", "all/pkg/mod.py")],
        """
        # a.py
        from pkg import mod
        import pkg.mod
        print(mod, pkg.mod.x)
        # pkg/__init__.py
        from . import mod
        # pkg/mod.py
        from pkg import x
        from .other import y
        # all/__init__.py
        """,
        """
        # a.py
        from all.pkg import mod
        import all.pkg.mod
        print(mod, all.pkg.mod.x)
        # all/pkg/mod.py
        from all.pkg import x
        from .other import y
        """,
    ),
    "below a folder of sources": (
        [("src/pkg/old.py", "src/pkg/new.py")],
        """
        # src/pkg/__init__.py
        # src/pkg/old.py
        x = 1
        # tests/test_it.py
        from pkg.old import x
        """,
        """
        # tests/test_it.py
        from pkg.new import x
        """,
    ),
    "two that change their names": (
        [("a.py", "t.py"), ("b.py", "a.py"), ("t.py", "b.py")],
        """
        # a.py
        x = 1
        # b.py
        y = 1
        # c.py
        from a import x
        from b import y
        """,
        """
        # c.py
        from b import x
        from a import y
        """,
    ),
}


@pytest.mark.parametrize(("pairs", "before", "after"), PYTHON.values(), ids=PYTHON)
def test_python_imports_follow(pairs: list[tuple[str, str]], before: str, after: str) -> None:
    assert format_followers(move_files(before, *pairs)) == dedent_block(after)


@pytest.mark.parametrize(
    ("path", "to"),
    [("__init__.py", "x.py"), (".x.py", "x.py"), (".x/__init__.py", "x/__init__.py")],
)
def test_module_without_importable_name_is_moved(path: str, to: str) -> None:
    outcome = move_files(f"# a.py\nfrom . import f\n# {path}\ndef f(): pass\n", (path, to))
    assert outcome.overlay.content(to) == b"def f(): pass\n"
    assert format_followers(outcome) == ("# a.py\nfrom x import f\n" if path == "__init__.py" else "")


JAVASCRIPT = {
    "by its path, as each says it": (
        [("src/old.ts", "src/new.ts")],
        """
        // a.ts
        import { x } from "./src/old";
        export * from './src/old.js';
        import y = require("./src/old");
        const z = require("./src/old"), l = import("./src/old");
        type T = import("./src/old").T;
        jest.mock("./src/old");
        define(["./src/old"], (old) => old);
        log("./src/old");
        /// <reference path="src/old.ts" />
        // src/old.ts
        export const x = 1;
        """,
        """
        # a.ts
        import { x } from "./src/new";
        export * from './src/new.js';
        import y = require("./src/new");
        const z = require("./src/new"), l = import("./src/new");
        type T = import("./src/new").T;
        jest.mock("./src/new");
        define(["./src/new"], (old) => old);
        log("./src/old");
        /// <reference path="./src/new.ts" />
        """,
    ),
    "to the index of its folder, and away": (
        [("lib/old.js", "lib/index.js"), ("src/index.js", "src/main.js")],
        """
        // a.js
        import o from "./lib/old";
        import i from "./src";
        // lib/old.js
        export default 1;
        // src/b.js
        import i from ".";
        // src/index.js
        export default 1;
        """,
        """
        # a.js
        import o from "./lib";
        import i from "./src/main";
        # src/b.js
        import i from "./main";
        """,
    ),
    "what it imports itself": (
        [("src/a.ts", "src/deep/a.ts")],
        """
        // src/a.ts
        import b from "./b";
        import text from "./text.json";
        import c from "./deep/c";
        import fs from "fs";
        // src/b.ts
        // src/deep/c.ts
        // src/text.json
        """,
        """
        # src/deep/a.ts
        import b from "../b";
        import text from "../text.json";
        import c from "./c";
        import fs from "fs";
        """,
    ),
    "by names that a configuration gives": (
        [("src/old/x.ts", "src/new/y.ts")],
        """
        // src/a.ts
        import x from "@/old/x";
        import { z } from "src/old/x";
        // src/old/x.ts
        // tsconfig.json
        {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}, "files": ["./src/old/x.ts"]}
        """,
        """
        # src/a.ts
        import x from "@/new/y";
        import { z } from "src/new/y";
        # tsconfig.json
        {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}, "files": ["./src/new/y.ts"]}
        """,
    ),
    "calls and comments that load": (
        [("src/w/job.ts", "src/w/task.ts")],
        """
        // src/a.ts
        const lazy = () => import(/* webpackChunkName: "job" */ "./w/job");
        new Worker(new URL("./w/job.ts", import.meta.url), { type: "module" });
        new Worker(/* it */ new URL("w/job.ts", import.meta.url));
        import raw from "./w/job.ts?raw";
        import last from "raw-loader!./w/job.ts?x!y";
        require.resolve("./w/job"), import.meta.resolve("./w/job.ts"), import(`./w/job`);
        vi.mock(import("./w/job"), () => 1);
        type T = typeof import("./w/job");
        export * from "./w/job"; export * as n from "./w/job";
        /** @type {import("./w/job").T} @import { T } from "./w/job" */
        /// <reference path="w/job.ts" />
        new URL("./w/job.ts", "https://example.org"), "./w/job".length;
        // src/w/job.ts
        """,
        """
        # src/a.ts
        const lazy = () => import(/* webpackChunkName: "job" */ "./w/task");
        new Worker(new URL("./w/task.ts", import.meta.url), { type: "module" });
        new Worker(/* it */ new URL("./w/task.ts", import.meta.url));
        import raw from "./w/task.ts?raw";
        import last from "raw-loader!./w/job.ts?x!y";
        require.resolve("./w/task"), import.meta.resolve("./w/task.ts"), import(`./w/task`);
        vi.mock(import("./w/task"), () => 1);
        type T = typeof import("./w/task");
        export * from "./w/task"; export * as n from "./w/task";
        /** @type {import("./w/task").T} @import { T } from "./w/task" */
        /// <reference path="./w/task.ts" />
        new URL("./w/job.ts", "https://example.org"), "./w/job".length;
        """,
    ),
    "what it loads itself": (
        [("src/a.js", "src/deep/a.js")],
        """
        // src/a.js
        import(/* one */ "./b.js");
        new URL("./b.js", import.meta.url);
        import t from "./t.html?raw";
        /** @type {import("./b.js").T} */
        // src/b.js
        // src/t.html
        """,
        """
        # src/deep/a.js
        import(/* one */ "../b.js");
        new URL("../b.js", import.meta.url);
        import t from "../t.html?raw";
        /** @type {import("../b.js").T} */
        """,
    ),
    "in components": (
        [("src/theme.ts", "src/look.ts"), ("src/A.vue", "src/deep/A.vue")],
        """
        // src/A.vue
        <script>import x from './theme'</script>
        <script setup lang="ts">
        import { t } from "./theme" // it's
        const B = defineAsyncComponent(() => import("./B.svelte"))
        </script>
        <template><p>it's {{ t }} import x from "./theme"</p></template>
        // src/B.svelte
        <script context="module">
        import { t } from "./theme.js";
        </script>
        <script type="text/template">import { t } from "./theme.js";</script>
        {t()}
        // src/c.astro
        ---
        import { t } from './theme';
        ---
        <p>don't</p><script>import './theme';</script>
        // src/d.html
        <script type="module">import "./theme.js";</script>
        // src/e.mdx
        import { t } from "./theme"
        export const u = t,
          v = () => import("./theme")

        Let's import { t } from "./theme"
        ```js
        import { t } from "./theme"
        ```
        // src/main.ts
        import A from "./A.vue";
        // src/theme.ts
        export const t = 1;
        """,
        """
        # src/B.svelte
        <script context="module">
        import { t } from "./look.js";
        </script>
        <script type="text/template">import { t } from "./theme.js";</script>
        {t()}
        # src/c.astro
        ---
        import { t } from './look';
        ---
        <p>don't</p><script>import './look';</script>
        # src/d.html
        <script type="module">import "./look.js";</script>
        # src/deep/A.vue
        <script>import x from '../look'</script>
        <script setup lang="ts">
        import { t } from "../look" // it's
        const B = defineAsyncComponent(() => import("../B.svelte"))
        </script>
        <template><p>it's {{ t }} import x from "./theme"</p></template>
        # src/e.mdx
        import { t } from "./look"
        export const u = t,
          v = () => import("./look")

        Let's import { t } from "./theme"
        ```js
        import { t } from "./theme"
        ```
        # src/main.ts
        import A from "./deep/A.vue";
        """,
    ),
    "by names that a package publishes": (
        [("lib/src/core/index.js", "lib/src/kernel/index.js"), ("lib/src/core/u.js", "lib/src/kernel/u.js")],
        """
        // app/a.js
        import { a } from "lib/core";
        import { b } from "lib/all/core/u";
        import { c } from "lib/dist/core/u";
        // lib/package.json
        {"name": "lib", "exports": {"./core": {"source": "./src/core/index.js",
          "default": "./dist/core/index.js"},
          "./all/*": "./src/*.js"}, "imports": {"#core": "./src/core/index.js", "#x/*": "./src/*.js"},
          "tool": {"entries": ["./src/core/u.js"]}, "typesVersions": {"*": {"core": ["src/core/index"]}},
          "browser": {"./src/core/u.js": false}, "scripts": {"x": "./src/core/u.js"}}
        // lib/src/core/index.js
        import { u } from "#x/core/u";
        import { u } from "#core";
        // lib/src/core/u.js
        """,
        """
        # app/a.js
        import { a } from "lib/core";
        import { b } from "lib/all/kernel/u";
        import { c } from "lib/dist/core/u";
        # lib/package.json
        {"name": "lib", "exports": {"./core": {"source": "./src/kernel/index.js",
          "default": "./dist/core/index.js"},
          "./all/*": "./src/*.js"}, "imports": {"#core": "./src/kernel/index.js", "#x/*": "./src/*.js"},
          "tool": {"entries": ["./src/kernel/u.js"]}, "typesVersions": {"*": {"core": ["src/kernel/index"]}},
          "browser": {"./src/kernel/u.js": false}, "scripts": {"x": "./src/core/u.js"}}
        # lib/src/kernel/index.js
        import { u } from "#x/kernel/u";
        import { u } from "#core";
        """,
    ),
    "out of what a configuration includes": (
        [("src/a.ts", "lib/a.ts")],
        """
        // src/a.ts
        // src/b.ts
        // tsconfig.json
        {"include": ["src", "test/*.ts"]}
        """,
        """
        # tsconfig.json
        {"include": ["src", "test/*.ts", "lib/a.ts"]}
        """,
    ),
    "with the folder that a configuration includes": (
        [("src/a.ts", "lib/a.ts")],
        """
        // src/a.ts
        // tsconfig.json
        {"compilerOptions": {"baseUrl": "./src"}, "include": ["src/*.ts"]}
        """,
        """
        # tsconfig.json
        {"compilerOptions": {"baseUrl": "lib"}, "include": ["lib/*.ts"]}
        """,
    ),
}


@pytest.mark.parametrize(("pairs", "before", "after"), JAVASCRIPT.values(), ids=JAVASCRIPT)
def test_javascript_imports_follow(pairs: list[tuple[str, str]], before: str, after: str) -> None:
    assert format_followers(move_files(before, *pairs)) == dedent_block(after)


RUST = """
    // src/main.rs
    mod tools;
    use crate::tools::go as run;
    fn main() { tools::go(); run(); let tools = 1; }
    // src/other.rs
    use crate::tools::{self, go};
    fn f() { tools::go(); super::tools::go() }
    // src/tools.rs
    pub fn go() {}
    """


def test_renamed_rust_module_is_declared_and_used_by_its_new_name() -> None:
    tree = RUST.replace("mod tools;", "mod tools; mod other;")
    outcome = move_files(tree, ("src/tools.rs", "src/kit.rs"))
    assert format_followers(outcome) == dedent_block(
        """
        # src/main.rs
        mod kit; mod other;
        use crate::kit::go as run;
        fn main() { kit::go(); run(); let tools = 1; }
        # src/other.rs
        use crate::kit::{self, go};
        fn f() { kit::go(); super::kit::go() }
        """
    )
    assert outcome.unchecked == []


def test_rust_module_moved_into_another_is_listed() -> None:
    tree = RUST.replace("mod tools;", "mod tools; mod other;")
    outcome = move_files(tree, ("src/tools.rs", "src/deep/tools.rs"))
    assert format_followers(outcome) == ""
    assert outcome.unchecked == [
        "src/main.rs:1, 2, 3: tools is left: its module is src/deep/tools.rs now",
        "src/other.rs:1, 2: tools is left: its module is src/deep/tools.rs now",
    ]
    taken = RUST.replace("let tools", "let kit")
    assert (
        move_files(taken, ("src/tools.rs", "src/kit.rs"))
        .unchecked[0]
        .startswith("src/main.rs:1, 2, 3: tools is")
    )


def test_rust_directory_moves_with_its_module() -> None:
    tree = """
        // src/lib.rs
        pub mod old;
        pub use old::inner::f;
        // src/old/inner.rs
        pub fn f() {}
        // src/old/mod.rs
        pub mod inner;
        """
    outcome = move_files(tree, ("src/old/mod.rs", "src/new/mod.rs"), ("src/old/inner.rs", "src/new/inner.rs"))
    assert format_followers(outcome) == "# src/lib.rs\npub mod new;\npub use new::inner::f;\n"


def test_package_file_at_the_root_is_refused() -> None:
    with pytest.raises(ScalpelError, match="at the root, where no import can refer to it"):
        move_files(
            "# src/pkg/__init__.py\nx = 1\n# t.py\nimport pkg\n", ("src/pkg/__init__.py", "__init__.py")
        )


@pytest.mark.parametrize("is_package", [False, True])
def test_relative_import_outside_of_a_package_is_listed(is_package: bool) -> None:
    files = "# t/__init__.py\n# t/helper.py\nx = 1\n# t/test_a.py\nfrom .helper import x\n"
    files += "# t/sub/__init__.py\n" if is_package else ""
    outcome = move_files(dedent_block(files), ("t/test_a.py", "t/sub/test_a.py"))
    listed = [each for each in outcome.unchecked if "relative import" in each]
    assert listed == (
        []
        if is_package
        else ["t/sub/test_a.py:1: it has a relative import, which fails where t/sub/__init__.py is needed"]
    )


def test_relative_import_that_the_move_makes_absolute_is_not_listed() -> None:
    files = """
        # src/click/__init__.py
        # src/click/core.py
        x = y = 1
        # src/click/_textwrap.py
        from .core import x
        from . import core
        from .core import (
            y,
        )
        from .gone import z
        """
    outcome = move_files(dedent_block(files), ("src/click/_textwrap.py", "wrap.py"))
    content = outcome.overlay.content("wrap.py")
    assert content is not None
    assert content.startswith(b"from click.core import x\nfrom click import core\nfrom click.core import (\n")
    assert [each for each in outcome.unchecked if "relative import" in each] == (
        ["wrap.py:6: it has a relative import, which fails where __init__.py is needed"]
        if b"from .gone" in content
        else []
    )


def test_directory_named_like_a_library_module_is_not_followed() -> None:
    tree = """
        # tests/test_a.py
        import typing as t
        from typing import Any
        import typing.io
        # tests/typing/a.py
        x = 1
        # tests/typing/io.py
        """
    pairs = [(f"tests/typing/{name}.py", f"tests/types/{name}.py") for name in ("a", "io")]
    assert format_followers(move_files(tree, *pairs)) == ""


USED = """
# a.py
from old import x
# old.py
x = 1
"""


def test_import_changed_in_the_changeset_is_accepted() -> None:
    by_hand = {"op": "text", "path": "a.py", "old": "old", "new": "new"}
    assert format_followers(move_files(USED, ("old.py", "new.py"), also=(by_hand,))) == ""


def test_imports_keep_a_replacement_at_the_old_path() -> None:
    instead = {"op": "write", "path": "old.py", "content": "from new import *\n"}
    assert format_followers(move_files(USED, ("old.py", "new.py"), also=(instead,))) == ""


def test_keep_imports_leaves_imports_unchanged() -> None:
    outcome = apply_operations(
        USED, {"op": "move_file", "path": "old.py", "to": "new.py", "keep_imports": True}
    )
    assert format_followers(outcome) == ""


def test_remaining_mentions_are_listed() -> None:
    outcome = move_files(
        """
        # a.py
        import pkg.old
        load("pkg.old")
        # notes.md
        see pkg/old.py
        # pkg/__init__.py
        # pkg/old.py
        """,
        ("pkg/old.py", "pkg/new.py"),
    )
    assert outcome.unchecked == [
        "a.py:2: old is left: it is in a string",
        "notes.md:1: pkg/old.py is left: it is in a text",
    ]


def test_unfollowed_import_language_is_reported() -> None:
    (note,) = move_files("# a.rb\nx = 1\n", ("a.rb", "b.rb")).unchecked
    assert note == "b.rb: imports of ruby by the names of modules are not followed"
    assert move_files("# a.go\npackage p\n", ("a.go", "b.go")).unchecked == []
    assert move_files("# a.sh\nls\n", ("a.sh", "b.sh")).unchecked == []


def test_captured_module_name_is_refused() -> None:
    with pytest.raises(ScalpelError) as caught:
        move_files(
            """
            # a.py
            import lib.mod
            def f(pkg):
                return lib.mod.x
            # lib/mod.py
            x = 1
            # pkg/__init__.py
            """,
            ("lib/mod.py", "pkg/mod.py"),
        )
    assert caught.value.code == "duplicate_symbol"
    assert "a.py:3: pkg would" in caught.value.message


def test_module_name_in_a_string_is_listed() -> None:
    outcome = move_files(
        """
        # a.py
        import pkg
        import_module("pkg.m")
        import_module('pkg')
        said = "pkg", "pkg.json", "a.pkg.m"
        # pkg/__init__.py
        x = 1
        # pkg/m.py
        import sys
        it = sys.modules["pkg.m"]
        """,
        ("pkg/__init__.py", "lib/__init__.py"),
        ("pkg/m.py", "lib/m.py"),
    )
    assert outcome.unchecked == [
        "a.py:2, 3: pkg is left: it is in a string",
        "lib/m.py:2: pkg is left: it is in a string",
    ]
    outcome = move_files(
        """
        # a.py
        import conf
        said = "conf.value", "conf.json"
        # conf.py
        value = 1
        """,
        ("conf.py", "settings.py"),
    )
    assert outcome.unchecked == ["a.py:2: conf is left: it is in a string"]


def test_new_cycle_through_the_target_package_is_reported() -> None:
    tree = """
        # b.py
        def f(): pass
        # c.py
        from b import f
        x = 1
        # p/__init__.py
        from c import x
        # q/__init__.py
        """
    words = "c.py and p/__init__.py now import each other: a name may not exist yet"
    assert move_files(tree, ("b.py", "p/b.py")).unchecked == [words]
    assert move_files(tree, ("b.py", "q/b.py")).unchecked == []
    assert move_files(tree, ("p/__init__.py", "r/__init__.py")).unchecked == []


def test_existing_cycle_is_not_reported() -> None:
    tree = """
        # p/__init__.py
        from c import x
        # p/b.py
        def f(): pass
        # c.py
        import p.b
        x = 1
        """
    assert (
        move_files(tree, ("c.py", "d.py"), ("p/__init__.py", "r/__init__.py"), ("p/b.py", "r/b.py")).unchecked
        == []
    )


def test_published_name_of_a_built_file_is_kept() -> None:
    outcome = move_files(
        """
        // app/a.js
        import { a } from "lib/core";
        // lib/package.json
        {"name": "lib", "main": "./dist/main.js",
         "exports": {"./core": "./dist/core.js", "./other": "./dist/other.js"}}
        // lib/src/core.ts
        """,
        ("lib/src/core.ts", "lib/src/kernel.ts"),
    )
    assert outcome.unchecked == [
        "lib/package.json:2: a path that may be built from lib/src/core.ts is left",
        "app/a.js:1: lib/core is left: its package publishes it",
    ]


PUBLISHED = {
    "under its path": ('{"./*": "./src/*.js"}', "lib/a/b"),
    "with its ending": ('{"./src/*": "./src/*"}', "lib/src/a/b.js"),
    "under a directory": ('{"./all/": "./src/"}', "lib/all/a/b.js"),
    "by conditions": ('{"./x/*": {"types": "./types/*.d.ts", "default": "./src/*.js"}}', "lib/x/a/b"),
    "in what is built": ('{".": "./main.js", "./*": "./dist/*.mjs"}', "lib/a/b"),
    "under a part of its path": ('{"./a/*": "./src/a/*.js", "./*": "./main.js"}', "lib/a/b"),
}


@pytest.mark.parametrize(("exports", "name"), PUBLISHED.values(), ids=PUBLISHED)
def test_unpublished_subpath_is_reported(exports: str, name: str) -> None:
    tree = f"""
        // lib/main.js
        // lib/package.json
        {{"name": "lib",
          "exports": {exports}}}
        // lib/src/a/b.js
        // lib/src/a/d.js
        """
    note = f"lib/package.json:2: {name} is no longer published: lib/src/a/b.js was its file"
    assert note in move_files(tree, ("lib/src/a/b.js", "lib/src/a/c.js")).unchecked
    assert note in move_files(tree, ("lib/src/a/b.js", "lib/other/b.js")).unchecked


def test_still_published_subpath_is_not_reported() -> None:
    tree = """
        // lib/package.json
        {"name": "lib", "exports": {"./*": "./src/*.js", "./own/*": null, "./b": "./src/b.js"}}
        // lib/src/a.js
        // lib/src/b.js
        // lib/src/own/c.js
        // lib/test/d.js
        """
    pairs = [(f"lib/src/{name}.js", f"lib/code/{name}.js") for name in ("a", "b", "own/c")]
    assert move_files(tree, *pairs).unchecked == []
    assert move_files(tree, ("lib/src/b.js", "lib/src/e.js")).unchecked == []
    assert move_files(tree, ("lib/src/own/c.js", "lib/src/own/f.js")).unchecked == []
    assert move_files(tree, ("lib/test/d.js", "lib/test/e.js")).unchecked == []


def test_configured_path_alias_need_not_be_published() -> None:
    tree = """
        // package.json
        {"name": "lib", "exports": {"./core": "./core.js"}}
        // src/core.ts
        // src/inner.ts
        // test/a.ts
        import "lib/inner";
        import "lib/core";
        // tsconfig.json
        {"compilerOptions": {"paths": {"lib/*": ["./src/*"]}}}
        """
    assert format_followers(move_files(tree, ("src/inner.ts", "src/deep.ts"))) == (
        '# test/a.ts\nimport "lib/deep";\nimport "lib/core";\n'
    )
    assert move_files(tree, ("src/core.ts", "src/kernel.ts")).unchecked == [
        "package.json:1: a path that may be built from src/core.ts is left",
        "test/a.ts:2: lib/core is left: its package publishes it",
    ]


def test_patterns_that_load_the_file_are_reported() -> None:
    tree = """
        // src/a.js
        import.meta.glob("./w/*.js"), import.meta.glob(["./v/*.js", "./w/**/*.js"]);
        import(`./w/${name}.js`), require("./w/" + name);
        require.context("./w", true);
        import(name), import(`./v/${b}`), import("./v/" + name);
        // src/w/job.js
        """
    words = "by a pattern"
    assert [
        each for each in move_files(tree, ("src/w/job.js", "src/w/task.js")).unchecked if words in each
    ] == [
        "src/a.js:2: ./w/*.js is left: it loads src/w/job.js by a pattern",
        "src/a.js:2: ./w/* is left: it loads src/w/job.js by a pattern",
    ]
    assert [each for each in move_files(tree, ("src/w/job.js", "src/job.js")).unchecked if words in each] == [
        "src/a.js:1: ./w/*.js is left: it loads src/w/job.js by a pattern",
        "src/a.js:1: ./w/**/*.js is left: it loads src/w/job.js by a pattern",
        "src/a.js:2: ./w/*.js is left: it loads src/w/job.js by a pattern",
        "src/a.js:2: ./w/* is left: it loads src/w/job.js by a pattern",
        "src/a.js:3: ./w/** is left: it loads src/w/job.js by a pattern",
    ]


DIRECTORY = {
    "what a path names moves": (
        [("src/w/job.js", "lib/task.js")],
        """
        // src/main.js
        const path = require("path"), w = path.resolve(__dirname, "w");
        path.join(__dirname, "w", "job.js"), path.join(w, 'job.js');
        path.join(__dirname, "./w/job.js");
        require(join(__dirname, "w", "job"));
        fork(__dirname + "/w/job.js"), fork(`${__dirname}/w/job.js`);
        // src/main.mjs
        const here = dirname(fileURLToPath(import.meta.url));
        join(here, "w/job.js"), join(import.meta.dirname, "w", "job.js");
        // src/w/job.js
        """,
        """
        # src/main.js
        const path = require("path"), w = path.resolve(__dirname, "w");
        path.join(__dirname, "..", "lib", "task.js"), path.join(w, '../../lib/task.js');
        path.join(__dirname, "../lib/task.js");
        require(join(__dirname, "..", "lib", "task"));
        fork(__dirname + "/../lib/task.js"), fork(`${__dirname}/../lib/task.js`);
        # src/main.mjs
        const here = dirname(fileURLToPath(import.meta.url));
        join(here, "../lib/task.js"), join(import.meta.dirname, "..", "lib", "task.js");
        """,
    ),
    "the directory that a path begins with moves": (
        [("src/w/a.js", "src/v/a.js"), ("src/w/b.js", "src/v/b.js")],
        """
        // src/main.js
        app.use(express.static(path.join(__dirname, "w")));
        read(path.join(__dirname, "w", name + ".js"), `${__dirname}/w/${name}.js`, __dirname + "/w/" + name);
        new URL("./w/", import.meta.url);
        // src/w/a.js
        // src/w/b.js
        read(path.join(__dirname, "..", "main.js"), __dirname + "/a.js", path.join(__dirname, name));
        """,
        """
        # src/main.js
        app.use(express.static(path.join(__dirname, "v")));
        read(path.join(__dirname, "v", name + ".js"), `${__dirname}/v/${name}.js`, __dirname + "/v/" + name);
        new URL("./v/", import.meta.url);
        """,
    ),
    "the file with the path moves": (
        [("src/main.ts", "src/deep/main.ts")],
        """
        // src/main.ts
        const ROOT = path.join(__dirname, "..");
        run(path.join(__dirname, "worker.js"));
        run(path.join(ROOT, "src", "worker.js"), `${__dirname}/w/${name}.js`);
        new URL("..", import.meta.url), new URL("./", import.meta.url);
        // src/w/a.js
        // src/worker.ts
        """,
        """
        # src/deep/main.ts
        const ROOT = path.join(__dirname, "../..");
        run(path.join(__dirname, "../worker.js"));
        run(path.join(ROOT, "src", "worker.js"), `${__dirname}/../w/${name}.js`);
        new URL("../../", import.meta.url), new URL("../", import.meta.url);
        """,
    ),
}


@pytest.mark.parametrize(("pairs", "before", "after"), DIRECTORY.values(), ids=DIRECTORY)
def test_path_relative_to_its_directory_follows(
    pairs: list[tuple[str, str]], before: str, after: str
) -> None:
    outcome = move_files(before, *pairs)
    assert format_followers(outcome) == textwrap.dedent(after).lstrip()
    assert outcome.unchecked == []


def test_uncertain_path_from_a_directory_is_reported() -> None:
    tree = """
        // src/main.js
        path.join(__dirname, "w", name + ".js"), `${__dirname}/w/${name}`;
        path.join(__dirname, name), path.join(__dirname, "w", "a.js");
        serve(__dirname), path.join(__dirname, "../../out");
        // src/w/a.js
        // src/w/job.js
        """
    assert move_files(tree, ("src/w/job.js", "src/w/task.js")).unchecked == [
        "src/main.js:1: src/w/*.js is left: it may name src/w/job.js",
        "src/main.js:1: src/w/* is left: it may name src/w/job.js",
    ]
    assert move_files(tree, ("src/main.js", "lib/deep/main.js")).unchecked == [
        "lib/deep/main.js:2: __dirname is left: it is now another directory",
        "lib/deep/main.js:3: __dirname is left: it is now another directory",
        "lib/deep/main.js:3: ../../out is left: it is a place outside the repository",
    ]


def test_line_with_an_old_path_is_listed_once() -> None:
    tree = """
        // src/main.js
        path.join(base, "job.js");
        path.join(__dirname, "w", name + ".js"), path.join(base, "w/job.js");
        // src/w/job.js
        """
    assert move_files(tree, ("src/w/job.js", "src/w/task.js")).unchecked == [
        "src/main.js:2: src/w/*.js is left: it may name src/w/job.js",
        "src/main.js:1: src/w/job.js is left: it is in a text",
    ]


BY_PATH = {
    "headers": (
        [("include/lib/a.h", "include/lib/b.h"), ("src/x.c", "src/deep/x.c")],
        """
        // include/lib/a.h
        // include/lib/use.h
        #include "a.h"
        // src/x.c
        #include "own.h"
          # include <lib/a.h>
        #include "lib/a.h" // it
        #include <stdio.h>
        const char *s = "lib/none.h";
        // src/own.h
        """,
        """
        # include/lib/use.h
        #include "b.h"
        # src/deep/x.c
        #include "../own.h"
          # include <lib/b.h>
        #include "lib/b.h" // it
        #include <stdio.h>
        const char *s = "lib/none.h";
        """,
    ),
    "Ruby": (
        [("lib/a.rb", "lib/deep/a.rb")],
        """
        # lib/a.rb
        require_relative "b"
        require_relative('./deep/c')
        # lib/b.rb
        # lib/deep/c.rb
        # main.rb
        require_relative 'lib/a.rb'
        require "set"
        """,
        """
        # lib/deep/a.rb
        require_relative "../b"
        require_relative('./c')
        # main.rb
        require_relative 'lib/deep/a.rb'
        require "set"
        """,
    ),
    "PHP": (
        [("a.php", "lib/a.php")],
        """
        # a.php
        <?php require __DIR__ . '/b.php';
        # b.php
        <?php require_once(dirname(__FILE__) . "/a.php");
        """,
        """
        # b.php
        <?php require_once(dirname(__FILE__) . "/lib/a.php");
        # lib/a.php
        <?php require __DIR__ . '/../b.php';
        """,
    ),
    "pages and styles": (
        [
            ("web/app.js", "web/js/app.js"),
            ("web/a.css", "web/css/a.css"),
            ("web/_part.scss", "web/_piece.scss"),
        ],
        """
        # web/a.css
        @import "base.css";
        b { background: url(img/x.png) url("data:x") url('/y.png') url(https://x.org/a.png#f) }
        # web/app.js
        # web/base.css
        # web/img/x.png
        # web/index.html
        <link rel=stylesheet href="./a.css?v=1"><script src="app.js" defer></script><a href="#x">
        # web/m.scss
        @use 'part';
        # web/_part.scss
        """,
        """
        # web/css/a.css
        @import "../base.css";
        b { background: url(../img/x.png) url("data:x") url('/y.png') url(https://x.org/a.png#f) }
        # web/index.html
        <link rel=stylesheet href="./css/a.css?v=1"><script src="js/app.js" defer></script><a href="#x">
        # web/m.scss
        @use 'piece';
        """,
    ),
    "Rust": (
        [("src/a.sql", "sql/a.sql"), ("src/unix.rs", "src/os/unix.rs")],
        """
        // src/a.sql
        // src/lib.rs
        const A: &str = include_str!("a.sql");
        #[path = "unix.rs"]
        mod os;
        // src/unix.rs
        """,
        """
        # src/lib.rs
        const A: &str = include_str!("../sql/a.sql");
        #[path = "os/unix.rs"]
        mod os;
        """,
    ),
    "entry points": (
        [("src/pkg/a.py", "src/pkg/sub/b.py")],
        """
        # pyproject.toml
        [project.scripts]
        tool = "pkg.a:f"
        other = 'pkg.ab:f'
        [project.entry-points."x.y"]
        a = "pkg.a"
        [tool.poetry.scripts]
        b = "pkg.a:g"
        # src/pkg/__init__.py
        # src/pkg/a.py
        def f(): pass
        # src/pkg/sub/__init__.py
        """,
        """
        # pyproject.toml
        [project.scripts]
        tool = "pkg.sub.b:f"
        other = 'pkg.ab:f'
        [project.entry-points."x.y"]
        a = "pkg.sub.b"
        [tool.poetry.scripts]
        b = "pkg.sub.b:g"
        """,
    ),
}


@pytest.mark.parametrize(("pairs", "before", "after"), BY_PATH.values(), ids=BY_PATH)
def test_reference_by_path_follows(pairs: list[tuple[str, str]], before: str, after: str) -> None:
    outcome = move_files(before, *pairs)
    assert format_followers(outcome) == dedent_block(after)
    assert [each for each in outcome.unchecked if "are not followed" not in each] == []


def test_reference_that_cannot_name_the_new_path_is_listed() -> None:
    outcome = move_files(
        '// a/x.go\npackage a\n//go:embed t.html\n// a/t.html\n// b.c\n#include "h.h"\n// inc/h.h\n',
        ("a/t.html", "t.html"),
        ("inc/h.h", "other/h.h"),
    )
    assert outcome.unchecked == [
        "b.c:1: h.h is left: it cannot name the new path",
        "a/x.go:2: t.html is left: it cannot name the new path",
    ]


GO = """
    // cmd/main.go
    package main
    import (
        u "example.org/m/lib/util"
        "example.org/m/lib/utility"
    )
    // go.mod
    module example.org/m
    // lib/util/a.go
    package util
    func Run() { help() }
    // lib/util/b.go
    package util
    func help() {}
    """


def test_moved_go_package_is_imported_by_its_new_path() -> None:
    outcome = move_files(GO, ("lib/util/a.go", "kit/a.go"), ("lib/util/b.go", "kit/b.go"))
    assert format_followers(outcome) == dedent_block(
        """
        # cmd/main.go
        package main
        import (
            u "example.org/m/kit"
            "example.org/m/lib/utility"
        )
        """
    )


def test_go_file_moved_to_another_package_is_listed_with_its_uses() -> None:
    assert move_files(GO, ("lib/util/b.go", "lib/util/c.go")).unchecked == []
    assert move_files(GO, ("lib/util/b.go", "lib/kit/b.go")).unchecked == [
        "lib/kit/b.go: it is now in another package: its uses of the old package stay",
        "lib/util/a.go:2: it may use names that are now in lib/kit/b.go",
    ]
    words = (
        "lib/util/b_windows.go: its name decides when it is compiled, and the new name decides differently"
    )
    assert move_files(GO, ("lib/util/b.go", "lib/util/b_windows.go")).unchecked == [words]


def test_java_class_named_unlike_its_file_is_listed() -> None:
    tree = "// p/A.java\npackage p;\npublic class A {}\n// p/B.java\npackage p;\nclass B { A a; }\n"
    words = "p/C.java:2: A is public and must be named C like its file: rename it"
    assert move_files(tree, ("p/A.java", "p/C.java")).unchecked == [words]
    assert move_files(tree, ("p/B.java", "p/D.java")).unchecked == []
    assert move_files(tree, ("p/A.java", "q/A.java")).unchecked == [
        "q/A.java: it is now in another package: its uses of the old package stay",
        "p/B.java:2: it may use names that are now in q/A.java",
    ]


LAZY = """
    # pkg/__init__.py
    import importlib
    _LAZY = {"a", "other"}
    def __getattr__(name):
        if name in _LAZY:
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(name)
    # pkg/a.py
    def f(): pass
    # main.py
    import pkg
    pkg.a.f()
"""


def test_submodule_loaded_by_a_computed_name_is_listed() -> None:
    outcome = move_files(LAZY, ("pkg/a.py", "pkg/b.py"))
    assert outcome.unchecked == ["pkg/__init__.py:2: a is left: it is in a string"]
    passed_on = LAZY.replace("pkg/__init__.py", "lazy.py") + "    # pkg/__init__.py\n    from lazy import *\n"
    outcome = move_files(passed_on, ("pkg/a.py", "pkg/b.py"))
    assert outcome.unchecked == ["lazy.py:2: a is left: it is in a string"]
    attached = """
        # pkg/__init__.py
        import lazy_loader as lazy
        __getattr__, __dir__, __all__ = lazy.attach(__name__, submodules=["a"])
        # pkg/a.py
        def f(): pass
    """
    outcome = move_files(attached, ("pkg/a.py", "pkg/b.py"))
    assert outcome.unchecked == ["pkg/__init__.py:2: a is left: it is in a string"]


def test_string_equal_to_a_module_name_by_chance_is_not_listed() -> None:
    tree = LAZY.replace('f".{name}", __name__', '"json"').replace("# pkg/__init__", "# tool")
    assert move_files(tree + "    # pkg/__init__.py\n", ("pkg/a.py", "pkg/b.py")).unchecked == []


STUB = """
    # other/__init__.py
    # other/a.py
    def f(): pass
    # pkg/__init__.py
    from . import a
    # pkg/a.py
    from other.a import *
    # pkg/__init__.pyi
    from other import a as a
"""


def test_stub_with_an_alias_of_a_module_follows_or_is_listed() -> None:
    outcome = move_files(STUB, ("pkg/a.py", "pkg/b.py"))
    assert outcome.overlay.content("pkg/__init__.pyi") == b"from other import a as b\n"
    assert outcome.unchecked == []
    used = STUB + "    x: a.T\n"
    outcome = move_files(used, ("pkg/a.py", "pkg/b.py"))
    assert outcome.overlay.content("pkg/__init__.pyi") == b"from other import a as b\nx: b.T\n"
    outcome = move_files(STUB, ("pkg/a.py", "sub/a.py"))
    assert outcome.overlay.content("pkg/__init__.pyi") == b"from other import a as a\n"
    assert outcome.unchecked == [
        "pkg/__init__.pyi:1: a is left: the package's stub imports it from elsewhere",
        "pkg/__init__.py:1: a is not found from there: "
        "the directory that contains a must be on the import path",
    ]
    outcome = move_files(STUB, ("other/a.py", "other/b.py"))
    assert b"from other import b as a\n" in (outcome.overlay.content("pkg/__init__.pyi") or b"")
    taken = STUB.replace("from . import a", "from other import a")
    assert not move_files(taken, ("pkg/a.py", "pkg/b.py")).unchecked
    assert format_followers(move_files(taken, ("pkg/a.py", "pkg/b.py"))).count("pkg/__init__.pyi") == 0


PROJECTS = """
    # one/pyproject.toml
    # one/src/app/__init__.py
    from . import views
    # one/src/app/views.py
    from . import tasks
    from app import tasks as own
    import json
    # one/src/app/tasks.py
    # two/lib/__init__.py
    # two/tests/test_a.py
    # one/tests/test_b.py
"""


def test_import_from_another_project_is_reported() -> None:
    outcome = move_files(PROJECTS, ("one/src/app/views.py", "two/lib/views.py"))
    assert outcome.overlay.content("one/src/app/__init__.py") == b"from lib import views\n"
    why = "is not found from there: the directory that contains"
    assert outcome.unchecked == [
        f"one/src/app/__init__.py:1: lib.views {why} lib must be on the import path",
        f"two/lib/views.py:1: app.tasks {why} app must be on the import path",
        f"two/lib/views.py:2: app.tasks {why} app must be on the import path",
    ]
    into_tests = move_files(PROJECTS, ("one/src/app/views.py", "two/tests/views.py"))
    assert into_tests.unchecked[0].startswith(f"one/src/app/__init__.py:1: tests.views {why}")


def test_import_found_from_its_directory_is_not_reported() -> None:
    within = move_files(PROJECTS, ("one/src/app/tasks.py", "one/src/app/inner/tasks.py"))
    assert within.unchecked == []
    beside = move_files(PROJECTS, ("one/src/app/tasks.py", "one/src/tasks.py"))
    assert beside.unchecked == []


IMPORTED = """
# a.py
def f(): pass
# pkg/__init__.py
# pkg/m.py
def g(): pass
# u.py
import a
from pkg.m import g
a.f()
"""


@pytest.mark.parametrize(
    ("path", "to", "why"),
    [
        ("a.py", "a.txt", "a.txt is not a Python file"),
        ("a.py", "bin/a", "bin/a is not a Python file"),
        ("a.py", "a.pyi", "a.pyi is a stub, which Python does not run"),
        ("a.py", "my-a.py", "my-a cannot be imported"),
        ("a.py", "class.py", "class cannot be imported"),
        ("a.py", "pkg.py", "pkg/__init__.py would be imported instead of pkg.py"),
        ("a.py", "pkg/m/a.py", "pkg/m.py would be imported instead of pkg/m/a.py"),
    ],
)
def test_unimportable_python_path_is_refused(path: str, to: str, why: str) -> None:
    with pytest.raises(ScalpelError) as refused:
        move_files(IMPORTED, (path, to))
    assert refused.value.code == "kind_mismatch"
    assert refused.value.message.startswith("u.py:1 imports a.py, and ")
    assert why in refused.value.message


def test_unimported_script_may_move_anywhere() -> None:
    for to in ("bin/my-tool", "class.py", "pkg/m/a.py"):
        assert move_files("# a.py\nprint(1)\n# pkg/__init__.py\n# pkg/m.py\n", ("a.py", to)).unchecked == []


def test_module_that_hides_a_directory_is_reported() -> None:
    tree = "# a.py\nx = 1\n# plug/one.py\ny = 1\n# u.py\nfrom plug.one import y\n"
    outcome = move_files(tree, ("a.py", "plug.py"))
    assert outcome.unchecked == ["u.py:1: plug is now plug.py instead of the directory"]
    assert move_files(tree, ("a.py", "other.py")).unchecked == []


def test_package_without_init_keeps_its_modules() -> None:
    tree = """
        # pkg/__init__.py
        def h(): pass
        # pkg/m.py
        def g(): pass
        # u.py
        import pkg
        import pkg.m
        print(pkg.h(), pkg.m.g())
        """
    assert format_followers(move_files(tree, ("pkg/__init__.py", "pkg/init.py"))) == textwrap.dedent(
        """\
        # u.py
        import pkg.init
        import pkg.m
        print(pkg.init.h(), pkg.m.g())
        """
    )
