"""`sync` notes what it had decided by when it found nothing to do. The note skips work, and never changes what a sync does."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git import __version__
from devs_git.commands import sync
from devs_git.errors import DevsError
from devs_git.operations.sync import unchanged
from devs_git.storage.git.remotes import remote_notes
from devs_git.storage.git.remotes.remote_repository import Remote
from devs_git.values import replace
from tests.commands.test_sync_histories import Work
from tests.support.clones import LEDGER, TAGS, Clone, Pair, refs_of
from tests.support.git_calls import git

HISTORIES = int(os.environ.get("DEVS_TEST_COUNT_SYNC_NOTES", "1"))
STEPS = 30 if HISTORIES > 1 else 12


def note_of(clone: Clone) -> Path:
    return clone.opened.places.shared / "synced"


def digest_now(clone: Clone) -> str:
    """The digest of all that a sync of this clone decides by, at this moment."""
    workspace = clone.opened
    other = Remote(workspace.git, "origin", lambda _what, _done, _total: None)
    return unchanged.look(workspace, other).digest


def reads_of_the_ledger(clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> int:
    """How often a sync with nothing to do lets git list commits."""
    trace = tmp_path / "trace"
    with monkeypatch.context() as patch:
        patch.setenv("GIT_TRACE", str(trace))
        done = clone.sync()
    assert (done.fetched, done.pushed) == ((), ())
    found = trace.read_text().count("git rev-list")
    trace.unlink()
    return found


@pytest.mark.quick
def test_a_sync_that_finds_nothing_reads_no_event_the_next_time_until_something_changes(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pair.ann.task("10")
    pair.meet()
    note_of(pair.ann).unlink(missing_ok=True)
    assert reads_of_the_ledger(pair.ann, monkeypatch, tmp_path) > 0
    assert reads_of_the_ledger(pair.ann, monkeypatch, tmp_path) == 0
    assert pair.ann.call("sync", sync.Request(dry_run=True)).ledger == pair.ann.tip
    pair.ann.git("branch", "another")
    assert reads_of_the_ledger(pair.ann, monkeypatch, tmp_path) > 0
    pair.bob.task("11")
    pair.bob.sync()
    assert LEDGER in pair.ann.sync().fetched


def test_a_forged_note_is_at_worst_a_sync_that_finds_nothing(pair: Pair) -> None:
    pair.meet()
    pair.bob.task("11")
    pair.bob.sync()
    before = refs_of(pair.ann.top)
    remote_notes.write(note_of(pair.ann), "origin", digest_now(pair.ann))
    assert pair.ann.sync().fetched == ()
    assert refs_of(pair.ann.top) == before
    note_of(pair.ann).write_bytes(b"origin\t\xff\norigin\n\t\n")
    assert LEDGER in pair.ann.sync().fetched


def test_what_a_sync_reports_each_time_is_reported_each_time(pair: Pair) -> None:
    pair.ann.task("10")
    pair.meet()
    pair.ann.git("update-ref", f"{TAGS}/task-10", "HEAD")
    for _ in range(3):
        assert pair.ann.sync().left == (f"{TAGS}/task-10",)


def test_a_tag_object_that_comes_later_gets_its_refs(pair: Pair) -> None:
    tag = pair.ann.task("10") and pair.ann.git("rev-parse", f"{TAGS}/task-10")
    pair.ann.git("push", "-q", "origin", LEDGER)
    pair.bob.sync()
    assert pair.bob.sync().fetched == ()
    pair.bob.git("fetch", "-q", str(pair.ann.top), tag)
    assert f"{TAGS}/task-10" in pair.bob.sync().fetched


def test_another_devs_git_looks_anew(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    pair.meet()
    here = digest_now(pair.ann)
    assert digest_now(pair.ann) == here
    monkeypatch.setattr(unchanged, "__version__", f"{__version__}.1")
    assert digest_now(pair.ann) != here


class Noted(Work):
    """The same work, and what else a sync may notice. Each sync is compared with that of a copy without the note."""

    def __init__(self, pair: Pair, seed: int) -> None:
        super().__init__(pair, seed)
        self.seen: dict[Path, list[bytes]] = {clone.top: [] for clone in (pair.ann, pair.bob)}

    def step(self) -> None:
        clone, kind = self.dice.choice((self.pair.ann, self.pair.bob)), self.dice.choice("ccccwwoo")
        if kind == "c":
            return self.compare(clone)
        if kind == "w":
            with contextlib.suppress(DevsError):
                super().step()
            return None
        does: tuple[Callable[[Clone], object], ...] = (
            self.push, self.lose_tag, self.lose_tag_there, self.fetch, self.branch, self.forget, self.set_back,
            self.pack, self.detach, self.move_ref,
        )  # fmt: skip
        does_it = self.dice.choice(does)
        does_it(clone)
        return self.done.append(f"{clone.top.name} {does_it.__name__}")

    def push(self, clone: Clone) -> None:
        clone.git("push", "-q", "--force", "--no-verify", "origin", "main")

    def lose_tag(self, clone: Clone) -> None:
        for ref in self.a_ref(clone.top):
            clone.git("update-ref", "-d", ref)

    def lose_tag_there(self, _clone: Clone) -> None:
        for ref in self.a_ref(self.pair.origin):
            git("update-ref", "-d", ref, where=self.pair.origin)

    def move_ref(self, clone: Clone) -> None:
        for ref in self.a_ref(clone.top):
            clone.git("update-ref", ref, self.dice.choice(list(refs_of(clone.top).values())))

    def a_ref(self, where: Path) -> list[str]:
        refs = sorted(set(refs_of(where)) - {LEDGER})
        return [self.dice.choice(refs)] if refs else []

    def fetch(self, clone: Clone) -> None:
        clone.git("fetch", "-q", "origin", "main")

    def branch(self, clone: Clone) -> None:
        clone.git("branch", "-f", "other", "main")

    def forget(self, clone: Clone) -> None:
        shared = clone.opened.places.shared
        (shared / self.dice.choice(("checked-tip", "clone", "remote-urls", "remote-copies"))).unlink(
            missing_ok=True
        )

    def set_back(self, clone: Clone) -> None:
        tip = git("rev-parse", LEDGER, where=self.pair.origin)
        git("update-ref", LEDGER, f"{tip}~1", where=self.pair.origin)
        self.compare(clone)
        git("update-ref", LEDGER, tip, where=self.pair.origin)

    def pack(self, clone: Clone) -> None:
        clone.git("gc", "-q")

    def detach(self, clone: Clone) -> None:
        if not clone.opened.places.active_task.exists():
            clone.git("checkout", "-q", "--detach" if self.dice.random() < 0.5 else "main")

    def compare(self, clone: Clone) -> None:
        """Sync with a note that is there, gone, older, damaged or of another remote, and in a copy without one."""
        note, older = note_of(clone), self.seen[clone.top]
        how = self.dice.choice(("there", "there", "there", "gone", "older", "damaged", "of another remote"))
        if note.exists():
            older.append(note.read_bytes())
        if how == "older" and older:
            note.write_bytes(self.dice.choice(older))
        if how == "damaged":
            note.write_bytes(self.dice.randbytes(40))
        if how == "of another remote":
            other = self.pair.bob if clone == self.pair.ann else self.pair.ann
            note.write_bytes(
                b"other\tx\n" + (note_of(other).read_bytes() if note_of(other).exists() else b"")
            )
        if how == "gone":
            note.unlink(missing_ok=True)
        twin = self.twin(clone)
        note_of(twin).unlink(missing_ok=True)
        expected, found = outcome(twin), outcome(clone)
        self.done.append(f"{clone.top.name} compared, the note is {how}: {found[0]}")
        assert found == expected
        shutil.rmtree(twin.top.parent)

    def twin(self, clone: Clone) -> Clone:
        """A copy of the clone and of its remote."""
        folder = clone.top.parent / "twin"
        for top in (self.pair.origin, clone.top):
            shutil.copytree(top, folder / top.name, symlinks=True)
        return Clone(folder / clone.top.name)


def outcome(clone: Clone) -> tuple[Any, ...]:
    """What a sync says, and the refs here and there after it, without the oids of a merge."""
    said: object
    try:
        done = clone.sync()
        said = replace(done, ledger="", merged=done.merged and "merged")
        merged = clone.tip if done.merged else ""
    except DevsError as error:
        said, merged = error.code, ""
    refs = [refs_of(where) for where in (clone.top, clone.top.parent / "origin.git")]
    return said, [{ref: "merged" if oid == merged else oid for ref, oid in some.items()} for some in refs]


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_sync_does_the_same_with_and_without_its_note(seed: int, pair: Pair) -> None:
    work = Noted(pair, seed)
    try:
        for _ in range(STEPS):
            work.step()
        for clone in (pair.ann, pair.bob):
            for _ in range(3):
                work.compare(clone)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}\n" + "\n".join(work.done)) from error
