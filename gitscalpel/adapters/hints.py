"""Hints for errors in the words of an adapter, whose agents do not know gitscalpel's fields and commands.

An adapter has a vocabulary of short imperative phrases, and one table maps each error code to the phrases
that help. A hint of the core that names no field and no command is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import MARKED, Action, Spelling, spell


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """Phrases and parameter names of an adapter. An empty phrase means that the adapter has no such tool.

    Attributes:
        fields: the adapter's parameter names, by the name of gitscalpel's field.
        read: read the file that an error is about; ``{path}`` stands for its name.
        find: find the names of definitions.
        old: parameter with the text to replace.
        every: replace each occurrence of a text.
        text: edit text, in files of any type.
        symbol: edit a definition without its old text.
        replace, insert, delete, rename: edit a definition in this way.
        overwrite: replace a whole file.
        select: narrow a selector.
    """

    fields: Mapping[str, str] = {}
    read: str = "read {path} again"
    find: str = ""
    old: str = ""
    every: str = ""
    text: str = ""
    symbol: str = ""
    replace: str = ""
    insert: str = ""
    delete: str = ""
    rename: str = ""
    overwrite: str = ""
    create: str = ""
    select: str = ""


_RESEND = "{read}, then send the call again"
_NEEDS_PERSON = "a person has to decide"
_TABLE: dict[str, tuple[str, ...]] = {
    "ambiguous": ("add lines around the text until it is unique", "{every}"),
    "approval_required": (f"{_NEEDS_PERSON}: ask them to review, approve and land the transaction",),
    "binary_file": ("{overwrite}", "edit binary files with another program"),
    "body_only": ("send all of the definition: its header and its body", "{text}"),
    "busy": ("send the call again in a moment",),
    "conflicted": ("resolve the conflict in the file first", "{overwrite}"),
    "count_mismatch": ("{every}", "add lines around the intended text"),
    "diagnostics_failed": ("correct the code and send it again",),
    "dirty_overlap": (f"the file has uncommitted changes: {_RESEND}",),
    "duplicate_symbol": ("choose another name", "{replace}"),
    "elided": ("send the complete code, without comments in place of omitted lines", "{text}"),
    "empty_target": ("give text from the file as {old}", "{insert}", "{overwrite}"),
    "exists": ("{overwrite}", "{text}", "choose another path"),
    "extra_definitions": ("send that one definition alone", "{insert}"),
    "file_not_found": ("check the path, relative to the root of the repository", "{create}"),
    "import_cycle": ("break the import cycle first",),
    "index_out_of_range": ("use one of the existing ones", "{find}"),
    "invalid_args": (),
    "invalid_name": ("give a valid name in the language of the file",),
    "invalid_position": ("use before or after",),
    "invalid_range": ("give lines that the file has, counted from 1", "{read}"),
    "invalid_ref": ("copy the reference from an answer", "{read}"),
    "kind_mismatch": ("send a definition of the same kind", "{text}"),
    "name_mismatch": ("send the definition under its current name", "{rename}"),
    "nested_conflict": ("put both into one edit", "send them one after the other"),
    "no_change": ("the change may have been made before", "{read}"),
    "not_a_file": ("give the path of a file",),
    "not_found": ("{read}, and copy the text exactly", "{symbol}", "check the path"),
    "out_of_range": ("give lines that the file has", "{read}"),
    "over_scoped": ("send only the lines that change", "{delete}"),
    "patch_failed": ("{read}, and make a new patch from its content",),
    "query_ambiguous": ("{select}",),
    "query_no_match": ("widen the selector", "{find}"),
    "query_syntax": ("correct the selector, for example function[name=f]",),
    "referenced": ("change these uses first",),
    "rejected": (f"{_NEEDS_PERSON}: make the requested changes, or stop",),
    "stale": (_RESEND,),
    "structural_gate": ("{replace}", "{insert}", "{delete}", "{rename}", "edit one line at a time"),
    "symbol_ambiguous": ("write a longer path of the intended symbol", "{text}"),
    "symbol_not_found": ("{find}", "{text}", "use the name as the file declares it"),
    "syntax_error": ("correct the code: it must be complete, with its closing brackets and its body",),
    "target_moved": (_RESEND,),
    "unencodable": ("leave out characters that the file's encoding cannot represent",),
    "unsupported_language": ("{text}", "edit a file in a language with definitions"),
}
"""Phrases by error code, best first. Other codes keep the hint of the core or get a general one."""
_MAX_PHRASES = 3  # Maximum number of phrases in a hint
_PREFERRED = frozenset(
    {
        *("invalid_args", "invalid_name", "query_syntax", "symbol_ambiguous", "syntax_error", "import_cycle"),
        *(
            "symbol_not_found",
            "file_not_found",
            "invalid_ref",
            "invalid_position",
            "path_denied",
            "policy_denied",
        ),
    }
)
"""Codes whose core hints are more specific than the table, such as the suggested name."""
_CORE_WORDS = re.compile(
    r"\b(?:changesets?|operations?|look at|find or|(?:with|of) find|with outline|"
    r"(?:show|find) printed|output of show|show lists|"
    r"git show|use (?:replace|text|lines|insert|delete|signature|rename|write)|"
    r"(?:with|by) (?:a )?(?:write|lines|text|delete|move)|lines or text|made with write|scalpel|node_id|"
    r"send the patch)\b|`(?:replace|text|lines|insert|delete|signature|rename|write|ops|request_id)`"
)
"""Words in the core's hints that name its commands and operations."""
_FIELD = re.compile(r"\b[a-z]+_[a-z_0-9]+\b")


def format_error(
    error: ScalpelError, vocabulary: Vocabulary, schemas: Mapping[str, Mapping[str, Any]], path: str
) -> tuple[str, str]:
    """Return the message of an error and a hint, in the words of an adapter.

    Args:
        error: the error.
        vocabulary: vocabulary of the called tool.
        schemas: JSON schemas of the tool's arguments.
        path: file that the call names, or "".
    """
    foreign: list[str] = []

    def field(name: str, value: str) -> str:
        adapter_name = vocabulary.fields.get(name, name)
        if adapter_name not in schemas:
            foreign.append(name)
        return f"`{adapter_name}` {value}".rstrip()

    def call(action: Action) -> str:
        foreign.append(action.verb)
        return action.verb

    message, hint = error.told(MARKED)
    spelling = Spelling(field, call)
    message = spell(message, spelling)
    foreign.clear()  # only a hint must not name unknown fields
    hint = spell(hint, spelling)
    values = {value for schema in schemas.values() for value in schema.get("enum", ())}
    if (
        foreign
        or _CORE_WORDS.search(hint)
        or any(n not in schemas and n not in values for n in _FIELD.findall(hint))
    ):
        hint = ""
    return message, build_hint(error.code, vocabulary, schemas, str(error.data.get("path") or path), hint)


def build_hint(
    code: str,
    vocabulary: Vocabulary,
    schemas: Mapping[str, Mapping[str, Any]],
    path: str,
    core_hint: str = "",
) -> str:
    """Return the hint for an error code; ``core_hint`` is a core hint that names no field and no command."""
    if core_hint and (code in _PREFERRED or code not in _TABLE):
        return core_hint
    phrases = {name: getattr(vocabulary, name) for name in vocabulary.__struct_fields__ if name != "fields"}
    steps = [step.format_map(phrases) for step in _TABLE.get(code, ()) if _has_phrases(step, phrases)]
    if code == "invalid_args":
        steps = [f"it takes {', '.join(f'`{name}`' for name in schemas)}"]
    steps = steps or (
        [core_hint] if core_hint else ["nothing was changed; ask a person to check the repository"]
    )
    return "; or ".join([*dict.fromkeys(steps)][:_MAX_PHRASES]).replace("{path}", path or "the file")


def _has_phrases(step: str, phrases: Mapping[str, str]) -> bool:
    return all(text or f"{{{name}}}" not in step for name, text in phrases.items())
