"""A ref's own file says what git says, and is asked only where it can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devs_git.domain.events import LEDGER
from devs_git.storage import refs
from devs_git.workspace import Workspace

Run = Callable[..., str]


def test_the_tip_is_the_same_loose_packed_and_through_a_symbolic_ref(ledgered: Workspace, git: Run) -> None:
    common, tip = ledgered.places.common, git("rev-parse", LEDGER)
    assert refs.loose(common, LEDGER) == ledgered.ledger.tip().oid == tip
    git("pack-refs", "--all")
    assert (refs.loose(common, LEDGER), ledgered.ledger.tip().oid) == ("", tip)
    git("update-ref", "-d", LEDGER)
    git("update-ref", "refs/heads/other", tip)
    git("symbolic-ref", LEDGER, "refs/heads/other")
    assert (refs.loose(common, LEDGER), ledgered.ledger.tip().oid) == ("", tip)


def test_what_is_no_oid_in_a_refs_file_is_left_to_git(tmp_path: Path) -> None:
    (tmp_path / "torn").write_text("0123abc")
    assert (refs.loose(tmp_path, "torn"), refs.loose(tmp_path, "missing")) == ("", "")
