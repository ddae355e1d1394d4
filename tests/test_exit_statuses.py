"""What scripts rely on: the exit status of each refusal, written down here and not read from the table."""

from __future__ import annotations

import subprocess
import sys

import pytest

from devs_git.errors import CODES
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask

pytestmark = pytest.mark.quick
# 1: a check, a gate or a rule about people says no; 3: not found, or a value that is refused; 5: the ledger is damaged.
EXPECTED = {
    1: "GATE_BLOCKED TERMINAL_REQUIRED SELF_APPROVAL UNKNOWN_SIGNER BAD_SIGNATURE REPLAYED COMMITTED_WHILE_FROZEN "
    "UNBOUND_COMMIT LEDGER_REGRESSION UNSEEN_AT_FREEZE TAS_UNAPPROVED TAS_MISMATCH TAG_MOVED TAG_MISSING TAG_NOT_ANNOTATED",
    3: "TASK_NOT_FOUND CHECKPOINT_NOT_FOUND NO_CHECKPOINT NOTHING_TO_UNDO INVALID_BRANCH GIT_NOT_FOUND NOT_A_REPOSITORY "
    "INVALID_ARGUMENTS GATE_NOT_FOUND TRACE_NOT_FOUND MESSAGE_NOT_FOUND SNAPSHOT_NOT_FOUND MOMENT_NOT_FOUND CONTRACT_NOT_FOUND "
    "DIRECTIVE_NOT_FOUND "
    "INVALID_INPUT POLICY_INVALID",
    5: "LEDGER_MISSING LEDGER_FORK LEDGER_ROLLBACK LEDGER_MUTATED",
    70: "INTERNAL",
}


def test_each_code_has_its_exit_status_and_all_others_mean_look_again() -> None:
    written = {code: status for status, codes in EXPECTED.items() for code in codes.split()}
    assert {code: row.exit_status for code, row in CODES.items()} == {
        code: written.get(code, 4) for code in CODES
    }
    assert [code for code in written if code not in CODES] == []


def test_a_command_that_a_gate_holds_back_exits_1(ledgered: Workspace) -> None:
    ask(ledgered)
    words = [sys.executable, "-m", "devs_git", "task", "start", "11"]
    done = subprocess.run(words, cwd=ledgered.top, capture_output=True, text=True, check=False)
    assert (done.returncode, "GATE_BLOCKED" in done.stderr) == (1, True), done.stderr
