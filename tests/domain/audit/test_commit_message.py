"""Which trailers of a message are missing, doubled or malformed."""

from __future__ import annotations

import pytest

from devs_git.domain.audit.commit_message import pairs, problems

pytestmark = pytest.mark.quick

BOUND = f"Devs-Ledger: {'a' * 40}"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (BOUND, []),
        (f"Reviewed-by: me\n{BOUND}\nDevs-Task: task-10\nDevs-Agent: reviewer\nDevs-Phase: plan\nGate-Id: 0b1c", []),
        ("", ["UNBOUND_COMMIT "]),
        ("Devs-Task: task-10", ["UNBOUND_COMMIT "]),
        ("Devs-Ledger: abc", ["INVALID_ARGUMENTS Devs-Ledger"]),
        (f"{BOUND}\n{BOUND}", ["INVALID_ARGUMENTS Devs-Ledger"]),
        (f"{BOUND}\nDevs-Task: 10", ["INVALID_ARGUMENTS Devs-Task"]),
        (f"{BOUND}\nDevs-Task: ../x", ["INVALID_ARGUMENTS Devs-Task"]),
        (f"{BOUND}\nDevs-Agent: boss\nDevs-Phase: lunch", ["INVALID_ARGUMENTS Devs-Agent", "INVALID_ARGUMENTS Devs-Phase"]),
        (f"{BOUND}\nGate-Id: ../x", ["INVALID_ARGUMENTS Gate-Id"]),
    ],
)  # fmt: skip
def test_a_message_is_bound_once_and_its_trailers_are_well_formed(lines: str, wanted: list[str]) -> None:
    found = [f"{error.code} {error.details.get('field', '')}" for error in problems(pairs(lines))]
    assert found == wanted
