"""Edits where a terminator, a layout or several clauses belong to a definition."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, assert_edit, delete, edit_file, expect_refusal, insert, replace, signature

SQL = """
    -- Who there is.
    CREATE TABLE public.users (
      -- the key
      id bigserial PRIMARY KEY,
      name text NOT NULL, -- shown
      age int CHECK (age > 0)
    );

    GRANT SELECT ON public.users TO PUBLIC;

    CREATE VIEW v AS SELECT 1;

    CREATE FUNCTION app.f(a int) RETURNS int AS $$
    BEGIN
      IF a > 0 THEN RETURN ';'; END IF;
    END;
    $$ LANGUAGE plpgsql;
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (delete("users.age"), "NOT NULL, -- shown\n      age int CHECK (age > 0)", "NOT NULL -- shown"),
        (delete("users.id"), "      -- the key\n      id bigserial PRIMARY KEY,\n", ""),
        (delete("v"), "    CREATE VIEW v AS SELECT 1;\n\n", ""),
        (replace("id", "id int"), "id bigserial PRIMARY KEY", "id int"),
        (replace("users.age", "age int,"), "age int CHECK (age > 0)", "age int"),
        (replace("v", "CREATE VIEW v AS SELECT 2"), "SELECT 1", "SELECT 2"),
        (replace("v", "CREATE VIEW v AS SELECT 2;"), "SELECT 1", "SELECT 2"),
        (insert("users", "last", "x int"), "(age > 0)", "(age > 0),\n      x int"),
        (insert("age", "after", "x int,"), "(age > 0)", "(age > 0),\n      x int"),
        (insert("users", "first", "x int"), "users (\n", "users (\n      x int,\n"),
        (insert("v", "after", "CREATE VIEW w AS TABLE v"), "1;\n", "1;\n\n    CREATE VIEW w AS TABLE v;\n"),
        (
            signature("f", "CREATE FUNCTION app.f(a int, b int) RETURNS int"),
            "f(a int) RETURNS",
            "f(a int, b int) RETURNS",
        ),
        (
            replace("f", "CREATE FUNCTION app.f(a int) RETURNS int\n  LANGUAGE sql\n  RETURN a"),
            "AS $$\n    BEGIN\n      IF a > 0 THEN RETURN ';'; END IF;\n    END;\n    $$ LANGUAGE plpgsql;",
            "\n      LANGUAGE sql\n      RETURN a;",
        ),
    ],
)
def test_sql_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert SQL.count(old) == 1
    after = SQL.replace(old, new).replace("int \n", "int\n")
    assert_edit(SQL, op, after, path="a.sql")


def test_sql_column_without_a_comma_is_refused() -> None:
    assert (
        expect_refusal(SQL, insert("users.id", "before", "a int\nb int"), path="a.sql").code == "syntax_error"
    )
    assert expect_refusal(
        SQL, insert("v", "after", "CREATE TABLE public.users (a int)"), path="a.sql"
    ).code == ("duplicate_symbol")


def test_sql_delimiter_ends_a_routine() -> None:
    before = b"DELIMITER $$\nCREATE PROCEDURE f()\nBEGIN\n  SELECT 1;\nEND$$\nDELIMITER ;\n"
    for end in ("", "$$"):
        code = f"CREATE PROCEDURE f()\nBEGIN\n  SELECT 2;\nEND{end}"
        assert edit_file(before, replace("f", code), path="a.sql") == before.replace(b"1", b"2")


def test_sql_routines_may_share_a_name() -> None:
    code = "CREATE FUNCTION app.f(a text) RETURNS int RETURN 1;"
    assert edit_file(
        b"CREATE FUNCTION app.f(a int) RETURNS int RETURN 1;\n", insert("f", "after", code), path="a.sql"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE PROCEDURE f() BEGIN DECLARE x int; END$$",
        "CREATE PROCEDURE f @a int AS\nSELECT 1;\nSELECT 2\nGO",
        "CREATE TRIGGER f AFTER UPDATE ON t BEGIN\n  UPDATE a SET b = 1;\nEND;",
        "create or replace procedure f is\n  n number;\nbegin\n  null;\nend f;\n/",
    ],
)
def test_routine_of_every_sql_dialect_is_deleted(statement: str) -> None:
    before = f"CREATE TABLE a (b int);\n\n{statement}\n\nCREATE TABLE c (d int);\n"
    last = statement.removesuffix("\nGO").removesuffix("\n/")
    after = edit_file(before.encode(), delete("f"), path="a.sql").decode()
    assert (
        after == before.replace(last + "\n", "") if last != statement else before.replace(last + "\n\n", "")
    )


HASKELL = """
    module M where

    import A

    -- | Why.
    f :: Int -> Int
    f 0 = 1
    -- Else.
    f n = go n
      where
        go 0 = 1
        go m = m
    {-# INLINE f #-}

    g x
      | x > 1 = 2
      | otherwise = 3

    data R a
      = R1 Int a -- ^ One.
      | R2
        { r1 :: Int
        , r2 :: a
        }
      deriving (Show)

    data T = T1 | T2

    class C a where
      m :: a -> Int
      m _ = 1

    instance C Int where
      m x = let h y = y
                k z = z
            in h (k x)
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (signature("f", "f :: Int -> Bool"), "f :: Int -> Int", "f :: Int -> Bool"),
        (signature("g", "g x y"), "g x\n", "g x y\n"),
        (signature("/C", "class Eq a => C a"), "class C a where", "class Eq a => C a where"),
        (signature("R", "data R a b"), "data R a\n", "data R a b\n"),
        (
            replace("f", "f :: Int -> Int\nf n = 2"),
            """
    f 0 = 1
    -- Else.
    f n = go n
      where
        go 0 = 1
        go m = m
    {-# INLINE f #-}
""",
            "\n    f n = 2\n",
        ),
        (replace("f.go", "go n\n  | n > 1 = 1"), "go 0 = 1\n        go m = m", "go n\n          | n > 1 = 1"),
        (replace("C.m", "m :: a -> Int"), "m :: a -> Int\n      m _ = 1", "m :: a -> Int"),
        (
            replace("Int.m.h", "h y = case y of\n  z -> z"),
            "let h y = y",
            "let h y = case y of\n                  z -> z",
        ),
        (insert("m.h", "after", "i = 1"), "h y = y\n", "h y = y\n                i = 1\n"),
        (insert("g", "before", "h = 1"), "    g x\n", "    h = 1\n\n    g x\n"),
        (
            insert("f", "after", "h :: Int\nh = 1"),
            "INLINE f #-}\n",
            "INLINE f #-}\n\n    h :: Int\n    h = 1\n",
        ),
        (delete("g"), "    g x\n      | x > 1 = 2\n      | otherwise = 3\n\n", ""),
        (delete("r1"), "{ r1 :: Int\n        , r2", "{ r2"),
        (delete("r2"), "        , r2 :: a\n", ""),
        (delete("R1"), "= R1 Int a -- ^ One.\n      | R2", "= R2"),
        (delete("T1"), "T1 | T2", "T2"),
        (insert("R1", "after", "R3 Int"), "-- ^ One.\n", "-- ^ One.\n      | R3 Int\n"),
        (insert("R1", "before", "R3"), "= R1", "= R3\n      | R1"),
        (insert("r1", "after", "r3 :: Int"), "r1 :: Int\n", "r1 :: Int\n        , r3 :: Int\n"),
        (insert("T2", "before", "| T3"), "T1 | T2", "T1 | T3 | T2"),
        (insert("T", "last", "T3"), "T1 | T2", "T1 | T2 | T3"),
    ],
)
def test_haskell_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert HASKELL.count(old) == 1
    assert_edit(HASKELL, op, HASKELL.replace(old, new), path="a.hs")


def test_haskell_signature_and_equations_are_one_function() -> None:
    after = edit_file(b"f :: Int\nf = 1\n{-# NOINLINE f #-}\n\ng = 2\n", delete("f"), path="a.hs")
    assert after == b"g = 2\n"
    assert expect_refusal("f = 1\n", insert("f", "after", "f :: Int"), path="a.hs").code == "duplicate_symbol"
    assert (
        expect_refusal("f 0 = 1\n", insert("f", "after", "f 1 = 2"), path="a.hs").code == "duplicate_symbol"
    )
    assert expect_refusal(HASKELL, replace("f", "k :: Int\nk = 1"), path="a.hs").code == "name_mismatch"


def test_haskell_operator_is_found_with_and_without_parentheses() -> None:
    before = b"(.:) :: A -> B\nx .: y = x\n"
    for name in ('".:"', '"(.:)"'):
        assert edit_file(before, replace(name, "x .: y = y"), path="a.hs") == b"x .: y = y\n"


OCAML = """
    (** Of t. *)
    type t = {
      a : int; (** of a *)
      b : string
    }
    [@@deriving show]

    type l =
      { x : int
      ; y : int
      }

    type v =
      | A
      | B of int

    type i = P | Q

    let rec f x = g x
    [@@inline]

    and g y =
      y + 1

    module E = struct end

    module M = struct
      let a = 1

      let b = 2
    end

    class c = object (self)
      method get = 1
    end
    """


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (insert("t", "last", "c : int"), "b : string\n", "b : string;\n      c : int\n"),
        (insert("l.x", "after", "z : int"), "x : int\n", "x : int\n      ; z : int\n"),
        (insert("l.x", "before", "z : int"), "{ x : int\n", "{ z : int\n      ; x : int\n"),
        (delete("l.x"), "{ x : int\n      ; y", "{ y"),
        (delete("l.y"), "      ; y : int\n", ""),
        (insert("A", "before", "| C"), "| A\n", "| C\n      | A\n"),
        (insert("v", "last", "C"), "| B of int\n", "| B of int\n      | C\n"),
        (delete("v.B"), "      | B of int\n", ""),
        (delete("P"), "P | Q", "Q"),
        (delete("Q"), "P | Q", "P"),
        (replace("f", "let rec f x = 1"), "f x = g x\n    [@@inline]", "f x = 1"),
        (replace("g", "and g y = y"), "and g y =\n      y + 1", "and g y = y"),
        (signature("g", "and g y z"), "and g y =", "and g y z ="),
        (delete("g"), "    and g y =\n      y + 1\n\n", ""),
        (signature("M", "module M : S"), "module M =", "module M : S ="),
        (insert("E", "first", "let a = 1"), "struct end", "struct\n      let a = 1\n    end"),
        (insert("M", "last", "let d = 1"), "b = 2\n", "b = 2\n\n      let d = 1\n"),
        (insert("c", "first", "val x = 0"), "object (self)\n", "object (self)\n      val x = 0\n\n"),
        (replace("c.get", "method get = 2"), "get = 1", "get = 2"),
    ],
)
def test_ocaml_symbol_is_edited(op: Op, old: str, new: str) -> None:
    assert OCAML.count(old) == 1
    assert_edit(OCAML, op, OCAML.replace(old, new), path="a.ml")


def test_member_that_absorbs_its_neighbour_is_refused() -> None:
    assert (
        expect_refusal("type t = A of\n  int\n", insert("A", "after", "-> x"), path="a.ml").code
        == "syntax_error"
    )
    assert edit_file(b"data T = A | B\n", insert("A", "before", "C"), path="a.hs") == b"data T = C | A | B\n"


@pytest.mark.parametrize(
    ("before", "symbol", "new", "path"),
    [
        ("CREATE TABLE a (b int, c int);\n", "c", "d int", "a.sql"),
        ("data T = A { b :: Int, c :: Int }\n", "c", "d :: Int", "a.hs"),
        ("type t =\n  | A\n  | B\n", "B", "D", "a.ml"),
        ("data T = A\n  { b :: Int\n  }\n  deriving Show\n", "A", "D", "a.hs"),
        ("type t = A of int\n", "A", "D", "a.ml"),
        ("type t =\n  { a : int\n  ; b : int\n  }\n", "b", "d : int", "a.ml"),
        ("CREATE TABLE a (\n  b int,\n  c int\n);\n", "c", "d int", "a.sql"),
    ],
)
@pytest.mark.parametrize("position", ["before", "after"])
def test_member_insert_and_delete_restore_the_file(
    before: str, symbol: str, new: str, path: str, position: str
) -> None:
    inserted = edit_file(before, insert(symbol, position, new), path=path)
    assert inserted != before.encode()
    assert edit_file(inserted, delete(new.split(maxsplit=1)[0]), path=path) == before.encode()
