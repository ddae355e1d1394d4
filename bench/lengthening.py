"""`verify` of a ledger that somebody made long: copies of one signed decision, beside as many honest lines."""

from __future__ import annotations

from pathlib import Path

from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS
from bench.verifying import Files, Import, decision, proof, request, written
from devs_git.domain.gates.gate_model import blob_oid
from devs_git.storage.documents import canonical_yaml

LINES = 600
NO_HEAD = "0" * 40
COPIED = f"{LINES:08x}-0000-4000-8000-000000000000"


def copies(bench: Bench, rounds: int) -> list[Row]:
    """One signed decision, each time in a file of another form on a line of its own, that is merged: at most 2 times what as many
    lines take that ask a gate each.
    """
    command = (OURS, "verify", "ledger")
    ours = Arm("copies", (command,), written(bench, "copies", _copies))
    honest = Arm("honest", (command,), written(bench, "honest", _honest))
    for arm in (ours, honest):
        if f"{LINES * 2 + 4} events" not in bench.run(*command, where=arm.where):
            raise SystemExit("A ledger made for this row is not read as one.")
    found = bench.side_by_side(ours, honest, rounds=min(rounds, 5))
    mine, theirs = found["copies"].wall, found["honest"].wall
    name = f"verify, {LINES} copies of one signed decision"
    return [Row(name, mine, f"{LINES} lines that ask a gate each", theirs, mine / theirs, "x", bound=2)]


def _asked(gate: str) -> tuple[bytes, Files]:
    data = request(gate, NO_HEAD)
    return data, [(f"gates/{gate}/request.yaml", data), (f"open/{gate}", b"MANUAL\n")]


def _begin(
    to: Import, genesis: str, key: Path, policy: bytes
) -> tuple[str, str, dict[str, str | None], Files]:
    """The event that asks a gate, the one that decides it, and the decision."""
    to.event("policy.set", [("policy.yaml", policy)], begin=genesis)
    data, files = _asked(COPIED)
    asked = to.event("gate.requested", files)
    record = decision(COPIED, data)
    made = proof(COPIED, record, genesis, key)
    return asked, to.event("gate.resolved", made), record, made


def _copies(to: Import, genesis: str, key: Path, policy: bytes) -> None:
    asked, tip, record, made = _begin(to, genesis, key, policy)
    (place, _), signature, marker = made
    for number in range(LINES):
        text = canonical_yaml.dump(
            {**record, "resolved_at": f"2001-02-03T04:05:{number % 60:02}.{number:03}Z"}, "decision"
        )
        line = to.event("gate.resolved", [(place, text), signature, marker], begin=asked)
        kept = f"superseded/{blob_oid(text)}"
        tip = to.event("ledger.merged", [(kept, text), (f"{kept}.sig", signature[1])], begin=tip, merge=line)


def _honest(to: Import, genesis: str, key: Path, policy: bytes) -> None:
    asked, tip, _, _ = _begin(to, genesis, key, policy)
    for number in range(LINES):
        _, files = _asked(f"{number:08x}-0000-4000-8000-000000000000")
        line = to.event("gate.requested", files, begin=asked)
        tip = to.event("ledger.merged", files, begin=tip, merge=line)
