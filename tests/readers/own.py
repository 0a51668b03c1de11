"""The languages' own readers, as far as they are on this machine: what they refuse, and what programs answer.

Each is asked for many programs at once, since starting one costs more than reading.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

_PATIENCE = 300
_TOOLCHAINS = {"RUSTUP_HOME": str(Path.home() / ".rustup"), "CARGO_HOME": str(Path.home() / ".cargo")}
"""Where rustup looks for compilers, in whatever home a test has."""
REFUSED = "refused"
READ = "read"
"""It is one of the language; what it does is not asked."""


class Reader(NamedTuple):
    """One reader.

    Attributes:
        name: of it.
        language: of its programs, see ``programs.py``.
        read: for each program ``refused``, ``read``, or what its probe answers.
        there: whether it can be asked here.
    """

    name: str
    language: str
    read: Callable[[Sequence[bytes]], list[str]]
    there: bool


def _python(programs: Sequence[bytes]) -> list[str]:
    return [_answer(program) for program in programs]


def _answer(program: bytes) -> str:
    names: dict[str, object] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = compile(program, "a.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return REFUSED
    try:
        exec(compiled, names)  # noqa: S102 - it is made of the pieces in programs.py
        probe = names["probe"]
        return str(probe()) if callable(probe) else READ
    except Exception:  # a program that is wrong when it runs
        return READ


def _sqlite(programs: Sequence[bytes]) -> list[str]:
    found = []
    for program in programs:
        with closing(sqlite3.connect(":memory:")) as memory:
            try:
                memory.executescript(program.decode("utf-8"))
            except (sqlite3.Error, ValueError):
                found.append(REFUSED)
                continue
            found.append(READ)
    return found


def _fed(*words: str) -> Callable[[Sequence[bytes]], list[str]]:
    """A program that reads one text in base 64 from each line, and answers in a line."""

    def read(programs: Sequence[bytes]) -> list[str]:
        given = b"".join(base64.b64encode(program) + b"\n" for program in programs)
        done = subprocess.run(words, input=given, capture_output=True, check=False, timeout=_PATIENCE)
        said = [
            line.split("answer:", 1)[1] for line in done.stdout.decode().splitlines() if "answer:" in line
        ]
        assert len(said) == len(programs), (words[0], done.stderr.decode()[-2000:])
        return said

    return read


def _named(suffix: str, *words: str) -> Callable[[Sequence[bytes]], list[str]]:
    """A program that is given files, and names those that it refuses."""

    def read(programs: Sequence[bytes]) -> list[str]:
        with tempfile.TemporaryDirectory(prefix="readers-") as folder:
            for number, program in enumerate(programs):
                (Path(folder) / f"p{number}{suffix}").write_bytes(program)
            files = [f"p{number}{suffix}" for number in range(len(programs))]
            done = subprocess.run(
                [*words, *files], cwd=folder, capture_output=True, check=False, timeout=_PATIENCE
            )
        told = re.findall(rf"\bp(\d+){re.escape(suffix)}:\d+[:\d]* ?(?!.*warning)".encode(), done.stderr)
        refused = {int(number) for number in told}
        return [REFUSED if number in refused else READ for number in range(len(programs))]

    return read


def _each(suffix: str, *words: str) -> Callable[[Sequence[bytes]], list[str]]:
    """A program that is started for each file, and fails where it refuses it."""

    def read(programs: Sequence[bytes]) -> list[str]:
        with tempfile.TemporaryDirectory(prefix="readers-") as folder:
            return list(_one_by_one(Path(folder) / f"p{suffix}", words, programs))

    return read


def _one_by_one(file: Path, words: Sequence[str], programs: Sequence[bytes]) -> Iterator[str]:
    for program in programs:
        file.write_bytes(program)
        done = subprocess.run(
            [*words, file.name],
            cwd=file.parent,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            env={**_TOOLCHAINS, **os.environ},
        )
        yield REFUSED if done.returncode else READ


_NODE = """
const vm = require('vm');
for (const row of require('fs').readFileSync(0, 'latin1').split('\\n').slice(0, -1)) {
  let text = Buffer.from(row, 'base64').toString('utf8').replace(/^\\uFEFF/, '');
  let said = 'read', script = null;
  try { script = new vm.Script(text); } catch (error) { said = 'refused'; }
  if (script) try { said = String(vm.runInNewContext(text + '\\n;probe()')); } catch (error) {}
  console.log('answer:' + said);
}
"""
_PHP = """
foreach (file('php://stdin') as $row) {
  $said = 'read';
  try { @token_get_all(base64_decode($row), TOKEN_PARSE); } catch (Throwable $error) { $said = 'refused'; }
  echo "answer:$said\\n";
}
"""
_RUBY = """
require 'tempfile'
STDIN.each_line do |row|
  said = 'read'
  file = Tempfile.new(['p', '.rb']); file.binmode; file.write(row.unpack1('m')); file.close
  begin
    Object.send(:remove_method, :probe) rescue nil
    $VERBOSE = nil
    load file.path
    said = (probe.to_s rescue 'read')
  rescue SyntaxError, EncodingError, ArgumentError
    said = 'refused'
  rescue Exception
  end
  puts "answer:" + said
  file.unlink
end
"""
_LUA = """
local letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
local function decoded(row)
  local out, bits, held = {}, 0, 0
  for letter in row:gmatch('[%w+/]') do
    held = (held * 64 + letters:find(letter, 1, true) - 1) % 65536; bits = bits + 6
    if bits >= 8 then bits = bits - 8; out[#out + 1] = string.char(held // 2 ^ bits // 1 % 256 // 1 | 0) end
  end
  return table.concat(out)
end
for row in io.lines() do
  local said, names = 'refused', setmetatable({}, {__index = _G})
  local text = decoded(row):gsub('^\\239\\187\\191', '')
  local loaded = load(text, 'p', 't', names)
  if loaded then
    said = 'read'
    if pcall(loaded) then local ok, what = pcall(names.probe); if ok then said = tostring(what) end end
  end
  print('answer:' .. said)
end
"""
_JAVA = """
import java.net.URI; import java.util.*; import javax.tools.*; import com.sun.source.util.JavacTask;
import java.nio.charset.StandardCharsets;
public class Reader {
  public static void main(String[] words) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler(); Scanner in = new Scanner(System.in);
    while (in.hasNextLine()) {
      String text = new String(Base64.getDecoder().decode(in.nextLine()), StandardCharsets.UTF_8);
      DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
      URI name = URI.create("string:///A.java");
      JavaFileObject file = new SimpleJavaFileObject(name, JavaFileObject.Kind.SOURCE) {
        public CharSequence getCharContent(boolean ignored) { return text; } };
      ((JavacTask) compiler.getTask(null, null, found, null, null, List.of(file))).parse();
      boolean bad = found.getDiagnostics().stream().anyMatch(each -> each.getKind() == Diagnostic.Kind.ERROR);
      System.out.println("answer:" + (bad ? "refused" : "read"));
    }
  }
}
"""


def _java(programs: Sequence[bytes]) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="readers-") as folder:
        file = Path(folder) / "Reader.java"
        file.write_text(_JAVA)
        return _fed("java", str(file))(programs)


def _bash(programs: Sequence[bytes]) -> list[str]:
    found = _each(".sh", "bash", "-n")(programs)
    with tempfile.TemporaryDirectory(prefix="readers-") as folder:
        for number, program in enumerate(programs):
            if found[number] != REFUSED:
                (Path(folder) / "p.sh").write_bytes(program)
                words = ("bash", "-c", ". ./p.sh > /dev/null 2>&1; probe")
                done = subprocess.run(
                    words,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                    timeout=_PATIENCE,
                )
                found[number] = done.stdout.decode("latin-1").strip() or READ
    return found


def _has(*names: str) -> bool:
    return all(shutil.which(name) for name in names)


READERS = (
    Reader("CPython", "python", _python, True),
    Reader("SQLite", "sql", _sqlite, True),
    Reader("node", "javascript", _fed("node", "-e", _NODE), _has("node")),
    Reader("PHP", "php", _fed("php", "-r", _PHP), _has("php")),
    Reader("Ruby", "ruby", _fed("ruby", "-e", _RUBY), _has("ruby")),
    Reader("Lua", "lua", _fed("lua", "-e", _LUA), _has("lua")),
    Reader("javac", "java", _java, _has("java", "javac")),
    Reader("gcc", "c", _named(".c", "gcc", "-fsyntax-only", "-w"), _has("gcc")),
    Reader("clang", "c", _named(".c", "clang", "-fsyntax-only", "-w"), _has("clang")),
    Reader("gofmt", "go", _named(".go", "gofmt", "-e", "-l"), _has("gofmt")),
    Reader(
        "rustc",
        "rust",
        _each(".rs", "rustc", "--crate-type=lib", "--emit=metadata", "-Awarnings"),
        _has("rustc"),
    ),
    Reader("bash", "bash", _bash, _has("bash")),
)
