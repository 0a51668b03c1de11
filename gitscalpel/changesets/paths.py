"""Paths and globs of a repository.

Paths are refused if an edit through them could land outside the repository or in git's own directory, as in
git's ``verify_path`` (read-cache.c; CVE-2014-9390, CVE-2019-1352).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Literal

from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, TREE, Change, Entry, Overlay
from gitscalpel.errors import BadCall, DoesNotFit, Misconfigured, NotAllowed
from gitscalpel.errors.messages import arg, call, place

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


# Characters that HFS+ ignores in file names, so ``.g\u200cit`` is ``.git`` there.
HFS_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# NTFS: a short name, trailing dots and blanks, an alternate stream.
_GIT = re.compile(r"(?:\.git|git~[0-9]+)[. ]*(?::.*)?\Z", re.IGNORECASE)
# Letters by which git quotes these bytes (quote.c). Others are quoted by their octal number.
ESCAPES = dict(zip(b'\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))
_UNESCAPED = {letter.encode(): bytes([byte]) for byte, letter in ESCAPES.items()}
MAX_LENGTH = 4096
MAX_NAME = 255  # maximum bytes of a file name; hardly any file system supports more
MAX_FOLDERS = 500  # maximum depth of nested directories; only hostile trees are deeper
_MAX_LINKS = 40


def normalize_path(path: str) -> str:
    """Return the normalised path, relative to the root.

    Raises:
        BadCall: ``invalid_args``: the path is blank, not Unicode, too long or too deep, or contains NUL.
        NotAllowed: ``path_denied``.
    """
    path = unquote_path(path)
    if not path.strip():
        raise BadCall(
            "invalid_args", "the path is empty", "give the path of a file or directory in the repository"
        )
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a single surrogate, which JSON can contain
        raise BadCall(
            "invalid_args",
            f"the path {path!r} is not Unicode",
            'quote its bytes as git does, such as "caf\\351.txt"',
        ) from None
    if "\0" in path or len(raw) > MAX_LENGTH or any(len(name) > MAX_NAME for name in raw.split(b"/")):
        raise BadCall(
            "invalid_args",
            "the path contains NUL or is too long",
            "give the path of a file or directory in the repository",
        )
    if path.startswith(("/", "\\\\")) or re.match(r"[A-Za-z]:[\\/]", path):
        raise _denied_error(
            path, "it is absolute", "give the path from the repository root, such as src/app.py"
        )
    plain = posixpath.normpath(path)
    if plain == ".":
        raise _denied_error(path, "it is the repository's own folder", "name a file in it")
    if plain == ".." or plain.startswith("../"):
        raise _denied_error(path, "it leads out of the repository", "give a path inside the repository")
    if plain.count("/") > MAX_FOLDERS:
        raise BadCall(
            "invalid_args",
            f"the path is {plain.count('/')} directories deep",
            f"give a path that is at most {MAX_FOLDERS} directories deep",
        )
    for part in plain.split("/"):
        if is_git_folder(part):
            raise _denied_error(
                path, f"{part!r} is git's own folder on some systems", "edit files of the work tree only"
            )
    return plain


def unquote_path(path: str) -> str:
    """Return a path that is not UTF-8, from the form in which git and our answers quote it."""
    if not path.startswith('"') or not re.fullmatch(r'"(?:[^"\\]|\\[0-3][0-7][0-7]|\\[abtnvfr"\\])+"', path):
        return path
    plain = unescape_path(path[1:-1].encode("utf-8", "surrogateescape"))
    return path if _is_unicode(plain) else plain


def unescape_path(inner: bytes) -> str:
    raw = re.sub(rb"\\([0-7]{3}|[abtnvfr\"\\])", _unescape, inner)
    return raw.decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    return _UNESCAPED.get(match[1]) or bytes([int(match[1], 8) & 0xFF])


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def normalize_unicode(form: Literal["NFC", "NFKC"], name: str) -> str:
    """Return a name in a Unicode normal form, without loading the table of a megabyte for ASCII."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize(form, name)


def is_git_folder(part: str) -> bool:
    """Return True if some file system treats a name as ``.git``."""
    names = [part, *part.split("\\")]
    return any(_GIT.match(HFS_IGNORED.sub("", normalize_unicode("NFKC", name))) for name in names)


def resolve_path(path: str, snapshot: Overlay) -> str:
    """Return the path after following the repository's own symbolic links.

    Raises:
        BadCall, NotAllowed: as :func:`normalize_path`, also for the target of a link.
    """
    pending, resolved = normalize_path(path).split("/"), ""
    links = 0
    while pending:
        part = pending.pop(0)
        current = f"{resolved}/{part}" if resolved else part
        entry = snapshot.entry(current)
        if entry is None and not part.isascii():
            current = _find_other_form(resolved, part, snapshot) or current
            entry = snapshot.entry(current)
        if entry is not None and entry.mode == SUBMODULE:
            raise _denied_error(path, f"{current} is a submodule", "run git scalpel inside that repository")
        if entry is None or entry.mode != SYMLINK:
            resolved = current
            continue
        links += 1
        target = (snapshot.content(current) or b"").decode("utf-8", "surrogateescape")
        joined = posixpath.normpath(posixpath.join(resolved, target, *pending))
        if links > _MAX_LINKS:
            raise _denied_error(path, f"the symlink {current} is part of a cycle", "name the file itself")
        if target.startswith("/") or joined == ".." or joined.startswith("../"):
            raise _denied_error(
                path,
                f"the symlink {current} leads out of the repository",
                "name a file inside the repository",
            )
        pending, resolved = normalize_path(joined).split("/"), ""
    return resolved


def _find_other_form(folder: str, name: str, snapshot: Overlay) -> str:
    """Return the only path in a folder that equals ``name`` in Unicode normal form, or an empty string."""
    prefix = f"{folder}/" if folder else ""
    normalized = normalize_unicode("NFC", name)
    names = {each[len(prefix) :].split("/")[0] for each in snapshot.under(folder)}
    matches = [each for each in names if normalize_unicode("NFC", each) == normalized]
    return prefix + matches[0] if len(matches) == 1 else ""


def resolve_parent(path: str, snapshot: Overlay) -> str:
    """Return the path after following links in its parent directories, but not in its last part.

    Raises:
        BadCall, NotAllowed: as :func:`normalize_path`.
    """
    folder, _, name = normalize_path(path).rpartition("/")
    return f"{resolve_path(folder, snapshot)}/{name}" if folder else name


def check_symlink_target(link: str, target: str) -> None:
    """Raise if a symbolic link would lead out of the repository, or into git's own directory.

    Raises:
        NotAllowed: ``path_denied``.
    """
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(link), target))
    if target.startswith("/") or joined == ".." or joined.startswith("../"):
        raise _denied_error(
            link, f"it would be a symlink to {target}, out of the repository", "link to a file inside"
        )
    if any(is_git_folder(part) for part in joined.split("/")):
        raise _denied_error(
            link, f"it would be a symlink to {target}, git's own folder", "link to another file"
        )


Purpose = Literal["look", "edit", "remove", "move", "copy"]
"""What a caller does with a file. Only an editor may have meant to create one."""


def require_file(path: str, snapshot: Overlay, purpose: Purpose = "look") -> tuple[str, Entry]:
    """Return the resolved path of a file, and its entry.

    Raises:
        NotAllowed: ``path_denied``.
        DoesNotFit: ``file_not_found`` or ``not_a_file``.
    """
    resolved = resolve_path(path, snapshot)
    entry = snapshot.entry(resolved)
    if entry is None:
        raise _missing_error(path, resolved, snapshot, purpose)
    if entry.mode == TREE:
        raise DoesNotFit("not_a_file", f"{resolved} is a folder", "name a file in it", path=resolved)
    require_no_trailing_slash(path, resolved)
    return resolved, entry


def require_no_trailing_slash(path: str, file: str, reason: str = "", hint: str = "") -> None:
    """Raise ``BadCall`` (``invalid_args``) if ``path`` ends in a slash, but leads to the file ``file``."""
    if path.endswith(("/", "/.")):
        words = f"{file}/ names a directory, but {reason or f'{file} is a file'}"
        raise BadCall("invalid_args", words, hint or f"name it without the slash: {place(file)}", path=file)


def require_no_trailing_slashes(names: Iterable[str], files: Iterable[str]) -> None:
    """Raise ``BadCall`` if one of the ``names`` ends in a slash, but leads to one of the ``files``."""
    existing = {*files}
    for name in names:
        if name.endswith("/") and normalize_path(name) in existing:
            require_no_trailing_slash(name, normalize_path(name))


def _missing_error(typed: str, path: str, snapshot: Overlay, purpose: Purpose) -> DoesNotFit:
    if snapshot.left_out(path):
        return DoesNotFit(
            "file_not_found",
            f"{path} is not on disk: it is outside the sparse checkout",
            "`git sparse-checkout add` its folder, or edit it on the branch, which needs no checkout",
            path=path,
            left_out=True,
        )
    suggestion, suffix = _suggest_path(path, snapshot)
    create = "use write to create a file" if purpose == "edit" else ""
    if suffix:
        hint = _hint_for_part(suggestion, path[len(suggestion) :].lstrip(":"), purpose)
    elif suggestion:
        hint = f"did you mean {place(suggestion)}? {create}".rstrip()
    else:
        hint = f"check the path; {create + '; ' if create else ''}an untracked file can be edited on disk "
        hint += f"({arg('checkout')}), or has to be committed or adopted by a transaction first"
    return DoesNotFit(
        "file_not_found",
        f"no such file: {path}" + _describe_link(typed, path),
        hint,
        path=path,
        **({"meant": suggestion + suffix} if suggestion else {}),
    )


def _hint_for_part(file: str, part: str, purpose: Purpose) -> str:
    """Return the hint for a symbol or lines after a path, where a file is needed.

    The file alone is not suggested to a caller that removes or moves it, who meant the part.
    """
    start, symbol = (part, None) if part[0].isdigit() else (None, part)
    what = "lines" if start else "a symbol"
    if purpose == "remove":
        return f"to remove {what} of the file: {call('delete', path=file, symbol=symbol, start=start)}"
    if purpose == "look":
        return f"to look at {what} of the file: {call('show', path=file, symbol=symbol, start=start)}"
    if purpose == "move" and symbol:
        return f"this is about whole files; {call('move')} moves a symbol"
    needed = f"this is about a whole file, not {what}"
    return f"{needed}: did you mean {place(file)}?" if purpose == "edit" else needed


def _describe_link(typed: str, path: str) -> str:
    normalized = normalize_path(typed)
    return "" if normalized == path else f", to which the symlink on the way of {normalized} leads"


def _suggest_path(path: str, snapshot: Overlay) -> tuple[str, str]:
    """Return the path that was probably meant, and a suffix for a position in the file. Both may be empty.

    The path is that of the only file elsewhere with the same name, of a file with a similar name in the same
    directory, or the part before a colon.
    """
    file, colon, within = path.partition(":")
    within = within.lstrip(":")
    if colon and within and snapshot.entry(file) is not None:
        return file, f", with {'start' if within[0].isdigit() else 'symbol'} {within}"
    return _find_namesake(path, snapshot), ""


def _find_namesake(path: str, snapshot: Overlay) -> str:
    folder, _, name = path.rpartition("/")
    parts = path.split("/")
    tails = ("/".join(parts[at:]) for at in range(1, len(parts) - 1))
    tail = next((each for each in tails if snapshot.entry(each) is not None), "")
    if tail:  # a path from the root, typed in a subdirectory
        return tail
    paths = [*snapshot.under("")]
    matches = [each for each in paths if each.endswith(f"/{path}")]
    matches = matches or [each for each in paths if each.rpartition("/")[2] == name]
    if not matches:
        import difflib

        siblings = [each for each in paths if each.rpartition("/")[0] == folder]
        similar = difflib.get_close_matches(
            _strip_extension(name), {_strip_extension(each): each for each in siblings}, 1, 0.75
        )
        matches = [each for each in siblings if _strip_extension(each) in similar]
    return matches[0] if len(matches) == 1 else ""


def _strip_extension(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _denied_error(path: str, reason: str, hint: str) -> NotAllowed:
    return NotAllowed("path_denied", f"{path!r} is refused: {reason}", hint, path=path)


_WILD = re.compile(r"[*?\[\\]")
_SPECIAL = re.compile(r"[][*?\\ ]")


def escape(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name)


class Globs:
    """Patterns as in ``.gitignore``. Of those that match, the last one counts, and ``!`` marks an exception.

    With ``folded``, names are equal that some file systems treat as equal: case, Unicode forms, what NTFS
    cuts off a name, and its short names. An exception still matches only its exact spelling.

    Raises:
        Misconfigured: ``config_error``: a pattern is not valid.
    """

    def __init__(self, patterns: Iterable[str], *, folded: bool = False) -> None:
        self._folded = folded
        self._unfolded = tuple(patterns)
        if folded:
            self._unfolded = tuple(
                each for given in self._unfolded for each in (given, *_iter_short_forms(given))
            )
        self._patterns = tuple(map(self._fold, self._unfolded))
        self._spec = _compile(self._patterns)
        self._has_exceptions = any(map(_is_exception, self._unfolded))

    def match(self, path: str) -> bool:
        """Return True if the patterns match ``path``, relative to the root."""
        spec = self._spec
        if self._folded and self._has_exceptions:
            pairs = zip(self._unfolded, self._patterns, strict=True)
            spec = _compile(tuple(folded for given, folded in pairs if _applies(given, path)))
        folded_path = self._fold(path)
        return spec.match_file(folded_path) or (self._folded and spec.match_file(_trim_for_ntfs(folded_path)))

    def concern(self, change: Change, *, anywhere: bool = False) -> bool:
        """Return True if the patterns match a change, or a path that may be in a changed link or submodule.

        With ``anywhere``, patterns for any directory (``**/*.py``, ``*.py``) may match there too.
        """
        if self.match(change.path):
            return True
        folder = any(entry and entry.mode in (SYMLINK, SUBMODULE) for entry in (change.old, change.new))
        floats = anywhere and any(
            _split_pattern(p)[0] == "**" for p in self._patterns if not _is_exception(p)
        )
        return folder and (floats or self.match(f"{change.path}/.") or self._is_above(change.path))

    def _is_above(self, path: str) -> bool:
        parts = self._fold(path).split("/")
        return any(
            _is_prefix(_split_pattern(each), parts) for each in self._patterns if not _is_exception(each)
        )

    def among(self, names: Iterable[str]) -> Iterator[str]:
        return (path for path in names if self.match(path))

    def _fold(self, name: str) -> str:
        if not self._folded:
            return name
        return normalize_unicode("NFC", HFS_IGNORED.sub("", name)).casefold()


def _trim_for_ntfs(path: str) -> str:
    """Return a path as NTFS does, which cuts off final dots and blanks, and streams (``a::$DATA``)."""
    return "/".join(part.partition(":")[0].rstrip(". ") or part for part in path.split("/"))


def _iter_short_forms(pattern: str) -> Iterator[str]:
    if _is_exception(pattern):
        return
    short = "/".join(map(_shorten_name, pattern.split("/")))
    if short != pattern:
        yield short


def _shorten_name(name: str) -> str:
    stem, dot, suffix = name.lstrip(".").rpartition(".") if "." in name[1:] else (name.lstrip("."), "", "")
    plain = re.sub("[. ]", "", stem)
    if _WILD.search(name) or (name == stem + dot + suffix and len(stem) <= 8 and len(suffix) <= 3):
        return name
    return f"{plain[:6]}~[0-9]{dot}{suffix[:3]}"


def _is_exception(pattern: str) -> bool:
    return pattern.startswith("!")


def _applies(pattern: str, path: str) -> bool:
    """Return True if a pattern applies to a path. An exception applies only to its exact spelling."""
    return not _is_exception(pattern) or _compile((pattern[1:],)).match_file(path)


def _split_pattern(pattern: str) -> list[str]:
    """Return the parts of a pattern between slashes. A pattern without a slash matches at any depth."""
    inner = pattern.rstrip("/")
    return inner.lstrip("/").split("/") if "/" in inner else ["**", inner]


def _is_prefix(segments: Sequence[str], parts: Sequence[str], anywhere: bool = True) -> bool:
    """Return True if the start of a pattern matches a path; a ``**`` stands for any directories."""
    if not parts or not segments:
        return bool(segments) and not anywhere
    if segments[0] == "**":
        return _is_prefix(segments[1:], parts, anywhere) or _is_prefix(segments, parts[1:], anywhere)
    return fnmatchcase(parts[0], segments[0]) and _is_prefix(segments[1:], parts[1:], anywhere=False)


@cache
def _compile(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # takes half as long as the whole start

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error) as error:
        if len(patterns) > 1:
            for each in patterns:
                _compile((each,))  # raises for the invalid pattern
        raise Misconfigured(
            "config_error",
            f"the pattern {patterns[0]!r} cannot be read: {error}",
            "use .gitignore syntax; correct the pattern in the target branch's configuration or rule",
        ) from None
