"""PHP: variables, namespaces, classes and members.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations, apply_rename, format_changes

VARIABLES = {
    "a variable is one of its function": """
        // A.php
        <?php function f($«x», $y) { $«x» = g($y, $«x»); return "$«x» {$«x»} $y"; }
        function h($x) { return $x; }
        $x = 1;
    """,
    "a closure has what it uses": """
        // A.php
        <?php function f($«a») { $g = function ($b) use ($«a») { return $«a» + $b; };
            $h = function () { return $a; }; return fn($c) => $c + $«a» + $g; }
    """,
    "an arrow function has its parameters": """
        // A.php
        <?php function f($«a») { $g = fn($a) => $a; return $g($«a»); }
    """,
    "what is set without an assignment": """
        // A.php
        <?php function f($s) { preg_match('/a/', $s, $«m»); foreach ($«m» as $k => $v) { g($k, $v); } }
    """,
    "variables of files, and global": """
        // A.php
        <?php $«conf» = 1; function f() { global $«conf»; return $«conf»; } function g($conf) {
          return $conf; }
        // B.php
        <?php echo $¿conf?;
    """,
    "named arguments": """
        // A.php
        <?php function f($«a», $b = 1) { return $«a»; } f(«a»: 1, b: 2); odd(¿a?: 1); $x->odd(¿a?: 1);
    """,
    "a parameter that is a property": """
        // A.php
        <?php class A { function __construct(private int $«q») { echo $«q»; } function f($q) {
          return $this->«q» + $q; } }
        new A(«q»: 1);
    """,
}

MEMBERS = {
    "by $this, self and static": """
        // A.php
        <?php class A { public function «go»() { $this->«go»(); self::«go»(); static::«go»(); A::«go»();
          $x->¿go?(); go(); } }
        class B { public $go; public function go() { $this->go(); return $this->go; } }
        function go() {}
    """,
    "a property beside a method": """
        // A.php
        <?php class A { public $«n»; public static $s; function n() {
          return $this->«n» + $this->n() + self::$s + $this?->«n»; }
            const n = 1; function f($n) { return self::n; } }
    """,
    "static properties": """
        // A.php
        <?php class A { static $«s»; function f($s) {
          return self::$«s» + static::$«s» + A::$«s» + $this->¿s?(); } }
    """,
    "constants and cases": """
        // A.php
        <?php class A { const «K» = 1; const L = self::«K»; function f(A $a) {
          return A::«K» . K . $a::«K»; } }
        const K = 2;
        enum E { case K; function f() { return self::K; } }
    """,
    "what is declared of an object": """
        // A.php
        <?php class A { function «m»(): self { return $this; } }
        class B { private A $p; private $q;
            function f(A $a, $u, B $b): ?A { $c = new A(); $c->«m»()->«m»(); $a->¿m?(); $u->¿m?(); $b->¿m?();
                $this->p->«m»(); $this->q->¿m?(); $this->f($a)->«m»(); $a = odd(); } }
    """,
    "what overrides goes along": """
        // A.php
        <?php interface I { function «go»(); }
        trait T { function «go»() { $this->¿other?(); } function other() { } }
        class A implements I { use T; function «go»() { } }
        class B extends A { function «go»() { parent::«go»(); } }
        class C { function go() { } }
    """.replace("¿other?", "other"),
    "a class that extends it may have it": """
        // A.php
        <?php abstract class A { function run() { return $this->¿step?(); } }
        class B extends A { function «step»() { } }
    """,
    "texts are no names": """
        // A.php
        <?php class A { function «go»() { return [$this, 'go']; } /** go */ }
    """,
}

SPACES = {
    "imported, by its whole name, in groups, and by an alias": """
        // A.php
        <?php namespace N\\M; class «Foo» { static function make(): «Foo» { return new «Foo»(); } }
        // B.php
        <?php use N\\M\\«Foo»; function f(«Foo» $f): ?«Foo» {
          return $f instanceof «Foo» ? $f : «Foo»::make(); }
        // C.php
        <?php namespace N; use N\\M\\{«Foo», Bar}; class C extends «Foo» { } new M\\«Foo»; new \\N\\M\\«Foo»;
        // D.php
        <?php use N\\M\\«Foo» as F; new F; new Foo2;
        // E.php
        <?php namespace O; class Foo { } new Foo; new \\N\\M\\«Foo»;
        // F.php
        <?php namespace N\\M; try { } catch («Foo» | Bar $e) { } echo «Foo»::class;
    """,
    "functions": """
        // A.php
        <?php namespace N; function «run»() { } «run»(); namespace\\«run»();
        // B.php
        <?php use function N\\«run»; «run»(); $x->run(); \\N\\«run»();
        // C.php
        <?php function run() { } run();
    """,
    "a function of all files, from a namespace": """
        // A.php
        <?php function «run»() { }
        // B.php
        <?php namespace N; «run»(); \\«run»();
        // C.php
        <?php namespace O; function run() { } run(); \\«run»();
    """,
    "constants": """
        // A.php
        <?php namespace N; const «K» = 1; echo «K»;
        // B.php
        <?php use const N\\«K»; echo «K», \\N\\«K», K();
    """,
    "not imported": """
        // A.php
        <?php namespace N; class «Foo» { }
        // B.php
        <?php new ¿Foo?;
    """,
}


@pytest.mark.parametrize("text", VARIABLES.values(), ids=VARIABLES)
def test_variables(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MEMBERS.values(), ids=MEMBERS)
def test_members(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", SPACES.values(), ids=SPACES)
def test_namespaces(text: str) -> None:
    assert_marked(text)


def test_method_is_renamed_in_all_files() -> None:
    before = """
# A.php
<?php namespace N; class A { function go() { return $this->go(); } }
# B.php
<?php use N\\A; function f(A $a) { return $a->go(); }
"""
    outcome = apply_operations(before, {"op": "rename", "path": "A.php", "symbol": "A.go", "to": "run"})
    assert "go" not in format_changes(outcome)


def test_rename_to_a_taken_name_is_refused() -> None:
    before = "# A.php\n<?php function f($a, $b) { return $a; }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "A.php", "start": 1, "name": "a#1", "to": "b"})
    assert caught.value.code == "duplicate_symbol"


def test_global_variable_is_renamed_in_functions() -> None:
    before = "# a.php\n<?php\n$factor = 2;\nfunction f() { global $factor; return $factor; }\n"
    outcome = apply_rename(before, "scale", path="a.php", start=2, name="factor")
    assert format_changes(outcome) == before.replace("factor", "scale")
