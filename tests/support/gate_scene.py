"""Helpers for the tests of gates: requests, a policy in force, keys and a TAS."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devs_git.commands import gate_approve, gate_request
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.support import ledgers

in_force, genesis = ledgers.in_force, ledgers.root_of

BLOCKER = "Section 2.3 rules out what the task needs."
TAS = "# TAS\n\n## 2.3 Dates\nold\n\n## 4 More\nx\n"
NEW = TAS.replace("old", "new")
CHANGES: Mapping[str, Any] = {
    "sections_to_modify": ["2.3"],
    "rationale": "Without it no date can be parsed.",
    "risk_assessment": "Readers of the old format break.",
}
WHOLE: dict[str, Any] = {
    "gate_type": "TAS_REVISION",
    "agent_id": "architect",
    "task_id": "task-10",
    "blocker_description": BLOCKER,
    "proposed_changes": {**CHANGES, "sections_to_modify": ["2.3", "4"]},
}


def ask(workspace: Workspace, *, text: str | None = None, kind: str = "TAS_REVISION", **more: Any) -> str:
    """Request a gate; return its id. `text`: the proposed TAS."""
    told: dict[str, Any] = {"gate_type": kind, "blocker_description": BLOCKER, **more}
    if kind == "TAS_REVISION":
        changes = {**CHANGES, **({} if text is None else {"proposed_text": text})}
        told |= {"agent_id": "architect", "task_id": "task-10", "proposed_changes": changes, **more}
    return gate_request.run(workspace, gate_request.Request(**told)).gate_id


def recorded_request(workspace: Workspace, gate_id: str) -> dict[str, Any]:
    """The request as the ledger has it."""
    data = workspace.ledger.tip().read(gate_files.request_path(gate_id)) or b""
    return yaml_documents.load(data, "request")


def decision(workspace: Workspace, gate_id: str) -> dict[str, Any]:
    data = workspace.ledger.tip().read(gate_files.decision_path(gate_id)) or b""
    return yaml_documents.load(data, "decision", "decision")


def commit(top: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, newline="")
    subprocess.run(["sh", "-c", "git add -A && git commit -qm files"], cwd=top, check=True)
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=top, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@dataclass(frozen=True)
class Key:
    """An SSH key pair without a passphrase."""

    path: Path

    @property
    def public(self) -> str:
        return self.path.with_name(self.path.name + ".pub").read_text().strip()

    def sign(self, data: bytes, namespace: str = "devs-gate@v1") -> bytes:
        words = ["ssh-keygen", "-Y", "sign", "-f", str(self.path), "-n", namespace]
        return subprocess.run(words, input=data, check=True, capture_output=True).stdout


def make_key(folder: Path, name: str) -> Key:
    words = [
        "ssh-keygen",
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-C",
        f"{name}@example.org",
        "-f",
        str(folder / name),
    ]
    subprocess.run(words, check=True)
    return Key(folder / name)


def yes(_text: str) -> None:
    """A person who answers y."""


def approve(workspace: Workspace, gate_id: str, **how: Any) -> gate_approve.Result:
    """A person approves at a terminal."""
    return gate_approve.run(workspace, gate_approve.Request(gate_id, **{"ask": yes, **how}))
