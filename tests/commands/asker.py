"""Processes that ask for a TAS revision at once: `asker.py FOLDER ARM RUNS ASKERS`, one line of JSON for each run.

`guarded` asks as the command does; `unguarded` has the check against the tip taken out, or the test could not see that
it is needed. The askers of a run are forked and let go together; after it everything is decided, so that the next can begin.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

from devs_git.commands import gate_reject, gate_request
from devs_git.errors import DevsError
from devs_git.workspace import Workspace

REQUEST = gate_request.Request(
    gate_type="TAS_REVISION",
    agent_id="architect",
    task_id="task-10",
    blocker_description="Section 2.3 rules out what the task needs.",
    proposed_changes={
        "sections_to_modify": ["2.3"],
        "rationale": "Without it no date can be parsed.",
        "risk_assessment": "Readers of the old format break.",
    },
)


def ask(top: Path) -> str:
    try:
        return f"opened {gate_request.run(Workspace.open(top), REQUEST).gate_id}"
    except DevsError as error:
        return f"{error.code} {error.details.get('existing_gate_id')}"


def run(top: Path, askers: int) -> list[str]:
    """What each of `askers` forked processes was told."""
    (waiting, go), (reading, told) = os.pipe(), os.pipe()
    children = []
    for _ in range(askers):
        pid = os.fork()
        if not pid:
            os.close(go)
            os.read(waiting, 1)  # until the parent closes its end
            os.write(told, ask(top).encode() + b"\n")
            os._exit(0)
        children.append(pid)
    os.close(go)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * askers
    os.close(told)
    with os.fdopen(reading) as stream:
        answers = stream.read().splitlines()
    os.close(waiting)
    return answers


def load() -> None:
    """Load once what every asker needs."""
    for name in ("pygit2", "ruamel.yaml", "devs_git.storage.worktree.survey", "uuid", "random"):
        importlib.import_module(name)


def main(top: Path, arm: str, runs: int, askers: int) -> None:
    if arm == "unguarded":
        vars(gate_request)["_refuse_second"] = lambda _tip, _asked: None
    load()
    for _ in range(runs):
        answers = run(top, askers)
        workspace = Workspace.open(top)
        waiting = workspace.ledger.open_gates()
        sys.stdout.write(json.dumps({"answers": answers, "open": waiting}) + "\n")
        for gate_id in waiting:
            gate_reject.run(workspace, gate_reject.Request(gate_id, "Next run.", ask=lambda _text: None))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
