"""Each git, and ssh-keygen, of what goes between people is killed, one in each run: a sync, a decision, an adoption."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, init, verify
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace
from tests.support.clones import LEDGER, Pair, refs_of
from tests.support.dying_programs import dying_git, gits_run
from tests.support.gate_scene import NEW, TAS, ask, commit, in_force, make_key
from tests.support.git_calls import git

pytestmark = pytest.mark.thorough
Run = Callable[..., str]
Killed = Callable[..., Iterator[tuple[int, Any]]]


@pytest.fixture
def killed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Killed:
    """`killed(act)`: which git (each, or `every` third) was killed, and what `act` returned or None where it was refused, each in a copy made anew."""
    kept, folder = tmp_path_factory.mktemp("kept") / "all", tmp_path_factory.mktemp("bin")

    def run(act: Callable[[], Any], every: int = 1) -> Iterator[tuple[int, Any]]:
        monkeypatch.chdir(folder)
        shutil.copytree(tmp_path, kept, symlinks=True)
        at = 0
        while not at or at <= gits_run(folder):
            at += every
            shutil.rmtree(tmp_path)
            shutil.copytree(kept, tmp_path, symlinks=True)
            done = None
            with monkeypatch.context() as there:
                for name, value in dying_git(folder, at=at, before=bool(at % 2)).items():
                    there.setenv(name, value)
                try:
                    done = act()
                except DevsError:
                    pass
                except GitFailed as error:
                    if error.status > 0:
                        raise
                told = (folder / "count").read_bytes()
            yield at, done
            (folder / "count").write_bytes(told)
        assert at > 1

    return run


def test_a_sync_loses_nothing_and_no_gate(pair: Pair, killed: Killed) -> None:
    pair.ann.task("1")
    gate = pair.bob.ask(kind="MANUAL")
    pair.bob.sync()
    for at, done in killed(pair.ann.sync, every=3):
        if done is not None:
            assert refs_of(pair.ann.top) == refs_of(pair.origin), at
            assert pair.ann.opened.ledger.open_gates() == (gate,), at
        pair.meet()
        assert refs_of(pair.ann.top) == refs_of(pair.bob.top) == refs_of(pair.origin), at
        assert pair.bob.opened.ledger.open_gates() == (gate,), at
        assert any("task-1@" in name or "task-1" in name for name in refs_of(pair.bob.top)), at
        assert pair.ann.trouble() == [], at


def test_a_signed_approval_lands_with_its_decision_or_not_at_all(
    ledgered: Workspace, killed: Killed, tmp_path_factory: pytest.TempPathFactory, git: Run
) -> None:
    key, top = make_key(tmp_path_factory.mktemp("keys"), "ada"), ledgered.top
    approvers = [{"principal": "ada@example.org", "key": key.public}]
    in_force(ledgered, approvers=approvers, approval={"minimum": "signed"})
    commit(top, {"TAS.md": TAS})
    gate = ask(ledgered, text=NEW)
    wanted = gate_approve.Request(gate, sign=True, key=str(key.path))

    def approve() -> Any:
        return router.call("gate approve", Workspace.open(top), wanted)

    for at, done in killed(approve):
        router.call("status", Workspace.open(top), _status())
        still = Workspace.open(top).ledger.open_gates() == (gate,)
        landed = git("show", "HEAD:TAS.md", where=top) == NEW.strip()
        assert landed != still, at
        assert (top / "TAS.md").read_text() == (NEW if landed else TAS), at
        assert done is None or landed, at
        if still:
            assert approve().status == "APPROVED", at
        found = verify.run(Workspace.open(top), verify.Request(("ledger", "tas", "commits"))).findings
        assert [one for one in found if one.severity == "error" and one.code != "UNBOUND_COMMIT"] == [], at


def _status() -> Any:
    from devs_git.commands import status

    return status.Request()


def test_an_adoption_makes_no_second_ledger(pair: Pair, killed: Killed, tmp_path: Path) -> None:
    gate = pair.ann.ask(kind="MANUAL")
    pair.ann.sync()
    there = tmp_path / "new"
    git("clone", "-q", "origin.git", "new", where=tmp_path)
    root = pair.ann.git("rev-list", "--max-parents=0", LEDGER)

    def adopt() -> Any:
        return router.call("init", Workspace.open(there), init.Request())

    for at, _done in killed(adopt):
        with suppress(DevsError):
            assert Workspace.open(there).ledger.open_gates() in ((gate,), ()), at
        assert adopt().genesis == root, at
        assert git("rev-list", "--max-parents=0", LEDGER, where=there) == root
        assert Workspace.open(there).ledger.open_gates() == (gate,), at


def test_a_first_init_that_was_killed_is_finished_by_the_next(repo: Path, killed: Killed) -> None:
    def begin() -> Any:
        return router.call("init", Workspace.open(repo), init.Request())

    for at, _done in killed(begin, every=2):
        if LEDGER in refs_of(repo):
            assert git("cat-file", "-t", f"{LEDGER}:policy.yaml", where=repo) == "blob", at
        root = begin().genesis
        assert git("rev-list", "--max-parents=0", LEDGER, where=repo) == root, at
        found = verify.run(Workspace.open(repo), verify.Request(("ledger",))).findings
        assert found == (), at
