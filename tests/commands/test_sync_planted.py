"""A dry run of `sync` starts the transport to its remote, and nothing else that the repository names. `sync` also runs the
hooks of git that any push and any change of a ref runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import sync
from devs_git.entrypoints import router
from tests.support.clones import Clone, Pair
from tests.support.planting import FILTERS, plant

# As the ssh program it runs the command for the other side. As the program of the other side it is git's. As anything
# else it leaves its line and ends, so that nothing fails and nothing waits.
TRAP = r"""#!/bin/sh
case "$0" in
*/hooks/*) echo "${{0##*/}}" >>{ran} ;;
*) echo "$1" >>{ran} ;;
esac
for last; do :; done
case "$1" in
core.sshCommand) exec sh -c "$last" ;;
remote.origin.uploadpack) exec git upload-pack "$last" ;;
remote.origin.receivepack) exec git receive-pack "$last" ;;
esac
exit 0
"""
# The ssh program, and what it runs on the other side.
TRANSPORT = {"core.sshCommand", "remote.origin.uploadpack"}
PUSH = {*TRANSPORT, "remote.origin.receivepack"}
HOOKS = ("pre-push", "pre-commit", "post-commit", "commit-msg", "post-merge", "post-rewrite", "update", "pre-receive",
         "post-receive", "proc-receive", "push-to-checkout", "sendemail-validate")  # fmt: skip


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Where each planted program leaves a line."""
    return tmp_path / "ran"


@pytest.fixture(params=["again", pytest.param("first", marks=pytest.mark.thorough)])
def ann(request: pytest.FixtureRequest, pair: Pair, tmp_path: Path, ran: Path) -> Clone:
    """A clone in which all is planted. It and its remote have events that the other one lacks. Either it knows the remote's
    ledger already, or this is its first `sync`.
    """
    trap, there = tmp_path / "trap", pair.ann
    trap.write_text(TRAP.format(ran=ran))
    trap.chmod(0o755)
    there.task("10")
    pair.bob.task("11")
    pair.bob.sync()
    plant(there.top, there.git, trap, FILTERS["all"])
    for hook in HOOKS:
        path = there.top / ".git" / "hooks" / hook
        path.unlink(missing_ok=True)
        path.symlink_to(trap)
    there.git("config", "remote.origin.url", f"ssh://localhost{pair.origin}")
    there.git("config", "remote.origin.receivepack", f"{trap} remote.origin.receivepack")
    there.git("config", "ssh.variant", "simple")
    if request.param == "first":
        there.git("update-ref", "-d", "refs/devs/remotes/origin/ledger")
        there.git("update-ref", "-d", "refs/remotes/origin/HEAD")
        (there.top / ".git/devs/checked-tip").unlink()
    ran.unlink(missing_ok=True)
    return there


@pytest.mark.quick
def test_a_dry_run_of_sync_starts_only_the_transport_to_the_remote(ann: Clone, ran: Path) -> None:
    told = router.call("sync", ann.opened, sync.Request(dry_run=True))
    assert told.merged
    assert told.pushed
    assert set(ran.read_text().split()) == TRANSPORT


def test_sync_starts_the_transport_and_the_hooks_of_a_push(ann: Clone, ran: Path) -> None:
    done = ann.sync()
    assert done.merged
    assert done.pushed
    assert set(ran.read_text().split()) == {*PUSH, "pre-push", "reference-transaction"}
