"""The sections of a TAS, which is Markdown: where they begin, their names, and which ones a change affects.

A section is named by its number, by its title, or by the path of titles or numbers to it (`Storage / Tags`). The number
is that in the heading (`2.3`), or its position if no heading has a number. Upper and lower case are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from devs_git.domain.text.markdown import Heading, lines_of, read
from devs_git.domain.text.rendered_section import around
from devs_git.values import immutable, replace

PREAMBLE: Final = "(before the first heading)"
_NUMBER: Final = re.compile(r"§?\s*([0-9]+(?:\.[0-9]+)*|[A-Z][0-9]*(?:\.[0-9]+)+|[A-Z][0-9]+)[.):]?(?:\s+|$)")
# Characters of a reason.
_LONGEST: Final = 80
_SEPARATOR: Final = re.compile(r"\s*[/>›→]\s*")


@immutable
class Section:
    """A heading and the text below it, or the lines before the first heading (level 0). Lines count from 0.

    `own` is its text up to its first subsection, without blank lines at its end. A number is '' if there is none.
    """

    level: int
    # The titles from the outermost heading to this one.
    path: tuple[str, ...]
    start: int
    end: int
    own: str
    # The numbers of the headings of `path`.
    numbers: tuple[str, ...] = ()
    # How other sections affect it on the rendered page.
    around: tuple[str, ...] = ()
    # What of that changed, if nothing else did.
    why: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        name = " / ".join(self.path) or PREAMBLE
        return f"{name} ({self.why})" if self.why else name


# `verify` compares each version of a TAS with those before and after it.
@lru_cache(maxsize=64)
def sections(text: str) -> tuple[Section, ...]:
    """All sections in order. Text before the first heading is the first section."""
    lines = lines_of(text)
    marks, kinds = read(lines)
    first = marks[0].start if marks else len(lines)
    own = _own(lines, 0, first)
    found = [Section(0, (), 0, first, own)] if own else []
    found += _below(lines, marks)
    context = around(lines, kinds, [section.start for section in found])
    found = [replace(one, around=known) if known else one for one, known in zip(found, context, strict=True)]
    if any(part for section in found for part in section.numbers):
        return tuple(found)
    return _by_position(found)


def _below(lines: Sequence[str], marks: Sequence[Heading]) -> list[Section]:
    found: list[Section] = []
    above: list[Heading] = []
    for at, mark in enumerate(marks):
        above = [*(one for one in above if one.level < mark.level), mark]
        after = marks[at + 1 :]
        end = next((one.start for one in after if one.level <= mark.level), len(lines))
        own = _own(lines, mark.start, after[0].start if after else len(lines))
        path = tuple(one.title for one in above)
        found.append(Section(mark.level, path, mark.start, end, own, tuple(map(_number, path))))
    return found


def _own(lines: Sequence[str], start: int, end: int) -> str:
    return "".join(lines[start:end]).rstrip()


def _number(title: str) -> str:
    match = _NUMBER.match(title)
    return match[1] if match else ""


def _by_position(found: Sequence[Section]) -> tuple[Section, ...]:
    """Sections of a text without numbers, numbered by position. A single title above all of them does not count."""
    tops = [section for section in found if len(section.path) == 1]
    outer = 1 if len(tops) == 1 and len([one for one in found if one.path]) > 1 else 0
    counts: list[int] = []
    made = []
    for section in found:
        depth = len(section.path) - outer
        if depth > 0:
            counts = [*counts[:depth], *([0] * (depth - len(counts)))]
            counts[-1] += 1
        numbers = (".".join(map(str, counts[:at])) if at > 0 else "" for at in range(1 - outer, depth + 1))
        made.append(replace(section, numbers=tuple(numbers)) if section.path else section)
    return tuple(made)


def find(text: str, name: str) -> tuple[Section, ...]:
    """The sections that `name` means; several if they have one title."""
    return _named(sections(text), name)


def _named(among: Sequence[Section], name: str) -> tuple[Section, ...]:
    if name.strip() == PREAMBLE:
        return tuple(section for section in among if not section.path)
    whole = tuple(section for section in among if section.path and _means(section, -1, name))
    if whole:
        return whole
    parts = [part for part in _SEPARATOR.split(name.strip()) if part]
    return tuple(
        section
        for section in among
        if 1 < len(parts) <= len(section.path)
        and all(_means(section, at - len(parts), part) for at, part in enumerate(parts))
    )


def _means(section: Section, at: int, name: str) -> bool:
    title, number = section.path[at], section.numbers[at]
    plain = title[match.end() :] if (match := _NUMBER.match(title)) else title
    bare = name.strip().removeprefix("§").strip().rstrip(".")
    return _key(name) in {_key(title), _key(plain)} - {""} or (number != "" and bare == number)


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def changed_sections(before: str, after: str) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """The sections of `before` and of `after` that differ: changed, added, removed, renamed or moved.

    A section's own text is compared, without its subsections and blank lines at its end. A section also changes if other
    sections hide it on the rendered page, show it again, or change the meaning of its links (`why`).
    """
    old, new = sections(before), sections(after)
    keys = _keys(old), _keys(new)
    kept = {
        key
        for start, _, size in SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()
        for key in keys[0][start : start + size]
    }
    was, now = (dict(zip(names, found, strict=True)) for names, found in zip(keys, (old, new), strict=True))
    own = {key for key in kept if was[key].own == now[key].own}
    why = {key: _why(was[key].around, now[key].around) for key in own}
    return (
        tuple(replace(one, why=why.get(key, "")) for key, one in was.items() if why.get(key, " ")),
        tuple(replace(one, why=why.get(key, "")) for key, one in now.items() if why.get(key, " ")),
    )


def _why(was: Sequence[str], now: Sequence[str]) -> str:
    """How other sections affect a section in another way than before, in words; '' if they do not."""
    if was == now:
        return ""
    begun = next((one for one in now if one not in was), "")
    ended = next((one for one in was if one not in now), "")
    said = (
        f"now {begun}"
        if begun
        else f"no longer {ended}"
        if ended
        else "now inside the same elements in another order"
    )
    line = " ".join(said.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _keys(found: Sequence[Section]) -> list[tuple[object, ...]]:
    """A unique key for each section: its path, and a count for sections with the same path."""
    seen: dict[tuple[str, ...], int] = {}
    made: list[tuple[object, ...]] = []
    for section in found:
        seen[section.path] = seen.get(section.path, 0) + 1
        made.append((section.path, seen[section.path]))
    return made


def changed_outside(before: str, after: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of the sections that a change affects and that are neither in `names` nor below one of them."""
    wanted = tuple(dict.fromkeys(names))
    old, new = changed_sections(before, after)
    lost = [*_not_below(before, old, wanted), *_not_below(after, new, wanted)]
    return tuple(dict.fromkeys(section.name for section in lost))


def _not_below(text: str, changed: Sequence[Section], names: Sequence[str]) -> list[Section]:
    among, left = sections(text), list(changed)
    for name in names:
        if not left:
            break
        allowed = _named(among, name)
        left = [
            section
            for section in left
            if not any(one.start <= section.start and section.end <= one.end for one in allowed)
        ]
    return left
