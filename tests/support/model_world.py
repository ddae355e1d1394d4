"""The state machine of `test_model`: actions of people and agents with git and with our verbs, and checks after each."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from devs_git.commands import (
    checkout,
    checkpoint,
    rewind,
    snapshot_create,
    task_complete,
    task_start,
    undo,
)
from devs_git.errors import DevsError
from devs_git.values import replace
from tests.support import killed_moves
from tests.support.actors import (
    ATTRIBUTES,
    CHANGES,
    CROWDED,
    GONE,
    IGNORES,
    MASKS,
    NAMES,
    RULES,
    People,
    first_repository,
)
from tests.support.content_oracle import ProtectedContents, blob_oid
from tests.support.model_archives import Archives
from tests.support.model_commits import NewCommits
from tests.support.model_moments import Moments, fates
from tests.support.rewind_cases import Case, Look

REFUSALS = {
    "GIT_RESET_FAILED",
    "CHECKOUT_FAILED",
    "NOTHING_TO_UNDO",
    "TASK_EXISTS",
    "NO_CHECKPOINT",
    "CONFLICT",
    "INVALID_ARGUMENTS",
    "PLAN_STALE",
}
names = st.sampled_from(NAMES)
some = st.integers(0, 9)
modes = st.sampled_from(["branch", "stash", "discard", None])
saves = st.sampled_from(["save", "save", "remove", None])


class World(People, Moments, NewCommits, Archives, RuleBasedStateMachine):
    """One repository with a remote. `answers` counts the answers of our verbs."""

    base: ClassVar[Path]
    answers: ClassVar[dict[str, int]] = {}

    @initialize(crowded=st.booleans())
    def start(self, *, crowded: bool) -> None:
        self.mask = os.umask(MASKS[0])
        self.places = CROWDED if crowded else NAMES  # with few paths, a file often has the name of a folder
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        mould = first_repository(self.base)
        shutil.copytree(mould, self.folder / "repo", symlinks=True)
        shutil.copytree(self.base / "remote.git", self.folder / "remote.git")
        self.case = Case(self.folder / "repo")
        self.counter = itertools.count(1)
        self.points = ["1", "2", "3"]
        self.before: dict[str, Look] = {}
        self.after: dict[str, Look] = {}
        self.active = False
        self.moments = {}
        self.make_moment(refs=False, killed_at=None)

    def teardown(self) -> None:
        os.umask(self.mask)
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def count(self, answer: str) -> None:
        self.answers[answer] = self.answers.get(answer, 0) + 1

    def verb(self, call: Callable[[], Any], *, index: bool = True, clean: bool = False) -> Any:
        """Run a verb. If it is refused, nothing has changed. In both cases nothing is lost."""
        # The look comes first: git's own status refreshes the index of a nested repository, which is held, too.
        before, held = self.case.look(), ProtectedContents.now(self.case, index=index, clean=clean)
        done, code, said = None, "done", ""
        try:
            done = call()
        except DevsError as error:
            code, said = error.code, f"{error.message} ({error.__cause__ or error.__context__})"
        self.count(code)
        if done is None:
            assert code in REFUSALS, (code, said)
            note(f"{code}: {said}")
            killed_moves.without_new_times(now := self.case.look(), before, now.tags).must_equal(before)
            return None
        held.assert_nothing_lost(self.case)
        return done, before

    def move(self, verb: Any, request: Any, fate: tuple[str, int, str], *, clean: bool = False) -> Any:
        """Run a verb that moves the tree, as `fate` says; its result (after a kill: its id) and the look before, or None."""
        how, at, then = fate
        if how not in ("us", "filter", "both"):
            workspace = replace(self.case.workspace, progress=self._beside(how, at))
            return self.verb(lambda: verb.run(workspace, request), clean=clean)
        before, held = self.case.look(), ProtectedContents.now(self.case, clean=clean)
        last = killed_moves.last_operation(self.case)
        killed = killed_moves.run_killed(self.case, verb, request, (how, at))
        self.count("killed" if killed else "not killed")
        mine = self._meanwhile(then, held)
        decided = killed_moves.recover(self.case, again=then == "again", decide=at % 2 == 0)
        note(f"{how} at {at}: killed {killed}, then {then} {mine!r}: {decided}")
        held.assert_nothing_lost(self.case)
        killed_moves.assert_usable(self.case)
        operation, now = killed_moves.last_operation(self.case), self.case.look()
        if mine:
            assert now.files.get(mine[0], ("", b""))[1] == mine[1], f"the edit of {mine[0]!r} is gone"
            return None
        if operation == last:
            killed_moves.without_new_times(now, before, before.tags).must_equal(before)
            return None
        return operation, before

    def _beside(self, how: str, at: int) -> Any:
        steps = itertools.count()

        def progress(_name: str, _done: int, _total: int) -> None:
            if next(steps) == at and how == "gc":
                self.run_git("gc", "-q", "--prune=now")
            elif how == "status":
                self.run_git("status")

        return progress

    def _meanwhile(self, then: str, held: ProtectedContents) -> tuple[bytes, bytes] | None:
        """A person saves a file between a kill and the next command: its path and content; None if nothing is saved."""
        name = self.place(NAMES[0])
        path = Path(self.case.path(name))
        if then != "edit" or path.is_dir() or not path.parent.is_dir() or path.is_symlink():
            return None
        if path.exists():
            held.contents.pop(blob_oid(path.read_bytes()), None)
        path.write_bytes(text := self.content())
        return name, text

    # What people and agents do.

    @rule(what=st.lists(st.tuples(names, st.sampled_from(CHANGES)), min_size=1, max_size=4))
    def change(self, what: list[tuple[bytes, str]]) -> None:
        for name, how in what:
            getattr(self, how)(self.place(name))

    @rule(
        place=st.sampled_from(RULES),
        text=st.sampled_from(ATTRIBUTES),
        written=st.booleans(),
        gone=st.sampled_from(GONE),
    )
    def attributes(self, place: bytes, text: bytes, written: bool, gone: str) -> None:
        """Commit other attributes, let git write files under them, and perhaps delete the file with the attributes."""
        self.rewrite(place, text, written=written, gone=gone)

    @rule(mask=st.sampled_from(MASKS))
    def umask(self, mask: int) -> None:
        os.umask(mask)

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
        # `git add -A` replaces the contents that were staged, as the caller asked.
        done = self.verb(lambda: verb.run(self.case.workspace, verb.Request(**args)), index=not every)
        if done:
            self.points.append(f"{done[0].task_id}@{done[0].number}")
            self.active = not complete

    @rule(at=some, mode=modes, save=saves, fate=fates)
    def rewind(self, at: int, mode: str | None, save: str | None, fate: tuple[str, int, str]) -> None:
        request = rewind.Request(self.points[at % len(self.points)], preserve=mode, untracked=save)
        done = self.move(rewind, request, fate)
        self.active = bool(self.case.active())
        if done:
            result, before = done
            self.rewound(result, before)
            assert self.case.git("write-tree") == self.case.git("rev-parse", "HEAD^{tree}")
            self._exact_or_named(result, before)

    def _exact_or_named(self, result: Any, before: Look) -> None:
        """Each file that git would write otherwise is in the result. After a kill without a result, it is unchanged."""
        words = ("status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all")
        unlike = [line[3:] for line in self.case.git_bytes(*words).split(b"\0") if line]
        if isinstance(result, str):
            now = self.case.look()
            assert [name for name in unlike if now.files.get(name) != before.files.get(name)] == []
        else:
            assert {os.fsdecode(name) for name in unlike} <= set(result.not_exact)

    def _done(self, result: Any, name: str) -> str:
        """The id of an operation: of its result, or found in the ledger after a kill."""
        found: str = result if isinstance(result, str) else getattr(result, name)
        self.after[found] = self.case.look()
        return found

    @rule(at=st.sampled_from([None, 0, 1, 2]), mode=modes, save=saves, fate=fates)
    def undo(self, at: int | None, mode: str | None, save: str | None, fate: tuple[str, int, str]) -> None:
        if not self.before:  # no precondition: a seed could not repeat it, because it depends on a kill
            return
        op_id = None if at is None else list(self.before)[at % len(self.before)]
        request = undo.Request(op_id, preserve=mode, untracked=save)
        done = self.move(undo, request, fate)
        self.active = bool(self.case.active())
        if done:
            result = done[0]
            undone = (
                killed_moves.undone_by(self.case, result)
                if isinstance(result, str)
                else result.undone_operation
            )
            if undone in self.before:  # else a person edited something before it was finished
                named = () if isinstance(result, str) else map(os.fsencode, result.not_exact)
                self._as_before(self.before[undone], done[1], self.after.get(undone), set(named))
            self.before[self._done(result, "undo_id")] = done[1]

    def _as_before(self, was: Look, left: Look, after: Look | None, named: set[bytes]) -> None:
        """All but the `named` files are as they `was` before the operation; untracked ones as before the undo, or saved."""
        now = self.case.look()
        assert (now.head, now.branch, now.index) == (was.head, was.branch, was.index)
        mine = {p for p in was.tracked if p not in was.files and p in left.files} - left.tracked.keys()
        for path in was.tracked.keys() - mine - named:
            if now.files.get(path) != was.files.get(path):
                killed_moves.assert_mode_allowed(path, (now, was, left, after), self.before.values())
        assert all(now.files.get(p) in (None, left.files[p]) for p in mine)

    @rule(at=some, fate=fates)
    def checkout(self, at: int, fate: tuple[str, int, str]) -> None:
        request = checkout.Request("main" if at > 5 else f"branch-{at % 3}")
        done = self.move(checkout, request, fate, clean=True)
        if done:
            assert self.case.git("symbolic-ref", "--short", "HEAD") == request.branch_name

    @rule()
    def snapshot(self) -> None:
        before = self.case.look().files
        self.verb(lambda: snapshot_create.run(self.case.workspace, snapshot_create.Request("by verb")))
        assert self.case.look().files == before
