"""Parameter documentation that follows a new signature, in each style."""

from __future__ import annotations

import pytest

from tests.edit.editing import apply_changeset, edit_file

GOOGLE = '''\
def f(items, rate: int):
    """Return the total.

    Uses `rate` twice.

    Args:
        items: what is sold,
            each with a price.
        rate (int): in percent.

    Returns:
        The total.
    """
    return items
'''
NUMPY = '''\
def f(items, rate: int):
    """Return the total.

    Parameters
    ----------
    items
        What is sold.
    rate : int
        In percent.

    Returns
    -------
    int
    """
'''
SPHINX = '''\
def f(items, rate: int):
    """Return the total.

    :param items: what is sold,
        each with a price
    :param rate: in percent
    :type rate: int
    :returns: the total
    """
'''
JSDOC = """\
/**
 * Return the total.
 *
 * @param {Item[]} items - what is sold,
 *   each with a price
 * @param {number} rate - in percent
 * @returns {number}
 */
function f(items, rate) {
  return 1;
}
"""
JAVADOC = """\
class A {
  /**
   * Returns the total.
   *
   * @param items what is sold
   * @param rate in percent
   * @return the total
   */
  int f(int items, int rate) {
    return 1;
  }
}
"""
CASES = {
    "Google: renamed and retyped": (
        "a.py",
        GOOGLE,
        "def f(items, tax_rate: float):",
        [
            ("items, rate: int", "items, tax_rate: float"),
            ("`rate`", "`tax_rate`"),
            ("rate (int)", "tax_rate (float)"),
        ],
    ),
    "Google: removed": (
        "a.py",
        GOOGLE,
        "def f(rate: int):",
        [("items, rate", "rate"), ("        items: what is sold,\n            each with a price.\n", "")],
    ),
    "Google: added": (
        "a.py",
        GOOGLE,
        "def f(items, currency, rate: int, *, more: str = 'x'):",
        [
            ("items, rate: int", "items, currency, rate: int, *, more: str = 'x'"),
            ("a price.\n", "a price.\n        currency: Not described yet.\n"),
            ("percent.\n", "percent.\n        more (str): Defaults to 'x'.\n"),
        ],
    ),
    "Google: all removed": (
        "a.py",
        GOOGLE,
        "def f():",
        [
            ("items, rate: int", ""),
            (GOOGLE[GOOGLE.index("    Args:") : GOOGLE.index("    Returns:")], ""),
        ],
    ),
    "Google: with stars": (
        "a.py",
        'def f(a, *args, **more):\n    """It.\n\n    Args:\n        a: one.\n        *args: rest.\n'
        '        **more: more.\n    """\n',
        "def f(b, *args, c=1, **more):",
        [
            ("a, *args", "b, *args, c=1"),
            ("a: one", "b: one"),
            ("*args: rest.\n", "*args: rest.\n        c: Defaults to 1.\n"),
        ],
    ),
    "Google: with stars, the first removed": (
        "a.py",
        'def f(a, *args):\n    """It.\n\n    Args:\n        a: one.\n        *args: rest.\n    """\n',
        "def f(*args):",
        [("a, *args", "*args"), ("        a: one.\n", "")],
    ),
    "NumPy: renamed": (
        "a.py",
        NUMPY,
        "def f(items, tax_rate: float):",
        [("items, rate: int", "items, tax_rate: float"), ("rate : int", "tax_rate : float")],
    ),
    "NumPy: removed and added": (
        "a.py",
        NUMPY,
        "def f(rate: int, currency: str, x=1):",
        [
            ("items, rate: int", "rate: int, currency: str, x=1"),
            ("    items\n        What is sold.\n", ""),
            (
                "In percent.\n",
                "In percent.\n    currency : str\n        Not described yet.\n"
                "    x\n        Defaults to 1.\n",
            ),
        ],
    ),
    "Sphinx: renamed": (
        "a.py",
        SPHINX,
        "def f(items, tax_rate: float):",
        [
            ("items, rate: int", "items, tax_rate: float"),
            (":param rate", ":param tax_rate"),
            (":type rate: int", ":type tax_rate: float"),
        ],
    ),
    "Sphinx: removed": (
        "a.py",
        SPHINX,
        "def f(items):",
        [("items, rate: int", "items"), ("    :param rate: in percent\n    :type rate: int\n", "")],
    ),
    "Sphinx: added": (
        "a.py",
        SPHINX,
        "def f(items, rate: int, currency: str):",
        [
            ("rate: int)", "rate: int, currency: str)"),
            (
                ":type rate: int\n",
                ":type rate: int\n    :param currency: Not described yet.\n    :type currency: str\n",
            ),
        ],
    ),
    "JSDoc: renamed": (
        "a.js",
        JSDOC,
        "function f(items, taxRate)",
        [("items, rate", "items, taxRate"), ("} rate", "} taxRate")],
    ),
    "JSDoc: removed": (
        "a.js",
        JSDOC,
        "function f(rate)",
        [("items, rate", "rate"), (" * @param {Item[]} items - what is sold,\n *   each with a price\n", "")],
    ),
    "JSDoc: added": (
        "a.js",
        JSDOC,
        "function f(items, rate, currency)",
        [
            ("items, rate", "items, rate, currency"),
            ("in percent\n", "in percent\n * @param {*} currency - Not described yet.\n"),
        ],
    ),
    "Javadoc: renamed": (
        "A.java",
        JAVADOC,
        "int f(int items, int taxRate)",
        [("int rate", "int taxRate"), ("@param rate", "@param taxRate")],
    ),
    "Javadoc: added": (
        "A.java",
        JAVADOC,
        "int f(int items, int rate, int more)",
        [
            ("int rate", "int rate, int more"),
            ("in percent\n", "in percent\n   * @param more Not described yet.\n"),
        ],
    ),
    "a constructor documented in its class": (
        "a.py",
        'class f:\n    """It.\n\n    Args:\n        a: one.\n    """\n\n'
        "    def __init__(self, a):\n        self.a = a\n",
        "def __init__(self, b):",
        [("a: one", "b: one"), ("self, a", "self, b")],
    ),
    "no documented parameters": (
        "a.py",
        'def f(a):\n    """Return it."""\n',
        "def f(a, b):",
        [("f(a)", "f(a, b)")],
    ),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("case", CASES)
def test_documentation_follows_the_signature(case: str, ending: str) -> None:
    path, before, code, changes = CASES[case]
    after = before
    for old, new in changes:
        assert old in after
        after = after.replace(old, new, 1)
    symbol = "A.f" if path == "A.java" else "f.__init__" if "__init__" in before else "f"
    op = {"op": "signature", "symbol": symbol, "code": code, "docs": True}
    result = edit_file(before.replace("\n", ending), op, path=path)
    assert result.decode() == after.replace("\n", ending)


def test_documentation_stays_without_the_option() -> None:
    op = {"op": "signature", "symbol": "f", "code": "def f(items, tax_rate: int):"}
    assert edit_file(GOOGLE, op) == GOOGLE.replace("rate: int", "tax_rate: int", 1).encode()


def test_documentation_changes_are_reported() -> None:
    op = {"op": "signature", "symbol": "f", "code": "def f(rate: int, currency):", "docs": True}
    (result,) = apply_changeset(GOOGLE, op).done
    assert result.edit is not None
    assert result.edit.corrections == (
        "documentation: removed items",
        "documentation: added currency, not described yet",
    )
