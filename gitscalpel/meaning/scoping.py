"""How the languages' scopes hold names; one line for each language whose names are followed."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping

import msgspec

from gitscalpel.meaning.c.signatures import told
from gitscalpel.syntax.mentions import Mention


class Scoping(msgspec.Struct, frozen=True):
    """The scopes of a language.

    Attributes:
        only: for a kind of scope, the kinds of bindings that it holds; all, where nothing is said.
        never: for a kind of scope, those that it does not hold.
        classes_enclose: what stands in a class's functions sees the names of the class.
        spaces: for a kind of binding or use, the name spaces that it is in; all, where nothing is said.
        joins: kinds of bindings that are no new ones where their scope has the name already (``:=``).
        sequels: kinds of scopes whose names are seen behind them, to the end of the scope around (``let``).
        hides: for a kind of scope, the kinds of bindings around it that are not seen in it.
        open: kinds of scopes that may have names which nothing in them binds (inherited, brought by globs).
        overrides: a member is one with what a base has under its name; else it is another one, and of
            several bases that have a name none comes first.
        fulfils: what a class inherits from one base is what another one asks for under that name.
        declared: nobody uses a member that is not declared.
        hiding: kinds of members that hide what a base has under their name, and are no part of it.
        filed: kinds of names after which their file is called.
        reserved: words that stand where names do, and are none.
        given: those of them that the language gives a meaning to, which may be asked for, with the kinds of
            mentions that have it; none: all.
        alone: kinds of scopes outside of which nothing is called as what they hold.
        barred: for a kind of binding, those of a function whose names its body may not bind anew so: who does
            it nevertheless binds something that nothing sees.
        single: kinds of bindings of which a scope has one of a name: what binds it again, nothing sees.
        apart: what is imported or exported may be renamed there alone, with an alias.
        linked: declarations in several files are joined, and types tell apart what is called alike; its
            dialect is a :class:`gitscalpel.meaning.resolve.Linking`.
        told: for what binds a name, by what else than its name it is told apart (overloads).
        reached: kinds of scopes one of whose names a name may be of which nobody can tell.
        kinds: those as well, for words that the grammar does not part.
        own: names that the language has, which stay theirs until a module or class has bound them anew.
        unaliased: what an import brings has the name there that it has where it comes from.
        implies: a file may bind a name that it does not spell.
        protocol: members that every object has, or that the language itself calls by their names.
        entries: names at which programs begin, or that a standard library calls where somebody has them.
        fixed: kinds of names that are not changed, as what they stand for is text.
        commented: comments say types, and so certainly name something there.
    """

    only: Mapping[str, frozenset[str]] = {}
    never: Mapping[str, frozenset[str]] = {}
    classes_enclose: bool = True
    spaces: Mapping[str, frozenset[str]] = {}
    joins: frozenset[str] = frozenset()
    sequels: frozenset[str] = frozenset()
    hides: Mapping[str, frozenset[str]] = {}
    open: frozenset[str] = frozenset()
    overrides: bool = True
    fulfils: bool = True
    declared: bool = False
    apart: bool = False
    hiding: frozenset[str] = frozenset()
    filed: frozenset[str] = frozenset()
    reserved: frozenset[str] = frozenset()
    given: Mapping[str, frozenset[str]] = {}
    alone: frozenset[str] = frozenset()
    barred: Mapping[str, frozenset[str]] = {}
    single: frozenset[str] = frozenset()
    linked: bool = False
    told: Callable[[Mention], str] | None = None
    reached: frozenset[str] = frozenset({"class"})
    kinds: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    unaliased: bool = False
    implies: bool = False
    protocol: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    commented: bool = False

    def holds(self, scope: str, kind: str) -> bool:
        """Whether a scope of this kind holds what is bound so."""
        return kind in self.only.get(scope, (kind,)) and kind not in self.never.get(scope, ())

    def is_word(self, mention: Mention) -> bool:
        """Whether a mention is a word of the language, and no name."""
        kinds = self.given.get(mention.name)
        has_meaning = kinds is not None and (not kinds or mention.kind in kinds)
        return mention.name in self.reserved and not has_meaning

    def meet(self, kind: str, other: str) -> bool:
        """Whether a name of one kind may be one of the other."""
        mine, its = self.spaces.get(kind), self.spaces.get(other)
        return mine is None or its is None or not mine.isdisjoint(its)


_PYTHON = Scoping(
    only={"comprehension": frozenset({"target"})},
    classes_enclose=False,
    own=frozenset(dir(builtins)),
    reached=frozenset({"class", "module"}),
)

_VALUE, _TYPE = frozenset({"value"}), frozenset({"type"})
_BOTH = _VALUE | _TYPE
_NAMESPACE = _BOTH | {"namespace"}
_OF_CLASSES = frozenset({"member", "enumerator"})
_EXPORTS = frozenset({"export", "passed"})
_NOT_OF_BLOCKS = _OF_CLASSES | _EXPORTS | {"umd", "label", "generic", "infer", "self"}
_ECMA = Scoping(
    apart=True,
    protocol=frozenset({"constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty"}),
    entries=frozenset({"then", "toJSON"}),
    reached=frozenset({"class", "module"}),
    commented=True,
    reserved=frozenset({"default"}),
    single=frozenset({"import"}),
    barred={"variable": frozenset({"parameter"}), "class": frozenset({"parameter"})},
    only={
        "class": _OF_CLASSES,
        "generic": frozenset({"generic", "self"}),
        "conditional": frozenset({"infer"}),
        "label": frozenset({"label"}),
        "with": frozenset(),
    },
    open=frozenset({"with"}),
    never={
        "module": _NOT_OF_BLOCKS - _EXPORTS - {"umd"},
        "namespace": _NOT_OF_BLOCKS - _EXPORTS - {"umd"},
        "function": _NOT_OF_BLOCKS - {"generic"},
        "block": _NOT_OF_BLOCKS | {"var", "parameter"},
    },
    spaces={
        **dict.fromkeys(("", "value", "variable", "var", "parameter", "function"), _VALUE),
        **dict.fromkeys(("type", "interface", "alias", "generic", "infer"), _TYPE),
        **dict.fromkeys(("class", "self", "any"), _BOTH),
        **dict.fromkeys(("import", "enum", "namespace", "umd"), _NAMESPACE),
        "member": frozenset({"member"}),
        "enumerator": frozenset({"member", "value"}),
        "label": frozenset({"label"}),
        **dict.fromkeys(_EXPORTS, frozenset({"export"})),
    },
)

_RUST_WORDS = """
_ r#_ self Self super crate r#self r#Self r#super r#crate as async await break const continue dyn else enum
extern false fn for if impl in let loop match mod move mut pub ref return static struct trait true type unsafe
use where while
"""
_OF_ITEMS = frozenset({"generic", "number", "lifetime"})
_LOCAL = frozenset({"let", "parameter", "pattern", "label", "self"})
_RUST_SPACES = {
    **dict.fromkeys(("let", "parameter", "pattern", "self", "function", "const", "number"), _VALUE),
    **dict.fromkeys(("struct", "mod", "generic"), _TYPE),
    "tuple": _BOTH,
    "value": _VALUE | {"import"},
    **dict.fromkeys(("type", "path"), _TYPE | {"import"}),
    "any": _BOTH | {"import", "macro"},
    "import": frozenset({"import"}),
    "macro": frozenset({"macro"}),
    "called": frozenset({"macro", "import"}),
    "attribute": frozenset({"import"}),
    "member": frozenset({"member"}),
    "lifetime": frozenset({"lifetime"}),
    "label": frozenset({"label"}),
}
_ANY = frozenset[str]()
_RUST = Scoping(
    entries=frozenset({"main"}),
    declared=True,
    only={
        "class": frozenset({"member"}),
        "item": _OF_ITEMS,
        "generic": _OF_ITEMS,
        "let": frozenset({"let"}),
        "use": frozenset(),
    },
    never={
        "module": frozenset({"member"}),
        "mod": frozenset({"member"}),
        "function": frozenset({"member"}),
        "block": frozenset({"member"}),
    },
    spaces=_RUST_SPACES,
    sequels=frozenset({"let"}),
    hides={
        "function": _LOCAL,
        "item": _LOCAL,
        "mod": frozenset(_RUST_SPACES) - {"macro", "called", "attribute"},
    },
    open=frozenset({"use", "block", "mod", "module"}),
    overrides=False,
    fulfils=False,
    reserved=frozenset(_RUST_WORDS.split()),
    kinds=frozenset({"module", "mod"}),
    given={"self": _ANY, "Self": _ANY, "_": frozenset({"lifetime"})},
    alone=frozenset({"elided"}),
)

_GO_WORDS = """
_ break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var
"""
_GO_NAMES = ("name", "import", "func", "type", "var", "const", "parameter", "early", "short")
_GO_PROTOCOL = """
As Close Error Flush Format GoString Is Len Less MarshalBinary MarshalJSON MarshalText Read ReadByte ReadFrom
ReadRune Scan Seek ServeHTTP String Swap UnmarshalBinary UnmarshalJSON UnmarshalText UnreadByte Unwrap Write
WriteByte WriteString WriteTo init main
"""
_GO = Scoping(
    entries=frozenset(_GO_PROTOCOL.split()),
    implies=True,
    declared=True,
    only={
        "class": frozenset({"member"}),
        "generic": frozenset({"early"}),
        "signature": frozenset({"parameter"}),
    },
    never={
        **dict.fromkeys(("let", "block"), frozenset({"label", "member"})),
        "function": frozenset({"member"}),
        "module": frozenset({"member"}),
    },
    spaces={
        **dict.fromkeys(_GO_NAMES, frozenset({"name"})),
        "member": frozenset({"member"}),
        "label": frozenset({"label"}),
    },
    joins=frozenset({"short"}),
    sequels=frozenset({"let"}),
    overrides=False,
    fulfils=False,
    reserved=frozenset(_GO_WORDS.split()),
)

_JAVA_WORDS = """
_ abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package
private protected public return short static strictfp super switch synchronized this throw throws transient
true try void volatile while
"""
_OF_JAVA_CLASSES = frozenset({"field", "method"})
_JAVA = Scoping(
    entries=frozenset({"main"}),
    declared=True,
    unaliased=True,
    only={
        "class": _OF_JAVA_CLASSES | {"class"},
        "item": frozenset({"generic", "component"}),
        "let": frozenset({"local"}),
    },
    never={
        "block": _OF_JAVA_CLASSES | {"label", "generic", "component"},
        "function": _OF_JAVA_CLASSES | {"component"},
    },
    spaces={
        **dict.fromkeys(("class", "generic", "type"), _TYPE),
        **dict.fromkeys(("field", "parameter", "local", "component", "value"), _VALUE),
        "method": frozenset({"method"}),
        "any": _BOTH,
        "import": _BOTH | {"method"},
        "label": frozenset({"label"}),
    },
    sequels=frozenset({"let"}),
    open=frozenset({"class"}),
    hiding=frozenset({"field", "class"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_JAVA_WORDS.split()),
)

_C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
"""
_CPP_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq
"""
_OF_C_CLASSES = frozenset({"field", "method"})
_NAMED = frozenset({"name"})
_TAG = frozenset({"tag"})
_C_NAMES = ("variable", "local", "parameter", "function", "type", "enumerator", "generic", "field", "method")
_C_KINDS = frozenset(
    {"module", "namespace", "class", "function", "signature", "block", "let", "item", "bounds"}
)
_ELSEWHERE = frozenset({*_OF_C_CLASSES, "macro"})
_C_ONLY = {
    "class": _OF_C_CLASSES,
    "let": frozenset({"local"}),
    "signature": frozenset({"parameter"}),
    "bounds": frozenset(),
    "item": frozenset({"generic", "parameter"}),
}
_C = Scoping(
    entries=frozenset({"main", "begin", "end"}),
    declared=True,
    fulfils=False,
    only=_C_ONLY,
    never={
        "block": _ELSEWHERE | {"label"},
        "function": _ELSEWHERE | {"function"},
        "module": _OF_C_CLASSES,
    },
    spaces={
        **dict.fromkeys(("", *_C_NAMES), _NAMED),
        "tag": _TAG,
        "label": frozenset({"label"}),
        "macro": frozenset({"macro"}),
    },
    sequels=frozenset({"let", "signature"}),
    reserved=frozenset(_C_WORDS.split()),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
    kinds=_C_KINDS,
    fixed=frozenset({"macro"}),
)
_CPP = msgspec.structs.replace(
    _C,
    only={**_C_ONLY, "class": _OF_C_CLASSES | {"tag", "type", "enumerator"}},
    never={**_C.never, "namespace": _ELSEWHERE},
    spaces={
        **dict.fromkeys(("", *_C_NAMES, "tag", "namespace", "alias"), _NAMED),
        "label": frozenset({"label"}),
        "macro": frozenset({"macro"}),
    },
    open=frozenset({"function", "class", "block", "namespace"}),
    reserved=frozenset(_CPP_WORDS.split()),
    told=told,
)

_CSHARP_WORDS = """
abstract as base bool break byte case catch char checked class const continue decimal default delegate do
double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
interface internal is lock long namespace new null object operator out override params private protected
public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true
try typeof uint ulong unchecked unsafe ushort using virtual void volatile while
"""
_OF_CSHARP_TYPES = frozenset({"field", "method", "property", "component"})
_OF_CSHARP_FUNCTIONS = _OF_CSHARP_TYPES | {"class", "import"}
_CSHARP = Scoping(
    entries=frozenset({"Main"}),
    declared=True,
    only={
        "class": _OF_CSHARP_TYPES | {"class", "generic"},
        "arm": frozenset({"pattern"}),
    },
    never={
        **dict.fromkeys(("module", "namespace"), _OF_CSHARP_TYPES | {"generic", "parameter"}),
        "block": _OF_CSHARP_FUNCTIONS | {"generic"},
        "function": _OF_CSHARP_FUNCTIONS,
    },
    spaces={
        **dict.fromkeys(("class", "generic", "type"), _TYPE),
        **dict.fromkeys((*_OF_CSHARP_TYPES, "local", "pattern", "parameter", "value"), _VALUE),
        "any": _BOTH,
        "import": _TYPE,
    },
    hiding=frozenset({"field", "class", "generic"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_CSHARP_WORDS.split()),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
)

_KOTLIN_WORDS = """
as break class continue do else false for fun if in interface is null object package return super this throw
true try typealias typeof val var when while
"""
_OF_KOTLIN = frozenset({"member", "property", "class", "function", "generic"})
_KOTLIN = Scoping(
    entries=frozenset({"main"}),
    declared=True,
    only={
        "class": _OF_KOTLIN,
        "item": frozenset({"generic"}),
        "let": frozenset({"local"}),
    },
    never={
        "module": frozenset({"member", "generic", "parameter"}),
        "block": frozenset({"member", "property", "generic", "import", "alias"}),
        "function": frozenset({"member", "property", "import", "alias"}),
    },
    spaces={
        **dict.fromkeys(("generic", "type"), _TYPE),
        **dict.fromkeys(("member", "property", "function", "local", "parameter", "value"), _VALUE),
        **dict.fromkeys(("class", "import", "alias"), _BOTH),
    },
    sequels=frozenset({"let"}),
    hiding=frozenset({"class", "generic"}),
    filed=frozenset({"class"}),
    reserved=frozenset(_KOTLIN_WORDS.split()),
    linked=True,
    reached=frozenset({"class", "module"}),
)

_OF_PHP_CLASSES = frozenset({"property", "method", "constant"})
_PHP_PROTOCOL = """
__call __callStatic __clone __construct __debugInfo __destruct __get __invoke __isset __serialize __set
__set_state __sleep __toString __unserialize __unset __wakeup
"""
_PHP = Scoping(
    protocol=frozenset(_PHP_PROTOCOL.split()),
    only={"class": _OF_PHP_CLASSES, "function": frozenset({"variable"})},
    never=dict.fromkeys(("module", "namespace"), frozenset({"property", "method"})),
    spaces={
        **dict.fromkeys(("class", "type"), _TYPE),
        **dict.fromkeys(("import", "alias"), frozenset({"import"})),
        **{each: frozenset({each}) for each in (*_OF_PHP_CLASSES, "variable", "function", "prefix", "trait")},
    },
    hides={"function": frozenset({"variable"})},
    filed=frozenset({"class"}),
    reserved=frozenset(
        {"this", "self", "static", "parent", "class", "function", "fn", "new", "array", "list"}
    ),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
)

_RUBY_LOCAL = frozenset({"local", "parameter"})
_OF_RUBY_CLASSES = frozenset({"constant", "static", "method", "attribute", "instance", "shared"})
_RUBY_WORDS = """
alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not
or redo rescue retry return self super then true undef unless until when while yield
"""
_RUBY_PROTOCOL = """
coerce const_missing extended hash included inherited initialize initialize_copy inspect method_added
method_missing prepended respond_to_missing to_a to_ary to_hash to_proc to_s to_str to_sym
"""
_RUBY = Scoping(
    protocol=frozenset(_RUBY_PROTOCOL.split()),
    only={"class": _OF_RUBY_CLASSES | _RUBY_LOCAL},
    never=dict.fromkeys(("function", "block"), _OF_RUBY_CLASSES | {"global"}),
    spaces={
        **{
            each: frozenset({each})
            for each in ("static", "instance", "shared", "global", "constant", "symbol")
        },
        **dict.fromkeys(("local", "parameter"), frozenset({"local"})),
        **dict.fromkeys(("method", "own"), frozenset({"method"})),
        "attribute": frozenset({"method", "instance"}),
        "value": frozenset({"local", "method"}),
        "call": frozenset({"method", "static"}),
    },
    hides=dict.fromkeys(("function", "class"), _RUBY_LOCAL),
    hiding=frozenset({"constant"}),
    reserved=frozenset(_RUBY_WORDS.split()),
    linked=True,
    reached=frozenset({"class", "module"}),
)

SCOPING: Mapping[str, Scoping] = {
    "python": _PYTHON,
    "javascript": _ECMA,
    "typescript": _ECMA,
    "tsx": _ECMA,
    "rust": _RUST,
    "go": _GO,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
    "kotlin": _KOTLIN,
    "php": _PHP,
    "ruby": _RUBY,
}
