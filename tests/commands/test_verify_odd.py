"""`verify` where one object is odd: one finding tells of it, the others stay, and it never ends as a bug of ours."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import verify
from devs_git.commands.verify import ReportedFinding
from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.text import limits
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.attacker import NO_HOOKS
from tests.support.gate_scene import TAS, approve, ask, commit

Run = Callable[..., str]
HUGE = b"9" * 5000
DEEP = b"[" * 3000 + b"]" * 3000


def findings() -> list[ReportedFinding]:
    """What verify finds in this repository. Any error that leaves it would be exit 70, or a refusal that ends it."""
    return list(router.call("verify", Workspace.open(), verify.Request()).findings)


def stored(kind: str, data: bytes) -> str:
    """An object that git's own commands would not make; its oid."""
    words = ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"]
    return subprocess.run(words, input=data, capture_output=True, check=True).stdout.decode().strip()


def event(git: Run, message: bytes, *files: tuple[str, bytes], headers: bytes = b"") -> str:
    """One more event, written past our verbs; its oid."""
    ledger = Workspace.open().ledger
    tip = git("rev-parse", LEDGER)
    tree = ledger.objects.edit_tree(ledger.tree_of(tip), files)
    who = b"A <a@b.c> 978307200 +0000"
    head = b"tree %b\nparent %b\nauthor %b\ncommitter %b\n%b\n" % (
        tree.encode(),
        tip.encode(),
        who,
        who,
        headers,
    )
    made = stored("commit", head + message)
    git("update-ref", LEDGER, made)
    return made


@pytest.fixture
def place(initialised: Path, git: Run) -> Path:
    """A repository with a TAS, a gate that was approved and one that was rejected; all of it is verified."""
    commit(initialised, {"TAS.md": TAS})
    approve(Workspace.open(), ask(Workspace.open(), kind="MANUAL"))
    git("commit", "-q", "--allow-empty", "-m", "work")
    assert findings() == []
    return initialised


PLAIN = b"odd\n\nDevs-Event: checked-out\n"
EVENTS = {
    "a separator in a trailer": b"odd\n\nDevs-Event: x\x1f\x1f\nDevs-Task: \x1f\n",
    "no UTF-8": b"\xff\xfe\n\nDevs-Event: \xff\n",
    "a number that is huge": b"odd\n\nDevs-Event: checkpoint.created\nDevs-Number: "
    + HUGE
    + b"\nDevs-Task: task-1\n",
    "a number that is infinite": b"odd\n\nDevs-Event: checkpoint.created\nDevs-Number: .inf\nDevs-Tag: x\n",
    "figures that are none": b"odd\n\nDevs-Event: task.completed\nDevs-Stat: .nan 1\nDevs-Tag: x\n",
    "a move that is none": b"odd\n\nDevs-Event: history.rewritten\nDevs-Moved: x\n",
    "a status that is none": b"odd\n\nDevs-Event: rewound\nDevs-Status: x\n",
    "a format that is huge": b"odd\n\nDevs-Event: x\nDevs-Format: " + HUGE + b"\n",
    "a message of many megabytes": b"odd\n\n" + b"x" * (limits.COMMIT.most + 9) + b"\n\nDevs-Event: x\n",
    "no message": b"",
}


@pytest.mark.quick(1)
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", EVENTS)
def test_an_odd_event_is_one_finding(name: str, git: Run) -> None:
    made = event(git, EVENTS[name])
    found = findings()
    assert len(found) <= 1, found
    assert all(made[:12] in one.message or one.ref == made for one in found), found


GATE = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
REQUEST = b"""gate_id: 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9
gate_type: MANUAL
agent_id: null
task_id: null
blocker_description: %b
created_at: "2001-02-03T04:05:06.000Z"
branch: null
git_head: null
heads: {}
"""
VALUES = {
    "infinite": b".inf",
    "minus infinite": b"-.INF",
    "no number": b".nan",
    "a huge number": HUGE,
    "a huge number in hexadecimal": b"0x" + b"f" * 5000,
    "a huge number in octal": b"0o" + b"7" * 5000,
    "a huge exponent": b"1e99999",
    "half of a character": rb'"\ud800"',
    "deep": DEEP,
    "deep in mappings": b"{a: " * 3000 + b"x" + b"}" * 3000,
    "a bomb of aliases": b"[&a [x,x,x], &b [*a,*a,*a], &c [*b,*b,*b], *c]",
    "a control character": b"\x1f",
    "a NUL": b"\x00",
    "no UTF-8": b"\xff",
    "larger than a document": b"x" * limits.DOCUMENT.most,
}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", VALUES)
def test_an_odd_value_in_a_file_of_the_ledger_is_one_finding(name: str, git: Run) -> None:
    value = VALUES[name]
    for path, data in (
        (f"gates/{GATE}/request.yaml", REQUEST % value),
        ("tasks/task-1/1.yaml", b"task_id: task-1\nevent: %b\n" % value),
    ):
        before = git("rev-parse", LEDGER)
        files = ((path, data), (f"open/{GATE}", b"MANUAL\n")) if "gates" in path else ((path, data),)
        made = event(git, PLAIN, *files)
        found = findings()
        assert [one.ref for one in found] == [made], found
        assert len(found) == 1, found
        git("update-ref", LEDGER, before)


@pytest.mark.parametrize("name", VALUES)
def test_an_odd_value_in_a_policy_is_one_finding(name: str, place: Path, git: Run) -> None:
    whole = (place / "devs-policy.yaml").read_bytes()
    for data in (b"snapshot_every: %b\n", b"retention: {backups: %b}\n", b"backup_limit: %b\n"):
        (place / "devs-policy.yaml").write_bytes(whole + data % VALUES[name])
        git(*NO_HOOKS, "commit", "-qam", f"odd\n\nDevs-Ledger: {git('rev-parse', LEDGER)}")
        assert [one.code for one in findings()] == ["POLICY_INVALID"]


COMMENTS = {
    "a line that only some readers see": b"\rdecision: APPROVED",
    "a line break of Unicode": "\u2028decision: APPROVED".encode(),
    "a command to a terminal": b"\x1b[2K",
    "text in another direction": "\u202edecision".encode(),
}


@pytest.mark.parametrize("name", COMMENTS)
def test_an_odd_comment_is_one_finding(name: str, place: Path, git: Run) -> None:
    comment = b"# a" + COMMENTS[name] + b"\n"
    request = comment + REQUEST % b"May the agent go on with the dates?"
    made = event(git, PLAIN, (f"gates/{GATE}/request.yaml", request), (f"open/{GATE}", b"MANUAL\n"))
    assert [(one.code, one.ref) for one in findings()] == [("LEDGER_MUTATED", made)]
    git("update-ref", LEDGER, f"{made}~1")
    policy = place / "devs-policy.yaml"
    policy.write_bytes(policy.read_bytes() + comment)
    git(*NO_HOOKS, "commit", "-qam", f"odd\n\nDevs-Ledger: {git('rev-parse', LEDGER)}")
    assert [one.code for one in findings()] == ["POLICY_INVALID"]


COMMITS = {
    "a separator in a trailer": "x\n\nDevs-Ledger: \x1f\x1f\nGate-Id: \x1f",
    "no oid": f"x\n\nDevs-Ledger: {'9' * 5000}",
    "many commas": f"x\n\nDevs-Ledger: {',' * 5000}",
    "half of UTF-8": "x\n\nDevs-Ledger: \udcff",
}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", COMMITS)
def test_an_odd_trailer_of_a_commit_is_one_finding(name: str, git: Run) -> None:
    made = (
        subprocess.run(
            ["git", "commit-tree", "HEAD^{tree}", "-p", "HEAD"],
            input=COMMITS[name].encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
    git("reset", "-q", "--soft", made)
    assert [(one.code in ("LEDGER_ROLLBACK", "UNBOUND_COMMIT"), one.ref) for one in findings()] == [
        (True, made)
    ]


@pytest.mark.usefixtures("place")
def test_a_message_of_many_megabytes_is_one_finding(git: Run) -> None:
    tree, parent = git("rev-parse", "HEAD^{tree}", "HEAD").split()
    who = "A <a@b.c> 978307200 +0000"
    head = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nx\n\nDevs-Ledger: "
    git("reset", "-q", "--soft", stored("commit", head.encode() + b"9" * (limits.COMMIT.most + 1)))
    assert [one.code for one in findings()] == ["LEDGER_ROLLBACK"]


@pytest.mark.parametrize("path", ["TAS.md", "devs-policy.yaml"])
def test_a_text_that_is_too_large_to_compare_is_one_finding(path: str, place: Path, git: Run) -> None:
    (place / path).write_bytes(b"# x\n" * (limits.FILE.most // 4 + 1))
    git(*NO_HOOKS, "commit", "-qam", f"odd\n\nDevs-Ledger: {git('rev-parse', LEDGER)}")
    code = {"TAS.md": "TAS_UNAPPROVED", "devs-policy.yaml": "POLICY_INVALID"}[path]
    assert [one.code for one in findings()] == [code]


MODES = {"a link": "120000", "a submodule": "160000", "a tree that is a file": "40000"}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", MODES)
def test_an_odd_entry_of_the_ledgers_tree_is_one_finding(name: str, git: Run) -> None:
    ledger = Workspace.open().ledger
    tip = git("rev-parse", LEDGER)
    blob = git("rev-parse", "HEAD:TAS.md" if MODES[name] != "160000" else "HEAD")
    tree = ledger.objects.read(ledger.tree_of(tip), "tree")
    entry = MODES[name].encode() + b" zz\0" + bytes.fromhex(blob)
    made = git("commit-tree", stored("tree", tree + entry), "-p", tip, "-m", "x\n\nDevs-Event: x")
    git("update-ref", LEDGER, made)
    assert [one.severity for one in findings()] == ["error"], findings()
