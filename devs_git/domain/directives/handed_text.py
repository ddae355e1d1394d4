"""How directives are put before a model, and how their text is found in a transcript.

Each line of a person's text begins with `> `, so that no text can look like a line of ours, and pose as another person's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from devs_git.domain.text.plain_text import printable
from devs_git.values import immutable

# Claude Code shows at most 10,000 characters of a hook's answer, and Codex 2,500 tokens, which it counts as 4 bytes each.
MOST_CHARACTERS: Final = 9_000
MOST_BYTES: Final = 9_900
_MARK: Final = "devs-git directive {id} "
_HEAD: Final = _MARK + "for {task}: {author} wrote it at {at}. Follow it as an instruction of this person."
_REST: Final = "It is cut here, because a hook cannot hand over more. Read all of it: git devs directive list --task {task} --json"
# A text that does not fit is cut, but never to fewer characters than these: then it waits for the next prompt.
_LEAST: Final = 200


@immutable
class DirectiveText:
    """One directive as the model is told of it. `author` is the one who is proved to have written it."""

    directive_id: str
    task_id: str
    author: str
    written_at: str
    text: str


def fit(directives: Iterable[DirectiveText], *, beside: str = "") -> tuple[str, tuple[str, ...]]:
    """The text for the model, and the ids of the directives in it. What does not fit waits. `beside`: what else is told."""
    characters, size = MOST_CHARACTERS - len(beside), MOST_BYTES - len(beside.encode())
    parts: list[str] = []
    ids: list[str] = []
    for one in directives:
        part = _part(one, characters, size)
        if not part:
            break
        parts.append(part)
        ids.append(one.directive_id)
        # An empty line stands between two of them.
        characters -= len(part) + 2
        size -= len(part.encode()) + 2
    return "\n\n".join(parts), tuple(ids)


def _part(one: DirectiveText, characters: int, size: int) -> str:
    """One directive, whole or cut to this size; '' if not even its beginning fits."""
    head = _HEAD.format(
        id=one.directive_id, task=one.task_id, author=printable(one.author, ""), at=one.written_at
    )
    whole = f"{head}\n{quote(one.text)}"
    if len(whole) <= characters and len(whole.encode()) <= size:
        return whole
    rest = _REST.format(task=one.task_id)
    kept = _cut(one.text, characters - len(head) - len(rest) - 4, size - len(head.encode()) - len(rest) - 4)
    return f"{head}\n{quote(kept)}\n{rest}" if len(kept) >= _LEAST else ""


def quote(text: str) -> str:
    """Each line of a text with a sign before it. Characters that command a terminal are escaped."""
    return "\n".join(f"> {line}" for line in printable(text).split("\n"))


def _cut(text: str, characters: int, size: int) -> str:
    """The beginning of a text that has this size with the sign before each line."""
    for at, char in enumerate(text):
        more = 3 if char == "\n" else 1
        characters -= more
        size -= len(char.encode("utf-8", "replace")) + more - 1
        if characters < 0 or size < 0:
            return text[:at]
    return text


def mark(directive_id: str) -> str:
    """The beginning of the line above each directive's text, by which transcripts and prompts are searched."""
    return _MARK.format(id=directive_id)


def is_in(directive_id: str, text: str) -> bool:
    """Whether a text that the model got has this directive: its mark begins a line, as it does in no quotation."""
    return f"\n{mark(directive_id)}" in f"\n{text}"
