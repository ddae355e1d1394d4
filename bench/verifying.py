"""`verify` of 10,000 commits and 1,000 gates, half of them decided and signed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import IO

from bench.histories import LEDGER, WHO
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS
from devs_git.domain.gates.gate_model import blob_oid
from devs_git.domain.gates.signed_decision import of_record
from devs_git.domain.ledger.events import Event
from devs_git.storage.documents import canonical_yaml

COMMITS, GATES = 10_000, 1_000
MAIN = "refs/heads/main"
Files = Sequence[tuple[str, bytes | None]]
_WHEN = "2001-02-03T04:05:06.789Z"


def verify(bench: Bench, rounds: int) -> list[Row]:
    """All parts of the default, at most 10 s."""
    top = make(bench)
    said = bench.run(OURS, "verify", "--require", "signed", where=top)
    if f"{COMMITS + 2} commits" not in said or f"{GATES} gates" not in said:
        raise SystemExit(f"The history made for this row is not read as one: {said}")
    ours = Arm("verify", ((OURS, "verify", "--require", "signed"),), top)
    git = Arm("git fsck", (("git", "fsck", "--no-dangling"),), top)
    found = bench.side_by_side(ours, git, rounds=min(rounds, 3))
    name = f"verify, {COMMITS:,} commits and {GATES:,} gates"
    mine, theirs = found["verify"].wall, found["git fsck"].wall
    return [Row(name, mine, "git fsck", theirs, mine, bound=10_000, note="half of the gates signed")]


def verify_many(bench: Bench) -> list[Row]:
    """Ten times as many of both: at most 25 times as long as git looks at the same objects."""
    top = written(bench, "verify many", partial(_write, times=10))
    ours = Arm("verify", ((OURS, "verify", "--require", "signed"),), top)
    git = Arm("git fsck", (("git", "fsck", "--no-dangling"),), top)
    found = bench.side_by_side(ours, git, rounds=1)
    name = f"verify, {COMMITS * 10:,} commits and {GATES * 10:,} gates"
    mine, theirs = found["verify"].wall, found["git fsck"].wall
    return [Row(name, mine, "git fsck", theirs, mine / theirs, unit="x", bound=25)]


def make(bench: Bench) -> Path:
    """A repository with that many commits, each bound to the ledger, whose decided gates are signed."""
    return written(bench, "verify", partial(_write, times=1))


def written(bench: Bench, name: str, write: Callable[[Import, str, Path, bytes], None]) -> Path:
    """A repository whose ledger `write` writes: on top of the genesis, with this key in this policy."""
    top = bench.folder / name
    top.mkdir()
    bench.run("git", "init", "-q", where=top)
    bench.run("git", "commit", "-q", "--allow-empty", "-m", "base", where=top)
    bench.run(OURS, "init", where=top)
    key = bench.folder / f"key of {name}"
    bench.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key), where=top)
    genesis = bench.run("git", "rev-list", "--max-parents=0", LEDGER, where=top)
    row = {"principal": "ada@example.org", "key": key.with_name(f"{key.name}.pub").read_text().strip()}
    policy = canonical_yaml.dump({"genesis": genesis, "approvers": [row]}, "policy")
    (top / "devs-policy.yaml").write_bytes(policy)
    bench.run("git", "add", "devs-policy.yaml", where=top)
    bench.run("git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "policy", where=top)
    words = ["git", "fast-import", "--quiet", "--force"]
    with subprocess.Popen(words, cwd=top, env=bench.env, stdin=PIPE, stdout=PIPE) as child:
        assert child.stdin
        assert child.stdout
        write(Import(child.stdin, child.stdout), genesis, key, policy)
        child.stdin.close()
    bench.run("git", "reset", "-q", "--hard", where=top)
    return top


@dataclass
class Import:
    """git fast-import, which tells the oid of each commit: events and commits name each other."""

    to: IO[bytes]
    told: IO[bytes]
    mark: int = 0
    marks: dict[str, str] = field(default_factory=dict)  # git finds its own new commits by these alone

    def commit(self, ref: str, text: str, files: Files, *, begin: str = "", merge: str = "") -> str:
        self.mark += 1
        data = text.encode()
        self.to.write(f"commit {ref}\nmark :{self.mark}\ncommitter {WHO}\ndata {len(data)}\n".encode() + data)
        self.to.write(f"\nfrom {self.marks.get(begin, begin)}\n".encode() if begin else b"\n")
        self.to.write(f"merge {self.marks.get(merge, merge)}\n".encode() if merge else b"")
        for path, blob in files:
            gone = f"D {path}\n".encode()
            head = b"" if blob is None else f"M 100644 inline {path}\ndata {len(blob)}\n".encode()
            self.to.write(gone if blob is None else head + blob + b"\n")
        self.to.write(f"get-mark :{self.mark}\n".encode())
        self.to.flush()
        oid = self.told.readline().decode().strip()
        self.marks[oid] = f":{self.mark}"
        return oid

    def event(self, kind: str, files: Files, *, begin: str = "", merge: str = "") -> str:
        return self.commit(LEDGER, Event(kind, kind, ()).message(), files, begin=begin, merge=merge)


def _write(to: Import, genesis: str, key: Path, policy: bytes, *, times: int) -> None:
    """Gates that are asked and decided among the commits, then as many that wait; `times` as many of all."""
    commits, gates = COMMITS * times, GATES * times
    event = to.event("policy.set", [("policy.yaml", policy)], begin=f"{LEDGER}~1")
    head, decided = "", gates // 2
    for number in range(gates):
        for at in range(commits // decided if number < decided else 0):
            begin = "" if head else "refs/heads/main^0"
            text = f"Work {number}.{at}\n\nDevs-Ledger: {event}\n"
            head = to.commit(MAIN, text, [("work.py", text.encode())], begin=begin)
        gate = f"{number:08x}-0000-4000-8000-000000000000"
        asked = request(gate, head)
        event = to.event(
            "gate.requested", [(f"gates/{gate}/request.yaml", asked), (f"open/{gate}", b"MANUAL\n")]
        )
        if number < decided:
            event = to.event("gate.resolved", proof(gate, decision(gate, asked), genesis, key))


def proof(gate: str, record: Mapping[str, str | None], genesis: str, key: Path) -> Files:
    """The files of a signed decision; its gate is open no more."""
    place = f"gates/{gate}/decision.yaml"
    signature = _sign(key, of_record(record, genesis).canonical())
    return [
        (place, canonical_yaml.dump(record, "decision")),
        (f"{place}.sig", signature),
        (f"open/{gate}", None),
    ]


def request(gate: str, head: str) -> bytes:
    record = {
        "gate_id": gate,
        "gate_type": "MANUAL",
        "agent_id": "developer",
        "task_id": "task-10",
        "blocker_description": "The release waits for a person to look at it.",
        "created_at": _WHEN,
        "branch": "main",
        "git_head": head,
        "heads": {"main": head},
    }
    return canonical_yaml.dump(record, "gate-request")


def decision(gate: str, request: bytes) -> dict[str, str | None]:
    return {
        "gate_id": gate,
        "decision": "APPROVED",
        "resolution_reason": "It was looked at.",
        "reviewer_id": "ada@example.org",
        "resolved_at": _WHEN,
        "approval": "signed",
        "request": blob_oid(request),
        "tas_before": None,
        "tas_after": None,
        "nonce": blob_oid(request)[:32],
    }


def _sign(key: Path, text: bytes) -> bytes:
    words = ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", "devs-gate@v1"]
    return subprocess.run(words, input=text, check=True, capture_output=True).stdout
