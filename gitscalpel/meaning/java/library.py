"""Types of the Java library that parameters often have, and what they inherit.

A type that is not here may inherit anything, so that an overload with it is taken for possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_VALUE = ("Comparable", "Serializable")
_CONSTANT = (*_VALUE, "Constable", "ConstantDesc")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "": ("AutoCloseable", "Comparable", "Serializable", "Cloneable", "Runnable", "Iterable", "CharSequence"),
    "Appendable": ("StringBuilder", "StringBuffer", "Writer"),
    "AutoCloseable": ("Closeable",),
    "CharSequence": ("String", "StringBuilder", "StringBuffer"),
    "Closeable": ("Reader", "Writer", "InputStream", "OutputStream"),
    "Exception": ("RuntimeException", "IOException"),
    "Flushable": ("Writer", "OutputStream"),
    "InputStream": ("ByteArrayInputStream", "FileInputStream"),
    "InputStreamReader": ("FileReader",),
    "Iterable": ("Path",),
    "Number": (
        *("Byte", "Short", "Integer", "Long", "Float", "Double", "BigInteger", "BigDecimal"),
        *("AtomicInteger", "AtomicLong"),
    ),
    "OutputStream": ("ByteArrayOutputStream", "FileOutputStream"),
    "Readable": ("Reader",),
    "Reader": ("BufferedReader", "CharArrayReader", "InputStreamReader", "StringReader"),
    "RuntimeException": ("IllegalArgumentException", "IllegalStateException"),
    "Throwable": ("Exception", "Error"),
    "Type": ("Class", "ParameterizedType", "GenericArrayType", "WildcardType", "TypeVariable"),
    "Writer": ("BufferedWriter", "CharArrayWriter", "OutputStreamWriter", "PrintWriter", "StringWriter"),
}
"""By type, some of those that inherit from it."""
_MORE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("String", "Integer", "Long", "Float", "Double"), _CONSTANT),
    **dict.fromkeys(("Byte", "Short", "Character", "Boolean"), (*_VALUE, "Constable")),
    **dict.fromkeys(("StringBuilder", "BigInteger", "BigDecimal", "File", "URI", "UUID"), _VALUE),
    **dict.fromkeys(("StringBuffer",), _VALUE),
    **dict.fromkeys(("Number", "Throwable", "URL", "Locale", "Pattern"), ("Serializable",)),
    "Date": (*_VALUE, "Cloneable"),
    "Path": ("Comparable", "Watchable"),
    "Class": ("Serializable", "GenericDeclaration", "AnnotatedElement", "OfField", "Constable"),
    "TypeVariable": ("AnnotatedElement",),
    "Enum": (*_VALUE, "Constable"),
    "Record": (),
}
"""What else they inherit, or all that they inherit."""


def inherited_types(name: str) -> frozenset[str] | None:
    """Return the types that a type of the library inherits, without ``Object``.

    None if they are not known.
    """
    is_known = name in _MORE or any(name in those for those in _NAMES.values()) or name in _NAMES
    return frozenset(_above(name)) if is_known else None


def _above(name: str) -> Iterator[str]:
    found = [base for base, those in _NAMES.items() if base and name in those]
    for each in (*found, *_MORE.get(name, ())):
        yield each
        yield from _above(each)
