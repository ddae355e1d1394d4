"""Trees that are small to push and have endless names when they are opened: they end no reader of the ledger.

Each reader runs with a limit of memory under which it judges an honest ledger.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import init
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.commands.conftest import pair
from tests.support.clones import Pair
from tests.support.git_calls import git

__all__ = ("pair",)
# git and Python each need less than half of it for a ledger of some events.
MEMORY = 512 << 20
WIDTH, DEPTH = 100, 4
MESSAGE = "x\n\nDevs-Event: x"
OURS = (sys.executable, "-m", "devs_git")


def limited(*words: str, where: Path) -> tuple[int, str]:
    """The exit status and the output of a program that gets no more memory than MEMORY, nor do its children."""
    done = subprocess.run(
        words,
        cwd=where,
        capture_output=True,
        check=False,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    return done.returncode, os.fsdecode(done.stdout + done.stderr)


def unfolding(leaf: str) -> str:
    """The oid of a tree that has WIDTH ** DEPTH names, if each of its folders is opened. `leaf` is a row of a tree, up to its name."""
    tree = leaf
    for _ in range(DEPTH):
        rows = "".join(f"{tree}\tn{name}\n" for name in range(WIDTH))
        tree = f"040000 tree {git('mktree', stdin=rows)}"
    return tree.split()[-1]


def bombs(tip: str) -> dict[str, str]:
    """Events on top of the ledger, each with such a tree at another place, in another way."""
    file = f"100644 blob {git('rev-parse', f'{tip}:README.md')}"
    nothing = f"040000 tree {git('mktree', stdin='')}"
    rows = git("ls-tree", tip)

    def event(*words: str, name: str = "x", leaf: str = file) -> str:
        tree = git("mktree", stdin=f"{rows}\n040000 tree {unfolding(leaf)}\t{name}\n")
        return git("commit-tree", "-p", tip, *words, "-m", MESSAGE, tree)

    folder = event(name="gates")
    side = git("commit-tree", "-p", tip, "-m", MESSAGE, f"{tip}^{{tree}}")
    return {
        "a folder that is not known": event(),
        "a folder that is known": folder,
        "empty folders": event(name="open", leaf=nothing),
        "a merge": event("-p", side, name="tasks"),
        "an event that takes it out again": git(
            "commit-tree", "-p", folder, "-m", MESSAGE, f"{tip}^{{tree}}"
        ),
    }


def refused(code: str, *words: str, where: Path) -> None:
    """The program ends with this code, within MEMORY."""
    status, said = limited(*words, where=where)
    assert status != 0, said
    assert code in said, said


@pytest.mark.quick
@pytest.mark.thorough
def test_small_trees_in_the_ledger_that_unfold_to_endless_files(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    router.call("init", Workspace.open(pair.origin), init.Request(server=True))
    monkeypatch.chdir(pair.ann.top)
    ann, bob = pair.ann.top, pair.bob.top
    pair.ann.task("10")
    for verb, where in (("sync", ann), ("sync", bob), ("verify", bob)):
        status, said = limited(*OURS, verb, where=where)
        assert status == 0, said  # honest work needs less memory
    tip = git("rev-parse", LEDGER)
    for how, bomb in bombs(tip).items():
        refused("LEDGER_MUTATED", "git", "push", "--no-verify", "origin", f"{bomb}:{LEDGER}", where=ann)
        assert git("rev-parse", LEDGER, where=pair.origin) == tip
        # What a server without our hook takes.
        git("push", "-q", "--no-verify", "origin", f"+{bomb}:refs/heads/bomb")
        git("update-ref", LEDGER, bomb, where=pair.origin)
        refused("LEDGER_MUTATED", *OURS, "sync", where=bob)
        assert git("rev-parse", LEDGER, where=bob) == tip
        git("clone", "-q", os.fspath(pair.origin), f"../{how}")
        refused("LEDGER_MUTATED", *OURS, "init", where=ann.parent / how)
        # What a plain fetch brings.
        git("update-ref", LEDGER, bomb, where=bob)
        for verb in ("verify", "gate list"):
            refused("LEDGER_MUTATED", *OURS, *verb.split(), where=bob)
        assert limited(*OURS, "status", where=bob)[0] == 0
        for where in (bob, pair.origin):
            git("update-ref", LEDGER, tip, where=where)
