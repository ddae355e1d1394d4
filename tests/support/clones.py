"""Two or three clones of one repository with a ledger, and the bare remotes that they share."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devs_git.commands import gate_approve, gate_reject, init, sync, verify
from devs_git.entrypoints import router
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.git_calls import git
from tests.support.scene import Scene
from tests.support.sync_oracle import LedgerFacts, Oracle, branches

LEDGER = "refs/heads/devs/ledger"
TAGS = "refs/tags/devs"
SHARED_REFS = (LEDGER, "refs/devs/checkpoints", TAGS)


def refs_of(where: Path) -> dict[str, str]:
    """The refs that `sync` shares, with their oids."""
    rows = git("for-each-ref", "--format=%(refname) %(objectname)", *SHARED_REFS, where=where).splitlines()
    return dict(row.split(" ") for row in rows)


@dataclass(frozen=True)
class Clone:
    """One clone. Each command opens the repository again, as a new process does."""

    top: Path

    @property
    def opened(self) -> Workspace:
        return Workspace.open(self.top)

    def git(self, *args: str) -> str:
        return git(*args, where=self.top)

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


def facts_of(clone: Clone) -> LedgerFacts:
    """What the clone's own program reads in the ledger: the completions that nothing replaced, and who rewound them."""
    points = [
        p for p in clone.opened.ledger.tip().history.checkpoints.values() if p.completed and not p.replaced
    ]
    return LedgerFacts(
        {point.tag: point.commit for point in points},
        {point.tag: point.task_id for point in points},
        # A rewind to the very commit of a completion undoes it on that commit: no branch makes it live again.
        {p.tag: {entry.clone: "" if entry.at else entry.branch for entry in p.rewound} for p in points},
    )


def assert_visible_tags(refs: dict[str, str], live: set[str], facts: LedgerFacts) -> None:
    """Each task with live completions has a visible tag, and this is one of them. No other task has a visible tag."""
    named = {name.removeprefix(f"{TAGS}/"): oid for name, oid in refs.items() if name.startswith(TAGS)}
    assert set(named) == {facts.tasks[tag] for tag in live}
    assert set(named.values()) <= live


@dataclass(frozen=True)
class Pair:
    """The clones `ann` and `bob`, both synchronised with the bare repository `origin`."""

    origin: Path
    ann: Clone
    bob: Clone

    def meet(self) -> None:
        """Ann, Bob and again Ann run `sync`, so that both have everything."""
        self.ann.sync()
        self.bob.sync()
        self.ann.sync()

    def assert_same(self, *parts: str) -> None:
        """All three repositories have the same shared refs, and `verify` (all of it, or `parts`) finds nothing.

        After a rewind that was not undone, use `assert_agree`: each clone then has visible tags of its own.
        """
        for clone in (self.ann, self.bob):
            here, there = refs_of(clone.top), refs_of(self.origin)
            assert here == there, set(here.items()) ^ set(there.items())
        self.assert_sound(*parts)

    def assert_agree(self) -> None:
        """All three repositories have the same ledger and checkpoints. Each has the visible tags of the completions that
        its branches have. `verify` finds nothing.
        """
        all_commits = self.origin.with_name("all-commits.git")
        git("init", "-q", "--bare", str(all_commits), where=self.origin.parent)
        oracle, on_origin = Oracle(all_commits), refs_of(self.origin)
        for clone in (self.ann, self.bob):
            here = refs_of(clone.top)
            assert {name: oid for name, oid in here.items() if not name.startswith(TAGS)} == {
                name: oid for name, oid in on_origin.items() if not name.startswith(TAGS)
            }
            git("fetch", "-q", str(clone.top), f"+refs/*:refs/{clone.top.name}/*", where=all_commits)
            facts = facts_of(clone)
            oracle.branches_seen_by(clone.top).record_fetch(
                "origin", branches(clone.top, "refs/remotes/origin/")
            )
            live = {
                tag for tag in facts.commits if oracle.expected_state(clone.top, facts, tag) == "completed"
            }
            assert_visible_tags(here, live, facts)
        expected = {tag for tag in facts.commits if oracle.expects_tag(self.origin, facts, tag)}
        assert_visible_tags(on_origin, expected, facts)
        self.assert_sound()

    def assert_sound(self, *parts: str) -> None:
        for clone in (self.ann, self.bob):
            found = clone.trouble(*parts)
            assert found == [], found


@dataclass(frozen=True)
class Trio(Pair):
    """A pair, a third clone `cat`, and a second remote `spare` of `ann` and `bob`."""

    cat: Clone
    spare: Path

    @property
    def every(self) -> tuple[Clone, Clone, Clone]:
        return self.ann, self.bob, self.cat


def make_trio(pair: Pair, folder: Path) -> Trio:
    """The pair, a fresh clone `cat`, and an empty second remote."""
    git("clone", "-q", os.fspath(pair.origin), "cat", where=folder)
    cat = Clone(folder / "cat")
    router.call("init", cat.opened, init.Request())
    git("init", "-q", "--bare", "spare.git", where=folder)
    for clone in (pair.ann, pair.bob):
        clone.git("remote", "add", "spare", "../spare.git")
    return Trio(pair.origin, pair.ann, pair.bob, cat, folder / "spare.git")


def second_remote(pair: Pair, tmp_path: Path) -> Path:
    """A bare copy of `origin`; both clones have it as the remote `other`."""
    other = tmp_path / "other.git"
    git("clone", "-q", "--mirror", str(pair.origin), str(other), where=tmp_path)
    for clone in (pair.ann, pair.bob):
        clone.git("remote", "add", "other", str(other))
    return other


def make_pair(initialised: Path, folder: Path) -> Pair:
    """Two clones of a repository with a ledger, made in `folder`."""
    origin, ann, bob = folder / "origin.git", folder / "ann", folder / "bob"
    git("init", "-q", "--bare", str(origin), where=folder)
    shutil.move(initialised, ann)
    git("remote", "add", "origin", str(origin), where=ann)
    git("push", "-q", "-u", "origin", "main", LEDGER, where=ann)
    git("clone", "-q", str(origin), str(bob), where=folder)
    router.call("init", Workspace.open(bob), init.Request())
    pair = Pair(origin, Clone(ann), Clone(bob))
    pair.bob.sync()
    pair.ann.sync()
    return pair


def copy_pair(initialised: Path, mould: Path, folder: Path) -> Pair:
    """A copy of the pair in `mould`, which is made at the first call. The path of the remote is relative, so each copy can use it."""
    if not mould.exists():
        mould.mkdir()
        made = make_pair(initialised, mould)
        for clone in (made.ann, made.bob):
            clone.git("remote", "set-url", "origin", "../origin.git")
            clone.sync()  # it notes this URL
    for name in ("origin.git", "ann", "bob"):
        shutil.copytree(mould / name, folder / name, symlinks=True)
        if name != "origin.git":
            git("update-index", "-q", "--refresh", where=folder / name)
    return Pair(folder / "origin.git", Clone(folder / "ann"), Clone(folder / "bob"))
