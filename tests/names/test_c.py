"""C: scopes, files, members and macros.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations, format_changes

SCOPES = {
    "a local name holds from its place on, and hides what is outside": """
        // a.c
        int x; int f(void) { g(x); int «x» = 1; { g(«x»); int x = 2; g(x); } for (int x = 0; x < 3; x++) ;
        return «x»; }
    """,
    "parameters hold in the body of their function alone": """
        // a.c
        int f(int x); int g(int x);
        int *f2(int «x», int (*cb)(int x)) { return cb(«x»); }
        int x; int y = 1;
    """,
    "labels": """
        // a.c
        void f(int l) { «l»: g(l); goto «l»; } void g(int x) { l: goto l; }
    """,
    "a tag and a variable of one name": """
        // a.c
        struct «s» { int s; }; int s; typedef struct t s2; struct «s» *f(struct «s» *p) { return s ? p : 0; }
    """,
    "the variable of them": """
        // a.c
        struct s { int s; }; int «s»; struct s *f(struct s *p) { p->s = «s»; return sizeof(«s») ? p : 0; }
    """,
    "a type and a tag of one name": """
        // a.c
        typedef struct foo { struct foo *next; } «foo»;
        «foo» *f(«foo» a) { return (struct foo *)(«foo» *)a.next; }
    """,
    "a parameter that is a pointer to a function": """
        // a.c
        int f(int (*«x»)(int), int n) { for (int i = 0; i < n; i++) n = «x»(n); return n; } int x(int);
    """,
    "a type and a local variable of its name": """
        // a.c
        typedef int «x»; int f(void) { «x» x = 1; return x; } «x» g(«x» a);
    """,
    "what a macro makes a member, or a part of a name, of": """
        // a.c
        #define GET(of, member) ((of).member)
        #define BOTH(a, b) ((a) + (b))
        #define MAKE(field) int get_##field(struct s v) { return v.field; }
        struct s { int «x»; };
        MAKE(x)
        int f(struct s v, int y) { int x = BOTH(y, 1); return BOTH(x, GET(v, ¿x?)) + v.«x»; }
    """,
    "what a macro hands on to one that makes a member of it": """
        // a.c
        #define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
        #define entry_of(pointer, type, member) container_of(pointer, type, member)
        #define TWICE(left, right) BOTH(left, right)
        #define BOTH(left, right) ((left) + (right))
        struct s { int «x»; };
        int f(int *y) { struct s v; int *x = &v.«x»; y = TWICE(x, y);
            return container_of(x, struct s, ¿x?)->¿x? + entry_of(y, struct s, ¿x?)->¿x?; }
    """,
    "what a macro takes a member of": """
        // a.c
        #define GET(of, member) ((of).member)
        struct s { int y; };
        int f(struct s «x») { return GET(«x», y) + GET((«x»), y); }
    """,
    "enumerators": """
        // a.c
        enum e { «A», B = «A» }; int f(int x) { switch (x) { case «A»: return B; } int A = 1; return A; }
    """,
}

MEMBERS = {
    "through pointers, values, arrays and calls": """
        // a.c
        struct p { int «x»; }; struct q { int x; struct p *in; };
        struct p *mk(void); static struct p all[3]; int x;
        int f(struct p *a, struct q b) { return a->«x» + b.x + b.in->«x»
            + mk()->«x» + all[1].«x» + (*a).«x» + x; }
    """,
    "through typedefs, anonymous types and casts": """
        // a.c
        typedef struct { int «n»; union { int u; struct { int w; }; }; } T, *P;
        int f(P p, void *v) { T t; t.«n» = p->«n»; return ((T *)v)->«n» + ((P)v)->u; }
    """,
    "of unnamed unions in a struct": """
        // a.c
        typedef struct { int n; union { int u; struct { int «w»; }; }; } T;
        int f(T *p) { return p->«w» + p->u; }
    """,
    "designators": """
        // a.c
        struct in { int «x»; }; struct out { struct in a; int x; };
        struct out o = { .a.«x» = 1, .x = 2 }; struct out v[] = { [1] = { .a = { .«x» = 3 } } };
        struct in *f(void) { return &(struct in){ .«x» = 1 }; } int n = offsetof(struct in, «x»);
    """,
    "of something that nobody knows": """
        // a.c
        struct p { int «x»; };
        int f(void) { return unknown()->¿x?; }
    """,
}

FILES = {
    "a function is declared in a header and defined beside": """
        // src/util.h
        int «run»(int);
        // src/util.c
        #include "util.h"
        int «run»(int n) { return n ? «run»(n - 1) : 0; }
        // src/main.c
        #include "util.h"
        int main(void) { return «run»(3); }
        // other/main.c
        static int run(int n) { return n; }
        int main(void) { return run(3); }
    """,
    "what two files declare without a header may be the same": """
        // a.c
        int «count»; int f(void) { return «count»; }
        // b.c
        extern int ¿count?; int g(void) { return ¿count?; }
        // c.c
        static int count; int h(void) { return count; }
    """,
    "static is of its file": """
        // a.c
        static int «n»(void); static int «n»(void) { return 1; } int f(void) { return «n»(); }
        // b.c
        int n(void) { return 2; }
    """,
    "headers are found by the end of their path": """
        // include/lib/api.h
        struct «conn»; struct «conn» *dial(void);
        // src/impl.c
        #include <lib/api.h>
        struct «conn» { int fd; }; struct «conn» *dial(void) { return 0; }
        // src/own.c
        struct conn { int x; }; struct conn c;
    """,
    "members over files": """
        // p.h
        struct p { int «x»; };
        // a.c
        #include "p.h"
        int f(struct p *a) { return a->«x»; }
        // b.c
        struct p { int x; }; int g(struct p *a) { return a->x; }
    """,
    "what is declared in a block is the one outside": """
        // a.c
        int «n»; int f(void) { extern int «n»; return «n»; }
    """,
    "a use that no include leads to": """
        // a.h
        int «helper»(void);
        // b.c
        int f(void) { return ¿helper?(); }
    """,
}

MACROS = {
    "a name in the text of a macro": """
        // a.c
        static int «n»; static int m;
        #define NEXT (¿n? + 1)
        #define ARG(n) (n + 1)
        int f(void) { return NEXT + ARG(«n»); }
    """,
    "an argument that becomes text": """
        // a.c
        static int «n»;
        #define SHOW(v) show(#v, v)
        int f(void) { return SHOW(¿n?); }
    """,
    "a macro of the same name": """
        // a.c
        static int «other»; int f(void) { return «other»; }
        // b.c
        int other(void);
        #define other mine
        int g(void) { return other(); }
    """,
    "a macro itself": """
        // a.h
        #define «SIZE» 3
        // a.c
        #include "a.h"
        #ifdef «SIZE»
        int x[«SIZE»];
        #endif
        // b.c
        int y[SIZE];
    """,
    "a macro behind a comment": """
        // a.c
        #define /* of all,
        in bytes */ «SIZE» 3
        int x[«SIZE»];
    """,
    "a macro on the next line": """
        // a.c
        #define \\
        «SIZE» 3
        int x[«SIZE»];
    """,
    "what the grammar does not understand": """
        // a.c
        static int «n»;
        int f(void) { return «n»; }
        int g(void) { ) ¿n? ( ; }
    """,
}


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MEMBERS.values(), ids=MEMBERS)
def test_members(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_files(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MACROS.values(), ids=MACROS)
def test_macros(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize(
    ("name", "to", "code"),
    [
        ("a", "b", "duplicate_symbol"),
        ("a", "p", "duplicate_symbol"),
        ("g", "h", "duplicate_symbol"),
        ("a", "while", "invalid_name"),
        ("M", "N", "kind_mismatch"),
    ],
)
def test_invalid_rename_is_refused(name: str, to: str, code: str) -> None:
    before = "# a.c\n#define M 1\nint g, h; int f(int p) { int a = M; int b = a; return p + b; }\n"
    line = 1 if name == "M" else 2
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            before, {"op": "rename", "path": "a.c", "start": line, "name": f"{name}#1", "to": to}
        )
    assert caught.value.code == code


def test_same_name_in_another_block_does_not_conflict() -> None:
    before = "# a.c\nint f(int p) { { int a = 1; p = a; } { int b = 2; p = b; } return p; }\n"
    outcome = apply_operations(before, {"op": "rename", "path": "a.c", "start": 1, "name": "a#1", "to": "b"})
    assert "int b = 1; p = b; } { int b = 2; p = b;" in format_changes(outcome)
