"""Moments for the state machine of `test_model`: made and killed while they are made, gone to, pruned, and always whole."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import rule

from devs_git.commands import rewind
from devs_git.domain.moments.moment import Occasion
from devs_git.storage.moments import make_moment, prune_moments, read_moments, store_packing
from devs_git.values import replace
from tests.support import moment_scene
from tests.support.killed_work import is_killed
from tests.support.rewind_cases import Case, Look

some = st.integers(0, 9)
preserves = st.sampled_from(["branch", "stash", "discard", "discard", None])
# What happens during a move: nothing (''), `gc` or `git status` beside it, or a kill (`us`, `filter`, `both`).
FATES = (*("", "", "gc", "status"), *("us", "us", "us", "us", "filter", "both"))
fates = st.tuples(st.sampled_from(FATES), st.integers(0, 13), st.sampled_from(["", "", "edit", "again"]))
untracked = st.sampled_from(["remove", "remove", "save", None])


@dataclass(frozen=True)
class Kept:
    """What a moment must bring back: the look when it was made, and the paths that it has."""

    look: Look
    covered: frozenset[bytes]


class Moments:
    """Rules about moments. `moments` has those that no prune has deleted."""

    case: Case
    moments: dict[str, Kept]

    @rule(refs=st.booleans(), killed_at=st.none() | st.integers(0, 5))
    def make_moment(self, refs: bool, killed_at: int | None) -> None:
        """Make a moment: nothing of the worktree changes, also if the process is killed."""
        before = self.case.look()
        kept = Kept(before, covered(self.case))
        if killed_at is not None:
            killed = is_killed(lambda: _make(self.case, killed_at=killed_at))
            note(f"killed while a moment was made: {killed}")
            self.case.look().must_equal(before)
            assert not (self.case.top / ".git/index.lock").exists()
        made = _make(self.case, refs=refs)
        self.case.look().must_equal(before)
        self.count("moment" if made.made else "the same moment")  # type: ignore[attr-defined]
        if not made.made and made.moment_id in self.moments:
            _must_equal(self.case, self.moments[made.moment_id], set())
        self.moments[made.moment_id] = kept
        assert made.moment_id in _listed(self.case)

    @rule(at=some, mode=preserves, save=untracked, fate=fates)
    def go(self, at: int, mode: str | None, save: str | None, fate: tuple[str, int, str]) -> None:
        """Go to a moment: all that it has is there to the byte, and with `remove` nothing that came later."""
        if not self.moments:
            return
        name = list(self.moments)[at % len(self.moments)]
        hidden = ignored(self.case)
        world: Any = self
        request = rewind.Request(f"moment:{name}", preserve=mode, untracked=save)
        done = world.move(rewind, request, fate)
        world.active = bool(self.case.active())
        if done is None:
            return
        result, before = done
        world.count("gone to a moment")
        self.rewound(result, before)
        named = () if isinstance(result, str) else (*result.not_exact, *result.edited)
        _must_equal(self.case, self.moments[name], set(map(os.fsencode, named)))
        if save == "remove":
            left = others(self.case) - self.moments[name].covered - hidden
            assert not left, f"not taken away: {left}"

    def rewound(self, result: Any, before: Look) -> None:
        """Remember a rewind, which an undo can take back. Where everything was so already, nothing was done."""
        world: Any = self
        if isinstance(result, str) or result.rewind_id:
            world.before[world._done(result, "rewind_id")] = before
        else:
            world.count("nothing to do")
            self.case.look().must_equal(before)

    @rule(store=st.booleans())
    def prune_moments(self, store: bool) -> None:
        """Delete all moments of a day, or only collect what nothing names. The other moments stay whole."""
        workspace = self.case.workspace
        if store:
            store_packing.pack(workspace.store_git, workspace.places.common, 0)
        else:
            moment_scene.prune(workspace.store_git, prune_moments.days(workspace.store_git)[:1])
        held = _listed(self.case)
        if store:
            assert self.moments.keys() <= held
        self.moments = {name: kept for name, kept in self.moments.items() if name in held}

    @rule(text=st.sampled_from([b"", b"other words\n"]))
    def files_come(self, text: bytes) -> None:
        """Files that only `remove` takes away, at paths that no commit has."""
        self.case.write({b"n/new": text, b"n/deep/er": text, b"new": text})

    @rule()
    def every_moment_is_whole(self) -> None:
        for name in self.moments:
            assert_whole(self.case, name)


def covered(case: Case) -> frozenset[bytes]:
    """The paths that a moment has: tracked and untracked files that are there, none of a nested repository."""
    listed = case.git_bytes("ls-files", "-z", "-c", "-o", "--exclude-standard").split(b"\0")
    links = {
        line.partition(b"\t")[2]
        for line in case.git_bytes("ls-files", "-z", "-s").split(b"\0")
        if line.startswith(b"160000")
    }
    return frozenset(path for path in listed if path and path[-1:] != b"/") - links


def others(case: Case) -> set[bytes]:
    """The untracked files that git does not ignore, without nested repositories."""
    listed = case.git_bytes("ls-files", "-z", "-o", "--exclude-standard").split(b"\0")
    return {path for path in listed if path and path[-1:] != b"/"}


def ignored(case: Case) -> set[bytes]:
    return set(case.git_bytes("ls-files", "-z", "-o", "-i", "--exclude-standard").split(b"\0"))


def _must_equal(case: Case, kept: Kept, named: set[bytes]) -> None:
    """HEAD, branch and index are as they were, and so is each file that the moment has, but for the `named` ones."""
    now, was = case.look(), kept.look
    assert (now.head, now.branch) == (was.head, was.branch)
    assert now.index == was.index
    paths = (kept.covered & was.files.keys()) | (was.tracked.keys() - was.files.keys())
    wrong = {
        p: (now.files.get(p), was.files.get(p)) for p in paths - named if now.files.get(p) != was.files.get(p)
    }
    assert not wrong, f"not as in the moment: {wrong}"


def _make(case: Case, *, refs: bool = False, killed_at: int | None = None) -> make_moment.Made:
    steps = iter(range(1000))

    def step(_name: str) -> None:
        if next(steps) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    workspace = case.workspace
    maker = replace(moment_scene.maker(workspace), clock=workspace.clock, step=step)
    return make_moment.make(maker, Occasion("call"), keep_refs=refs)


def _listed(case: Case) -> set[str]:
    workspace = case.workspace
    return {one.id for one in read_moments.list_moments(workspace.store_git, workspace.objects)}


def assert_whole(case: Case, name: str) -> None:
    """Each object of a moment exists. It is read with plain git."""
    inside = case.top / ".git"
    folders = {
        "GIT_OBJECT_DIRECTORY": inside / "devs/moments.git/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": inside / "objects",
    }
    env = {key: os.fspath(value) for key, value in folders.items()}
    listed = _git(case, env, "ls-tree", "-r", "-t", "-z", name)
    oids = [line.split(b"\t")[0].split(b" ") for line in listed.split(b"\0") if line]
    asked = b"".join(oid + b"\n" for _, kind, oid in oids if kind != b"commit")
    said = _git(case, env, "cat-file", "--batch-check", stdin=asked)
    assert b"missing" not in said, f"the moment {name} is not whole"


def _git(case: Case, env: dict[str, str], *words: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", *words], cwd=case.top, env={**os.environ, **env}, input=stdin, capture_output=True, check=True
    )
    return done.stdout
