"""`log --moments`: each row has the point of the conversation, the same as `show`, and a page reads a session once."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import log, show
from devs_git.domain.moments.named_moment import Turn
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import prompts
from devs_git.values import plain
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.turn_scene import ONE, TWO, Turns

pytestmark = pytest.mark.quick
IDLE = "33333333-cccc"


def rows(turns: Turns, limit: int = 1000) -> tuple[log.ListedMoment, ...]:
    return log.run(turns.now(10_000), log.Request(limit, moments=True)).moments


def entries(turns: Turns) -> dict[str, str]:
    """The entry of each moment's point by its words; '' for none. Each row has the point that `show` has."""
    found = rows(turns)
    for one in found:
        shown = show.run(turns.now(10_000), show.Request(f"moment:{one.id}"))
        assert isinstance(shown, show.MomentResult)
        assert (one.words, one.point) == (one.words, shown.point)
    return {one.words: one.point.entry if one.point else "" for one in found}


def moment(turns: Turns, at: float, kind: str, session: str, words: str, *, call: str = "") -> None:
    turns.edit("a.txt", f"{words}\n")
    turns.moment(at, kind, session, words, call)  # type: ignore[arg-type]


def one_call(turns: Turns, at: float, session: str, call: str) -> None:
    """A call with a moment before it and one after it."""
    turns.calls(at, session, call)
    moment(turns, at + 0.1, "call", session, f"before {call}", call=call)
    moment(turns, at + 0.2, "after", session, f"after {call}", call=call)
    turns.answers(at + 0.3, session, call)


def test_rows_of_several_sessions_have_each_the_point_of_their_own(turns: Turns) -> None:
    for at, session in ((0, ONE), (100, TWO)):
        moment(turns, at, "prompt", session, f"begin {session}")
        turns.says(at + 1, session, "user", f"begin {session}")
    for at in (10, 20):
        one_call(turns, at, ONE, f"one-{at}")
        one_call(turns, at + 100, TWO, f"two-{at}")
    turns.says(30, ONE, "assistant", "done")
    moment(turns, 31, "stop", ONE, "end of the first")
    turns.says(200, ONE, "user", "again")
    moment(turns, 199, "prompt", ONE, "again")
    turns.read()
    assert entries(turns) == {
        f"begin {ONE}": "",
        f"begin {TWO}": "",
        "before one-10": f"{ONE}-0",
        "after one-10": f"{ONE}-2",
        "before one-20": f"{ONE}-2",
        "after one-20": f"{ONE}-4",
        "end of the first": f"{ONE}-5",
        "again": f"{ONE}-5",
        "before two-10": f"{TWO}-0",
        "after two-10": f"{TWO}-2",
        "before two-20": f"{TWO}-2",
        "after two-20": f"{TWO}-4",
    }


def test_a_call_of_a_subagent_has_the_last_message_of_the_session_that_called_it(turns: Turns) -> None:
    turns.says(1, ONE, "user", "do")
    turns.calls(2, ONE, "ask-a-subagent")
    for at in (3, 4, 5):
        moment(turns, at, "call", ONE, f"by the subagent at {at}", call=f"sub-{at}")
        moment(turns, at + 0.5, "after", ONE, f"done by the subagent at {at}", call=f"sub-{at}")
        if at == 4:
            turns.says(4.2, ONE, "assistant", "meanwhile")
    turns.answers(6, ONE, "ask-a-subagent")
    turns.read()
    found = entries(turns)
    assert [found[f"by the subagent at {at}"] for at in (3, 4, 5)] == [f"{ONE}-1", f"{ONE}-1", f"{ONE}-2"]
    assert found["done by the subagent at 4"] == f"{ONE}-2"


def test_a_row_of_no_session_has_the_last_message_in_its_worktree(
    turns: Turns, git: Run, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Turns(Workspace.open(tmp_path / "side"), tmp_path)
    for at in (0, 2, 4, 4.5, 8):
        moment(turns, at, "snapshot", "", f"here at {at}")
        moment(side, at + 0.1, "snapshot", "", f"there at {at}")
    for at, session in ((1, ONE), (3, TWO), (5, ONE), (9, ONE)):
        turns.says(at, session, "user", "do")
    turns.read()
    found = entries(turns)
    here = [found[f"here at {at}"] for at in (0, 2, 4, 4.5, 8)]
    assert here == ["", f"{ONE}-0", f"{TWO}-0", f"{TWO}-0", f"{ONE}-1"]
    assert {found[f"there at {at}"] for at in (0, 2, 4, 4.5, 8)} == {""}


def test_a_session_without_messages_has_no_point(turns: Turns) -> None:
    moment(turns, 1, "prompt", IDLE, "nothing was read")
    moment(turns, 2, "call", IDLE, "make", call="unknown")
    assert entries(turns) == {"nothing was read": "", "make": ""}


def test_a_call_is_found_also_if_the_transcript_has_other_times(turns: Turns) -> None:
    for at in range(4):
        turns.says(20 * at, ONE, "user", f"prompt {at}")
        turns.calls(20 * at + 1, ONE, f"call-{at}")
        turns.answers(20 * at + 2, ONE, f"call-{at}")
    late = 3 * 24 * 3600
    moment(turns, late, "call", ONE, "make", call="call-0")
    moment(turns, late + 1, "after", ONE, "made", call="call-1")
    turns.read()
    assert entries(turns) == {"make": f"{ONE}-0", "made": f"{ONE}-5"}


@pytest.mark.parametrize("damage", [b"", b"no database" * 1000])
def test_rows_have_no_point_if_the_catalog_is_gone_or_damaged(turns: Turns, damage: bytes) -> None:
    turns.says(1, ONE, "user", "do")
    moment(turns, 2, "stop", ONE, "end")
    moment(turns, 3, "snapshot", "", "by hand")
    turns.read()
    assert [one.point is not None for one in rows(turns)] == [True, True]
    for file in turns.workspace.places.shared.glob("catalog.db*"):
        file.unlink()
    if damage:
        (turns.workspace.places.shared / "catalog.db").write_bytes(damage)
    found = rows(turns)
    assert [one.words for one in found] == ["by hand", "end"]
    assert all("point" not in plain(one) for one in found)


def test_a_page_reads_a_long_session_once_and_only_around_its_turns(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn in range(40):
        begin = 100 * turn
        turns.says(begin, ONE, "user", f"prompt {turn}")
        for call in range(10):
            turns.calls(begin + 2 * call + 1, ONE, f"call-{turn}-{call}")
            if turn in (1, 30):
                for kind in ("call", "after"):
                    moment(
                        turns,
                        begin + 2 * call + 1.5 + (kind == "after") / 4,
                        kind,
                        ONE,
                        f"{kind} {turn}-{call}",
                        # A subagent makes each third call.
                        call=f"{'call' if call % 3 else 'sub'}-{turn}-{call}",
                    )
            turns.answers(begin + 2 * call + 2, ONE, f"call-{turn}-{call}")
    turns.read()
    unpacked: list[bytes] = []
    really = bodies.unpack

    def noted(data: bytes) -> bytes:
        unpacked.append(data)
        return really(data)

    monkeypatch.setattr(bodies, "unpack", noted)
    asked: list[str] = []
    really_asked = prompts.turns

    def noted_session(catalog: Catalog, session: str) -> tuple[Turn, ...]:
        asked.append(session)
        return really_asked(catalog, session)

    monkeypatch.setattr(prompts, "turns", noted_session)
    found = rows(turns, 50)
    assert len(found) == 40
    assert all(one.point for one in found)
    assert asked == [ONE]
    # 40 prompts, the answers and results of at most three turns around each of the two, and one more for each row.
    assert len(unpacked) <= 40 + 2 * 3 * 20 + 40 < 840
