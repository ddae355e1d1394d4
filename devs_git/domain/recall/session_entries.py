"""The entries of a session: its messages, with what a client needs of them to go on, and the place of each in a tree.

A client that goes back in a conversation adds a branch to the transcript, so the messages of a session are a tree, and
what the model is told is the way from one of them back to the first. A client's calls of several tools at once are
branches, too, although the model is told all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from devs_git.domain.recall.conversation import Message, canonical, is_prompt
from devs_git.values import immutable, replace


class Native(NamedTuple):
    """What a client's own form of a message has beside its content.

    `parent`: the id of the message that it follows, '' for the first, None if that is unknown: then it follows the last
    one before the client's line `base`, or, without that, the one before it. `call_id`: the client's id of the call that
    it answers. `answer`: the id of the model's answer that it is a part of. `kind`: of a message that is not from the
    person, although the client tells it the model as the user: what marks it; of a call, its type, if that says more.
    `thoughts`: what the model thought before, as signed or encrypted blocks. `omitted`: the kinds of parts that the
    catalog only names (an image). `form`: other members of the client's item, by name. The client of this `version` asked
    this `model`.
    """

    parent: str | None = None
    call_id: str = ""
    answer: str = ""
    kind: str = ""
    model: str = ""
    version: str = ""
    thoughts: tuple[Mapping[str, Any], ...] = ()
    omitted: tuple[str, ...] = ()
    base: int | None = None
    form: Mapping[str, Any] = {}

    def record(self) -> dict[str, Any]:
        """The values that are known, as JSON."""
        known = self._asdict().items()
        return {
            name: value
            for name, value in known
            if value or (name in ("parent", "base") and value is not None)
        }


def native_of(record: Mapping[str, Any]) -> Native:
    """The values in a record."""
    lists = {name: tuple(record.get(name, ())) for name in ("thoughts", "omitted")}
    return Native(**{**record, **lists})


@immutable
class SessionEntry:
    """A message of a session at its position, from 1. `native` is what is known of the client's own form.

    `ordinal`: the client's number of its line; None if it has none.
    """

    position: int
    message: Message
    native: Native = Native()
    ordinal: int | None = None

    @property
    def calls(self) -> tuple[str, ...]:
        """The client's ids of the calls in it that are answered by a message."""
        # Codex's provider searches itself, and the client is told no result.
        if self.native.kind == "web_search_call":
            return ()
        return tuple(call.id for call in self.message.tool_calls or ())


def way_to(entries: Sequence[SessionEntry], message_id: str = "") -> list[SessionEntry]:
    """What the model was told up to this message (the last one if it is ''), in its order. ValueError if it is not there.

    `entries` are in the order of the transcript. Where the parent of a message is unknown, it is the one before it.
    """
    known = _with_calls(entries)
    at = {entry.message.id: number for number, entry in enumerate(known)}
    if message_id and message_id not in at:
        raise ValueError("there is no such message")
    last = at[message_id] if message_id else len(known) - 1
    way, number, first = set[int](), last, last
    while number >= 0 and number not in way:
        way.add(number)
        first, number = number, _before(known, number, at)
    kept = known[first].native.form.get("kept", ())
    way |= {number for number in range(first) if known[number].message.id.partition(".")[0] in kept}
    told = _in_answers(_beside(known[: last + 1], way))
    return _in_place(told, known[first]) if kept else told


def _in_place(told: Sequence[SessionEntry], compaction: SessionEntry) -> list[SessionEntry]:
    """The entries with those that a compaction kept where the client tells them."""
    kept = [entry for entry in told if entry.position < compaction.position]
    rest = [entry for entry in told if entry.position >= compaction.position]
    after = compaction.native.form["after"]
    place = next((at for at, entry in enumerate(rest, 1) if entry.message.id == after), 1)
    return [*rest[:place], *kept, *rest[place:]]


def _with_calls(entries: Iterable[SessionEntry]) -> list[SessionEntry]:
    """The entries, each result with the id of its call. An older devs-git did not store it: then name and input tell."""
    found, waiting = list[SessionEntry](), dict[str, str]()
    for entry in entries:
        message, own = entry.message, entry.native.call_id
        if message.role == "tool" and not own:
            asked = canonical([message.tool_name, message.tool_input])
            own = next((call for call, what in waiting.items() if what == asked), "")
        waiting.pop(own, None)
        waiting |= {call.id: canonical([call.name, call.input]) for call in message.tool_calls or ()}
        found.append(replace(entry, native=entry.native._replace(call_id=own)))
    return found


def _before(entries: Sequence[SessionEntry], number: int, at: Mapping[str, int]) -> int:
    """The number of the entry that this one follows; -1 for the first."""
    parent, base = entries[number].native.parent, entries[number].native.base
    if parent == "":
        return -1
    if base is not None:
        before = (at for at in range(number - 1, -1, -1) if (entries[at].ordinal or 0) < base)
        return next(before, -1)
    return at.get(parent or "", number - 1)


def _beside(entries: Sequence[SessionEntry], way: set[int]) -> list[SessionEntry]:
    """The entries of the way, with all parts of its answers and all results of its calls."""
    answers = {entries[number].native.answer for number in way} - {""}
    on_way = [number in way or entry.native.answer in answers for number, entry in enumerate(entries)]
    calls = {call for entry, is_on in zip(entries, on_way, strict=True) if is_on for call in entry.calls}
    return [
        entry
        for entry, is_on in zip(entries, on_way, strict=True)
        if is_on or (entry.native.call_id and entry.native.call_id in calls)
    ]


def _in_answers(entries: Sequence[SessionEntry]) -> list[SessionEntry]:
    """The entries with the parts of each answer in one place, because a result may be written between two of them."""
    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        if entry.native.answer:
            first.setdefault(entry.native.answer, number)
    keyed = [(first.get(entry.native.answer, number), number) for number, entry in enumerate(entries)]
    return [entries[number] for _key, number in sorted(keyed)]


def without_lost_calls(entries: Sequence[SessionEntry]) -> list[SessionEntry]:
    """The entries without the calls that never got an answer: the client ended before, and the person went on later."""
    answered = {entry.native.call_id for entry in entries if entry.message.role == "tool"}
    last = max((at for at, entry in enumerate(entries) if is_prompt(entry.message)), default=0)
    kept = [_with_answered(entry, answered) for entry in entries[:last]]
    return [
        *(entry for entry in kept if entry.message.tool_calls != () or entry.message.content),
        *entries[last:],
    ]


def _with_answered(entry: SessionEntry, answered: AbstractSet[str]) -> SessionEntry:
    if answered >= set(entry.calls):
        return entry
    calls = tuple(call for call in entry.message.tool_calls or () if call.id in answered)
    return replace(entry, message=replace(entry.message, tool_calls=calls))


def complete_part(entries: Sequence[SessionEntry]) -> list[SessionEntry]:
    """The entries before the first call that has no answer among them. A result without its call, which a purge took, goes."""
    called = {call for entry in entries for call in entry.calls}
    kept = [entry for entry in entries if entry.message.role != "tool" or entry.native.call_id in called]
    while True:
        results = {entry.native.call_id for entry in kept}
        end = next((at for at, entry in enumerate(kept) if not results.issuperset(entry.calls)), len(kept))
        if end == len(kept):
            return kept
        del kept[end:]


def versions(entries: Iterable[SessionEntry]) -> Iterator[str]:
    """The versions of the client that wrote the entries, each of them once."""
    yield from dict.fromkeys(entry.native.version for entry in entries if entry.native.version)
