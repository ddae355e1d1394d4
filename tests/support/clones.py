"""Two clones of one repository with a ledger, and the bare remote between them."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devs_git.commands import gate_approve, gate_reject, init, sync, verify
from devs_git.entrypoints import router
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.scene import Scene
from tests.support.sync_oracle import Claims, Oracle, branches

LEDGER = "refs/heads/devs/ledger"
TAGS = "refs/tags/devs"
OURS = ("refs/heads/devs/ledger", "refs/devs/checkpoints", "refs/tags/devs")


def git(where: Path, *args: str, ok: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(["git", *args], cwd=where, capture_output=True, check=False)
    assert done.returncode in ok, (args, os.fsdecode(done.stderr))
    return os.fsdecode(done.stdout).rstrip("\n")


def refs_of(where: Path) -> dict[str, str]:
    rows = git(where, "for-each-ref", "--format=%(refname) %(objectname)", *OURS).splitlines()
    return dict(row.split(" ") for row in rows)


@dataclass(frozen=True)
class Clone:
    """One clone at work; every command opens the repository anew, as a process would."""

    top: Path

    @property
    def opened(self) -> Workspace:
        return Workspace.open(self.top)

    def git(self, *args: str) -> str:
        return git(self.top, *args)

    def call(self, verb: str, request: Any) -> Any:
        return router.call(verb, self.opened, request)

    def sync(self, remote: str = "") -> sync.Result:
        result: sync.Result = self.call("sync", sync.Request(remote))
        return result

    def task(self, task: str, name: str = "") -> str:
        return Scene(self.opened).task(task, {name or f"{self.top.name}-{task}.txt": f"{task}\n"})

    def ask(self, **more: Any) -> str:
        return gate_scene.ask(self.opened, **more)

    def approve(self, gate: str, **more: Any) -> None:
        self.call("gate approve", gate_approve.Request(gate, ask=lambda _text: None, **more))

    def reject(self, gate: str) -> None:
        self.call("gate reject", gate_reject.Request(gate, reason="No.", ask=lambda _text: None))

    def status(self, gate: str) -> str:
        return gate_files.find(self.opened.ledger.tip(), gate).status

    @property
    def tip(self) -> str:
        return self.git("rev-parse", LEDGER)

    @property
    def subjects(self) -> list[str]:
        return self.git("log", "--format=%s", LEDGER).splitlines()

    def trouble(self, *parts: str, severity: str = "error") -> list[str]:
        """What `verify` finds, as code and message."""
        found = verify.run(self.opened, verify.Request(parts or ("repository",))).findings
        return [f"{f.code}: {f.message}" for f in found if f.severity == severity]


def claims_of(clone: Clone) -> Claims:
    """What the ledger says of completions that nothing replaced; who took which away, by our own reading of its events."""
    points = [
        p for p in clone.opened.ledger.tip().history.checkpoints.values() if p.completed and not p.replaced
    ]
    return Claims(
        {point.tag: point.commit for point in points},
        {point.tag: point.task_id for point in points},
        # No branch brings back what a rewind took on the commit that it stopped at.
        {p.tag: {entry.clone: "" if entry.at else entry.branch for entry in p.rewound} for p in points},
    )


def assert_named(refs: dict[str, str], live: set[str], claims: Claims) -> None:
    """Each task with a live completion has its visible tag, which names one of them, and no other task has one."""
    named = {name.removeprefix(f"{TAGS}/"): oid for name, oid in refs.items() if name.startswith(TAGS)}
    assert set(named) == {claims.tasks[tag] for tag in live}
    assert set(named.values()) <= live


@dataclass(frozen=True)
class Pair:
    """Clones `ann` and `bob`, both in step with the bare `origin`."""

    origin: Path
    ann: Clone
    bob: Clone

    def meet(self) -> None:
        """Both sync until both have all: the one, the other, the one again."""
        self.ann.sync()
        self.bob.sync()
        self.ann.sync()

    def assert_same(self, *parts: str) -> None:
        """One ledger and the same refs everywhere, and `verify` (all of it, or `parts`) is green in both clones.

        Not after a rewind that was not undone: the visible tags are each clone's own then (`assert_agree`).
        """
        for clone in (self.ann, self.bob):
            here, there = refs_of(clone.top), refs_of(self.origin)
            assert here == there, set(here.items()) ^ set(there.items())
        self.assert_sound(*parts)

    def assert_agree(self) -> None:
        """One ledger and the same checkpoints everywhere, and the visible tags that each clone's and the remote's own
        branches ask for; `verify` is green.
        """
        every = self.origin.with_name("every.git")
        git(self.origin.parent, "init", "-q", "--bare", str(every))
        oracle, told = Oracle(every), refs_of(self.origin)
        for clone in (self.ann, self.bob):
            here = refs_of(clone.top)
            assert {name: oid for name, oid in here.items() if not name.startswith(TAGS)} == {
                name: oid for name, oid in told.items() if not name.startswith(TAGS)
            }
            git(every, "fetch", "-q", str(clone.top), f"+refs/*:refs/{clone.top.name}/*")
            claims = claims_of(clone)
            oracle.of(clone.top).git_saw("origin", branches(clone.top, "refs/remotes/origin/"))
            live = {tag for tag in claims.commits if oracle.state(clone.top, claims, tag) == "completed"}
            assert_named(here, live, claims)
        assert_named(told, {tag for tag in claims.commits if oracle.stands(self.origin, claims, tag)}, claims)
        self.assert_sound()

    def assert_sound(self, *parts: str) -> None:
        for clone in (self.ann, self.bob):
            found = clone.trouble(*parts)
            assert found == [], found


@dataclass(frozen=True)
class Trio(Pair):
    """A third clone `cat`, and a second remote `spare` that ann and bob know, too."""

    cat: Clone
    spare: Path

    @property
    def every(self) -> tuple[Clone, Clone, Clone]:
        return self.ann, self.bob, self.cat


def three(pair: Pair, folder: Path) -> Trio:
    """The pair, a clone as it is made today, and an empty second remote beside origin."""
    git(folder, "clone", "-q", os.fspath(pair.origin), "cat")
    cat = Clone(folder / "cat")
    router.call("init", cat.opened, init.Request())
    git(folder, "init", "-q", "--bare", "spare.git")
    for clone in (pair.ann, pair.bob):
        clone.git("remote", "add", "spare", "../spare.git")
    return Trio(pair.origin, pair.ann, pair.bob, cat, folder / "spare.git")


def second_remote(pair: Pair, tmp_path: Path) -> Path:
    """A bare copy of `origin`, known to both clones as `other`."""
    other = tmp_path / "other.git"
    git(tmp_path, "clone", "-q", "--mirror", str(pair.origin), str(other))
    for clone in (pair.ann, pair.bob):
        clone.git("remote", "add", "other", str(other))
    return other


def make(initialised: Path, folder: Path) -> Pair:
    """A pair of clones of a repository with a ledger."""
    origin, ann, bob = folder / "origin.git", folder / "ann", folder / "bob"
    git(folder, "init", "-q", "--bare", str(origin))
    shutil.move(initialised, ann)
    git(ann, "remote", "add", "origin", str(origin))
    git(ann, "push", "-q", "-u", "origin", "main", LEDGER)
    git(folder, "clone", "-q", str(origin), str(bob))
    router.call("init", Workspace.open(bob), init.Request())
    pair = Pair(origin, Clone(ann), Clone(bob))
    pair.bob.sync()
    pair.ann.sync()
    return pair


def copy_of_the_pair(initialised: Path, mould: Path, folder: Path) -> Pair:
    """Made once, copied for each test; the remote is named by a path that is right in each copy."""
    if not mould.exists():
        mould.mkdir()
        made = make(initialised, mould)
        for clone in (made.ann, made.bob):
            clone.git("remote", "set-url", "origin", "../origin.git")
    for name in ("origin.git", "ann", "bob"):
        shutil.copytree(mould / name, folder / name, symlinks=True)
        if name != "origin.git":
            git(folder / name, "update-index", "-q", "--refresh")
    return Pair(folder / "origin.git", Clone(folder / "ann"), Clone(folder / "bob"))
