"""A verb of tier 0 changes nothing: no ref, object, ledger, index or file, not even a time of one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devs_git.domain.verbs import READS, VERBS
from devs_git.errors import EXIT_CONFLICT, EXIT_INTERNAL
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.verb_calls import DRY_RUNS, SAMPLES, TIER0, WITH_DRY_RUN, ask, call

pytestmark = pytest.mark.quick

# The common folder's derived or recording parts, the only ones that reading may touch.
MAY_CHANGE = ("devs", "devs/spool", "devs/catalog.db", "devs/index.db")
State = dict[str, tuple[int, int, str]]


def state(top: Path) -> State:
    """Mode, time of the last change in nanoseconds and content of everything in and below `top`."""
    return {os.fspath(path.relative_to(top)): _facts(path) for path in (top, *sorted(top.rglob("*")))}


def _facts(path: Path) -> tuple[int, int, str]:
    info = path.lstat()
    content = ""
    if path.is_symlink():
        content = os.fspath(path.readlink())
    elif path.is_file():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    return info.st_mode, info.st_mtime_ns, content


def changed(before: State, after: State) -> list[str]:
    return [
        path
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path) and not _may_change(path)
    ]


def _may_change(path: str) -> bool:
    ours = path.removeprefix(".git/")
    return ours in MAY_CHANGE or ours.startswith(("devs/spool/", "devs/catalog.db-", "devs/index.db-"))


def changes_by(name: str, top: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that the sample call of verb `name` changed and that reading must leave alone."""
    assert name in SAMPLES, f"Say in SAMPLES how '{name}' is called: it is tier 0."
    if name.startswith("gate "):
        ask(Workspace.open(top))
    before = state(top)
    for more in ((), ("--json",)):
        assert call(monkeypatch, *SAMPLES[name], *more) in {0, 1, EXIT_CONFLICT}, f"'{name}' could not run"
        found = changed(before, state(top))
        if found:
            return found
    return []


@pytest.mark.parametrize("name", TIER0)
def test_a_verb_of_tier_0_changes_nothing(name: str, lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert changes_by(name, lived_in, monkeypatch) == []


@pytest.mark.parametrize("name", WITH_DRY_RUN)
def test_a_dry_run_changes_nothing_at_all(name: str, lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name in DRY_RUNS, f"Say in DRY_RUNS how '{name}' is called: it has a --dry-run."
    before = state(lived_in)
    statuses = {call(monkeypatch, *DRY_RUNS[name]), call(monkeypatch, *DRY_RUNS[name], "--json")}
    assert EXIT_INTERNAL not in statuses
    assert state(lived_in) == before


@pytest.mark.parametrize("name", ["branch", "snapshot create", "checkpoint"])
def test_a_writer_that_is_declared_tier_0_is_found_out(
    name: str, lived_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERBS, name, replace(VERBS[name], tier=READS))
    with pytest.raises(AssertionError, match=r"Left contains [0-9]+ more item"):
        test_a_verb_of_tier_0_changes_nothing(name, lived_in, monkeypatch)


def _writes() -> Iterator[tuple[str, Callable[[Path], object]]]:
    yield "ref", lambda top: (top / ".git/refs/heads/new").write_text("0" * 40)
    yield "object", lambda top: (top / ".git/objects/new").mkdir()
    yield "index", lambda top: os.utime(top / ".git/index")
    yield "mode", lambda top: (top / "a.txt").chmod(0o755)
    yield "same content", lambda top: (top / "a.txt").write_text("edited\n")
    yield "lock, gone again", lambda top: (top / ".git/x.lock").touch() or (top / ".git/x.lock").unlink()  # type: ignore[func-returns-value]
    yield "journal", lambda top: (top / ".git/devs/journal").mkdir()


@pytest.mark.parametrize("write", [pytest.param(write, id=kind) for kind, write in _writes()])
def test_the_comparison_sees_every_kind_of_write(write: Callable[[Path], object], lived_in: Path) -> None:
    before = state(lived_in)
    write(lived_in)
    assert changed(before, state(lived_in))


def test_the_comparison_lets_reading_ingest_and_index(lived_in: Path) -> None:
    before = state(lived_in)
    for name in ("catalog.db", "catalog.db-wal", "index.db"):
        (lived_in / ".git/devs" / name).write_text("x")
    assert changed(before, state(lived_in)) == []
