"""The world that `test_model` runs: what people and agents do, with git and with our verbs, and what holds after each."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from devs_git.commands import (
    checkout,
    checkpoint,
    restore,
    rewind,
    snapshot_create,
    task_complete,
    task_start,
    undo,
)
from devs_git.errors import DevsError
from tests.cases import Case, Link, Look, begin, contents
from tests.oracle import Held

NAMES = (
    b"a",
    b"b.txt",
    b"d",
    b"d/f",
    b"d/g",
    b"d/e/deep",
    b"x/y",
    b"x",
    b"new\nline",
    b"\"quotes'",
    b"\xff\xfe",
    b"-dash",
)
CROWDED = tuple(name for name in NAMES if name[:1] in b"dx")
IGNORES = (b"", b"b.txt\n", b"d/\n", b"/x\n*.txt\n", b"*\n", b"!b.txt\nd/e\n")
REFUSALS = {
    "GIT_RESET_FAILED",
    "CHECKOUT_FAILED",
    "NOTHING_TO_UNDO",
    "TASK_EXISTS",
    "NO_CHECKPOINT",
    "CONFLICT",
    "INVALID_ARGUMENTS",
}
CHANGES = ("edit", "edit", "edit", "link", "remove", "flip_mode", "stage", "stage", "intend", "unstage")
names = st.sampled_from(NAMES)
some = st.integers(0, 9)
modes = st.sampled_from(["branch", "stash", "discard", None])
saves = st.sampled_from(["save", "save", None])


class World(RuleBasedStateMachine):
    """One repository with a remote; `answers` counts what our verbs answered."""

    base: ClassVar[Path]
    answers: ClassVar[dict[str, int]] = {}

    @initialize(crowded=st.booleans())
    def start(self, *, crowded: bool) -> None:
        # Where all happens in a few places, files and folders of one name meet often.
        self.places = CROWDED if crowded else NAMES
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        mould = self.base / "mould"
        if not mould.exists():
            made = begin(mould)
            made.stage("1", {"a": b"a1\n", "d/f": b"f1\n", "x": b"x1\n", b"\xff\xfe": b"1\n"})
            made.stage(
                "2", {"a": b"a2\n", "d/f": None, "d": b"d2\n", "b.txt": b"b2\n", b"new\nline": b"n2\n"}
            )
            made.stage("3", {"x": None, "x/y": b"y3\n", "b.txt": b"b3\n", b"\xff\xfe": None})
            subprocess.run(["git", "clone", "-q", "--bare", mould, self.base / "remote.git"], check=True)
            subprocess.run(["git", "remote", "add", "origin", "../remote.git"], cwd=mould, check=True)
        shutil.copytree(mould, self.folder / "repo", symlinks=True)
        shutil.copytree(self.base / "remote.git", self.folder / "remote.git")
        self.case = Case(self.folder / "repo")
        self.counter = itertools.count(1)
        self.points = ["1", "2", "3"]
        self.before: dict[str, Look] = {}
        self.active = False

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def place(self, name: bytes) -> bytes:
        return self.places[NAMES.index(name) % len(self.places)]

    def content(self) -> bytes:
        return b"content %d\n" % next(self.counter)

    def verb(self, call: Callable[[], Any], *, index: bool = True) -> Any:
        """One of our verbs: refused and nothing changed, or done; either way nothing is lost."""
        held, before = Held.now(self.case, index=index), self.case.look()
        done, code, said = None, "done", ""
        try:
            done = call()
        except DevsError as error:
            code, said = error.code, f"{error.message} ({error.__cause__ or error.__context__})"
        self.answers[code] = self.answers.get(code, 0) + 1
        if done is None:
            assert code in REFUSALS
            note(f"{code}: {said}")
            self.case.look().must_equal(before)
            return None
        held.must_still_be_there(self.case)
        return done, before

    def run_git(self, *args: str | bytes) -> None:
        """What a person does with git; it may refuse."""
        self.case.git_bytes(*args, ok=(0, 1, 128, 255))

    # What people and agents do.

    @rule(what=st.lists(st.tuples(names, st.sampled_from(CHANGES)), min_size=1, max_size=4))
    def change(self, what: list[tuple[bytes, str]]) -> None:
        for name, how in what:
            getattr(self, how)(self.place(name))

    def edit(self, name: bytes) -> None:
        self._clear_above(name)
        self.case.write({name: self.content()})

    def link(self, name: bytes) -> None:
        self._clear_above(name)
        self.case.write({name: Link(b"to %d" % next(self.counter))})

    def remove(self, name: bytes) -> None:
        path = Path(self.case.path(name))
        if path.is_symlink() or path.is_file():
            path.unlink()

    def flip_mode(self, name: bytes) -> None:
        path = Path(self.case.path(name))
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)

    def stage(self, name: bytes) -> None:
        self.run_git("add", "-f", "--", name)

    def intend(self, name: bytes) -> None:
        self.run_git("add", "-f", "-N", "--", name)

    def unstage(self, name: bytes) -> None:
        self.run_git("rm", "-q", "-r", "-f", "--cached", "--", name)

    def _clear_above(self, name: bytes) -> None:
        for above in Path(os.fsdecode(name)).parents:
            path = self.case.top / above
            if path.is_symlink() or path.is_file():
                path.unlink()

    @rule(text=st.sampled_from(IGNORES))
    def ignore(self, text: bytes) -> None:
        self.case.write({".gitignore": text})

    @rule(every=st.booleans())
    def commit(self, every: bool) -> None:
        if every:
            self.run_git("add", "-A")
        self.run_git("commit", "-q", "-m", "by hand")

    @rule(how=st.sampled_from(["branch", "push", "pop", "collect", "prune"]), at=some)
    def git_itself(self, how: str, at: int) -> None:
        if how == "branch":
            self.run_git("branch", f"branch-{at % 3}")
        elif how == "push":
            self.run_git("stash", "push", "-q")
        elif how == "pop" and not self.case.git("status", "--porcelain", "--untracked-files=no"):
            self.run_git("stash", "pop", "-q")
            if self.case.git("ls-files", "-u"):
                self.run_git("reset", "-q", "--hard")
        elif how == "collect":
            self.case.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
            self.case.git("gc", "-q", "--prune=now")
        elif how == "prune":
            self.case.git("fetch", "-q", "--prune", "--prune-tags", "origin")

    # What our verbs do.

    @rule(every=st.booleans(), complete=st.booleans())
    def work(self, every: bool, complete: bool) -> None:
        if not self.active:
            task_start.run(
                self.case.workspace, task_start.Request(f"{len(self.points)}-{next(self.counter)}")
            )
            self.active = True
        self.edit(NAMES[0])
        self.run_git("add", "-f", "a")
        verb: Any = task_complete if complete else checkpoint
        args = {"message": "by verb", "everything": every}
        # `git add -A` itself replaces what was staged before: that is what was asked for
        done = self.verb(lambda: verb.run(self.case.workspace, verb.Request(**args)), index=not every)
        if done:
            self.points.append(f"{done[0].task_id}@{done[0].number}")
            self.active = not complete

    @rule(at=some, mode=modes, save=saves)
    def rewind(self, at: int, mode: str | None, save: str | None) -> None:
        request = rewind.Request(self.points[at % len(self.points)], preserve=mode, untracked=save)
        done = self.verb(lambda: rewind.run(self.case.workspace, request))
        if done:
            result, self.before[result.rewind_id] = done[0], done[1]
            assert self.case.git("write-tree") == result.tree
            assert self.case.git("status", "--porcelain", "--untracked-files=no") == ""
            self.active = bool(self.case.active())

    @precondition(lambda self: self.before)
    @rule(at=st.sampled_from([None, 0, 1, 2]), mode=modes, save=saves)
    def undo(self, at: int | None, mode: str | None, save: str | None) -> None:
        op_id = None if at is None else list(self.before)[at % len(self.before)]
        request = undo.Request(op_id, preserve=mode, untracked=save)
        done = self.verb(lambda: undo.run(self.case.workspace, request))
        if done:
            result = done[0]
            self._as_before(self.before[result.undone_operation], done[1])
            self.before[result.undo_id] = done[1]
            self.active = bool(self.case.active())

    def _as_before(self, was: Look, left: Look) -> None:
        """Branch, index and tracked files are as they were; other untracked files are as people had `left` them.

        So is an untracked file of theirs where a tracked one was gone: it stays, as a change of that one, or it was in
        the way and is saved.
        """
        now = self.case.look()
        assert (now.head, now.branch, now.index) == (was.head, was.branch, was.index)
        tracked = _tracked(was)
        mine = {p for p in tracked if p not in was.files and p in left.files} - _tracked(left)
        changed = [
            [
                line
                for line in look.status.split(b"\0")
                if line[:1] != b"?" and line.split(b" ", 8)[-1] not in mine
            ]
            for look in (now, was)
        ]
        assert changed[0] == changed[1]
        assert {p: now.files.get(p) for p in tracked - mine} == {p: was.files.get(p) for p in tracked - mine}
        assert all(now.files.get(p) in (None, left.files[p]) for p in mine)

    @rule(at=some)
    def checkout(self, at: int) -> None:
        request = checkout.Request("main" if at > 5 else f"branch-{at % 3}")
        done = self.verb(lambda: checkout.run(self.case.workspace, request))
        if done:
            assert self.case.git("symbolic-ref", "--short", "HEAD") == request.branch_name

    @rule(at=some, name=st.none() | names)
    def restore(self, at: int, name: bytes | None) -> None:
        paths = () if name is None else (os.fsdecode(self.place(name)),)
        request = restore.Request(self.points[at % len(self.points)], paths, os.fspath(self.case.top))
        done = self.verb(lambda: restore.run(self.case.workspace, request))
        if done and done[0].restore_id:
            self.before[done[0].restore_id] = done[1]

    @rule()
    def snapshot(self) -> None:
        before = contents(self.case.top)
        self.verb(lambda: snapshot_create.run(self.case.workspace, snapshot_create.Request("by verb")))
        assert contents(self.case.top) == before


def _tracked(look: Look) -> set[bytes]:
    return {line.split(b"\t", 1)[1] for line in look.index.split(b"\0") if b"\t" in line}
