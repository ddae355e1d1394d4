"""A ledger of version 0.1 with a gate request before the first policy: `verify` says how to start again, and that works."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from devs_git.commands import init, verify
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.attacker import NO_HOOKS, codes_in, commit, on_top
from tests.support.gate_scene import ask
from tests.support.git_calls import git

pytestmark = pytest.mark.quick


def steps() -> list[str]:
    """The commands of the finding, in their order."""
    found = verify.run(Workspace.open(), verify.Request(("ledger",))).findings
    (fix,) = {one.hint for one in found if "before there is a policy" in one.message}
    return [*re.findall(r": (git .*?)\. ", fix), "devs-git init"]


def test_a_ledger_whose_gate_came_before_its_policy_begins_anew_as_it_is_told(initialised: Path) -> None:
    (initialised / "work.txt").write_text("work\n")
    git("add", "work.txt")
    ask(Workspace.open(), kind="MANUAL")
    asked = git("ls-tree", "-r", "--name-only", LEDGER, "gates/").splitlines()
    (path,) = (one for one in asked if one.endswith("request.yaml"))
    (gate,) = {path.split("/")[1]}
    genesis = git("rev-list", "--max-parents=0", LEDGER)
    files = ((path, git("cat-file", "blob", f"{LEDGER}:{path}")), (f"open/{gate}", "MANUAL\n"))
    early = on_top(*files, parent=genesis, message="x\n\nDevs-Event: gate.requested")
    policy = git("cat-file", "blob", f"{LEDGER}:policy.yaml") + "\n"
    old = on_top(("policy.yaml", policy), parent=early, message="x\n\nDevs-Event: policy.set")
    git(*NO_HOOKS, "update-ref", LEDGER, old)
    Path(".git/devs/checked-tip").unlink()
    told = steps()
    assert len(told) == 3
    for line in told[:-1]:
        subprocess.run(line, shell=True, check=True, cwd=initialised)  # noqa: S602 - what a person types
    router.call("init", Workspace.open(), init.Request())
    assert git("rev-parse", "devs/ledger-before") == old
    assert git("rev-list", "--max-parents=0", LEDGER) != genesis
    git("add", "-A")
    commit(message="begun anew")
    assert codes_in("ledger", "policy") == set()
    assert Workspace.open().ledger.open_gates() == ()
