"""Ruby: variables, methods, constants and modules.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked, find_references_at
from tests.names.test_rename import apply_operations, format_changes

VARIABLES = {
    "a variable of a method": """
        # a.rb
        def f(y)
          «x» = y; «x» += 1; g(«x», "#{«x»}"); self.x; h.x
        end
        def g(x) = x
    """,
    "a block sees what is around it": """
        # a.rb
        def f(«a», b)
          b.each { |c| g(«a», c); «a» += 1 }
          b.each { |a| g(a) }
          ->(d) { «a» + d }
        end
    """,
    "a variable of a block": """
        # a.rb
        def f(b)
          b.each { |«v», (w, u)| g(«v», w, u) }
          v
        end
    """,
    "what is taken apart, looped over and rescued": """
        # a.rb
        def f
          «m», n = 1, 2
          for i in «m»..n do g(i) end
        rescue E => e
          e.g(«m»)
        end
    """,
    "arguments by keyword": """
        # a.rb
        def f(a, «k»: 1) = «k» + a
        f(1, «k»: 2)
        odd(¿k?: 2)
        { ¿k?: 1 }
    """,
    "a key that is a name at once": """
        # a.rb
        def f(«k»)
          g(¿k?:)
        end
    """,
    "a call before a variable": """
        # a.rb
        def f
          g(¿x?)
          «x» = 1
          «x»
        end
    """,
    "variables of objects, and of the class": """
        # a.rb
        class A
          def initialize(x) = @«x» = x
          def f = @«x» + @@x + x
        end
        class B; def f = @x; end
    """,
    "variables of a class": """
        # a.rb
        class A
          @@«n» = 1
          def f = @@«n» + @n + n
        end
    """,
    "global variables": """
        # a.rb
        $«g» = 1
        # b.rb
        def f(g) = $«g» + g
    """,
}

METHODS = {
    "of the object at hand": """
        # a.rb
        class A
          def «run»(x) = x
          def f = «run»(1) + self.«run»(2) + A.new.«run»(3) + odd.¿run?(4)
          def g; [1].each { |y| «run»(y) }; dsl { ¿run?(1) }; end
        end
        class B; def run = 1; def f = run + self.run; end
        A.new.«run»(1)
    """,
    "what is said by symbols": """
        # a.rb
        class A
          def «run» = 1
          private :«run»
          alias old «run»
          def f = send(:¿run?)
        end
    """,
    "attributes": """
        # a.rb
        class A
          attr_accessor :«p», :q
          def initialize(p); @«p» = p; self.«p» = q; end
          def f = «p» + @«p»
        end
        A.new.«p»
    """,
    "setters": """
        # a.rb
        class A
          def «p» = 1
          def «p»=(v); end
          def f; self.«p» = 2; end
        end
    """,
    "methods of the class": """
        # a.rb
        class A
          def self.«make» = new
          def self.two = «make»
          def make = self.class.«make»
          class << self
            def «make» = 1
          end
        end
        A.«make»
        A.new.make
    """,
    "what overrides, and modules": """
        # a.rb
        module M; def «go» = 1; end
        class A; include M; def f = «go»; end
        # b.rb
        class B < A
          def «go» = super
        end
        class C; def go = 1; end
        B.new.«go»; C.new.go
    """,
    "who includes a module may have it": """
        # a.rb
        module M; def f = ¿step?; end
        class A; include M; def «step» = 1; end
    """,
    "a class that is opened again": """
        # a.rb
        class A; def «go» = 1; end
        # b.rb
        class A; def f = «go»; end
        # c.rb
        module N; class A; def go = 1; def f = go; end; end
    """,
    "outside of classes": """
        # a.rb
        def «top»(a) = a
        «top»(1)
        class A; def f = ¿top?(1); end
        # b.rb
        «top»(2)
    """,
    "what a local name is, is its own": """
        # a.rb
        class A
          def «n» = 1
          def f(n) = n + self.«n»
          def g; n = self.«n»; n; end
        end
    """,
}

CONSTANTS = {
    "classes of modules, over files": """
        # a.rb
        module M
          class «Foo»; end
          def self.f = «Foo».new
        end
        # b.rb
        module M; class Bar < «Foo»; end; end
        # c.rb
        M::«Foo».new
        class M::«Foo»; def g = 1; end
        # d.rb
        class Foo; end
        Foo.new
        module N; class Foo; end; Foo; end
    """,
    "plain constants": """
        # a.rb
        class A
          «K» = 1
          def f = «K» + A::«K» + self.class::K2
        end
        class B < A; def f = «K»; end
        K = 2
        def f = K
    """,
    "what nothing here declares": """
        # a.rb
        module M; «Foo» = 1; end
        # b.rb
        ¿Foo?
    """,
}


@pytest.mark.parametrize("text", VARIABLES.values(), ids=VARIABLES)
def test_variables(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", METHODS.values(), ids=METHODS)
def test_methods(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", CONSTANTS.values(), ids=CONSTANTS)
def test_constants(text: str) -> None:
    assert_marked(text)


def test_attribute_is_renamed_with_its_variable() -> None:
    before = "# a.rb\nclass A\n  attr_reader :p\n  def f = @p + p\nend\n"
    outcome = apply_operations(before, {"op": "rename", "path": "a.rb", "start": 2, "name": "p", "to": "q"})
    assert format_changes(outcome) == "# a.rb\nclass A\n  attr_reader :q\n  def f = @q + q\nend\n"


@pytest.mark.parametrize(("line", "name", "to"), [(3, "@p", "@q"), (3, "p", "@q"), (2, "p", "q")])
def test_variable_is_renamed_with_its_attribute(line: int, name: str, to: str) -> None:
    before = "# a.rb\nclass A\n  attr_writer :p\n  def f = @p\nend\nA.new.p = 1\n"
    outcome = apply_operations(
        before, {"op": "rename", "path": "a.rb", "start": line, "name": name, "to": to}
    )
    assert format_changes(outcome) == "# a.rb\nclass A\n  attr_writer :q\n  def f = @q\nend\nA.new.q = 1\n"


@pytest.mark.parametrize(("line", "name", "to"), [(1, "$p", "$q"), (3, "@@p", "@@q")])
def test_sigil_is_not_part_of_a_variable_name(line: int, name: str, to: str) -> None:
    before = "# a.rb\n$p = 1\nclass A\n  @@p = $p\n  @p = @@p + $p\nend\n"
    outcome = apply_operations(
        before, {"op": "rename", "path": "a.rb", "start": line, "name": name, "to": to}
    )
    sign = name.rstrip("p")
    expected = before.replace(f"{sign}p", f"{sign}q") if sign == "$" else before.replace("@@p", "@@q")
    assert format_changes(outcome) == expected


def test_keyword_is_refused() -> None:
    before = "# a.rb\ndef f(a, b)\n  a\nend\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.rb", "start": 2, "name": "a", "to": "end"})
    assert caught.value.code == "invalid_name"


def test_rename_that_breaks_parsing_is_refused() -> None:
    before = "# a.rb\nmodule A\n  def f?(n, p = false) = n == :z\nin { type:, val: v } then puts type + v\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.rb", "symbol": "A", "to": "zzz"})
    assert caught.value.code == "invalid_name"


def test_ambiguous_constant_is_uncertain() -> None:
    text = "module A; end\nclass A::B; end\nclass B; end\nB.new\n"
    references = find_references_at({"a.rb": text}, "a.rb", text.index("B.new"))
    assert references.certain == []
    assert [each.mention.start for each in references.unsure] == [23, 36, 43]


def test_module_reopened_in_many_files() -> None:
    files = {f"{at}.rb": f"module M; def f{at} = run; end\n" for at in range(20)}
    references = find_references_at({**files, "run.rb": "module M; def run = 1; end\n"}, "run.rb", 14)
    assert (len(references.certain), references.unsure) == (21, [])


def test_hash_key_that_may_be_a_keyword_is_uncertain() -> None:
    assert_marked(
        """
        # a.rb
        def total(first, «last»: 0) = first + «last»
        total(1, «last»: 2)
        settings = { ¿last?: 5 }
        total(1, **settings)
        """
    )
    assert_marked(
        """
        # a.rb
        area = lambda { |width, «height»: 2| width * «height» }
        area.(3, ¿height?: 4)
        """
    )
    assert_marked(
        """
        # a.rb
        def total(«first», last: 0) = «first» + last
        settings = { first: 5 }
        area.(3, first: 4)
        """
    )
