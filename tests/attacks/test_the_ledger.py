"""Tampering with the ledger: what the hooks still see, and who notices."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import gate_approve, init, sync, task_start
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import devs_folder
from devs_git.workspace import Workspace
from tests.commands.test_verify_gates import forged
from tests.support.attacker import by_hand, codes_in, commit, doctor_codes, findings, must_fail, on_top
from tests.support.git_calls import attempt, git
from tests.support.lost_objects import lose
from tests.support.refusals import refusal
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.usefixtures("frozen")
COMMIT = ("commit", "-q", "--allow-empty", "--no-verify", "-m", "x")


def frozen_still(code: str = "GATE_BLOCKED") -> None:
    """Neither does git make a commit nor does a verb of ours change anything."""
    must_fail(code, *COMMIT)
    assert (
        refusal(partial(router.call, "task start", Workspace.open(), task_start.Request("99"))).code == code
    )


@pytest.mark.quick
def test_the_ledger_deleted() -> None:
    tip = git("rev-parse", LEDGER)
    git("branch", "-D", "devs/ledger")
    frozen_still("LEDGER_MISSING")
    [finding] = findings()
    assert finding.code == "LEDGER_MISSING"
    subprocess.run(["sh", "-ec", finding.fix], check=True)
    assert git("rev-parse", LEDGER) == tip
    frozen_still()


def test_the_ledger_deleted_and_devs_git_init_asked_for_another(tmp_path: Path) -> None:
    git("init", "-q", "--bare", str(tmp_path / "far.git"))
    git("remote", "add", "origin", str(tmp_path / "far.git"))
    git("push", "-q", "--no-verify", "origin", "main", f"{LEDGER}~1:{LEDGER}")
    git("branch", "-D", "devs/ledger")
    begin = partial(router.call, "init", Workspace.open(), init.Request())
    assert refusal(begin).code == "LEDGER_MISSING"  # of a remote that does not know of the gate
    git("remote", "remove", "origin")
    git("switch", "-q", "--orphan", "elsewhere")
    assert refusal(begin).code == "LEDGER_MISSING"
    leave = partial(router.call, "init", Workspace.open(), init.Request(uninstall=True))
    assert refusal(leave).code == "LEDGER_MISSING"
    must_fail("LEDGER_MISSING", *COMMIT)


@pytest.mark.quick
def test_the_ledger_reset_to_before_the_gate() -> None:
    tip = git("rev-parse", LEDGER)
    git("branch", "-f", "devs/ledger", "devs/ledger~1")
    for memory in (Path(".git/devs/checked-tip"), Path(".git/logs", LEDGER)):
        must_fail("LEDGER_ROLLBACK", *COMMIT)
        memory.unlink()
    git(*COMMIT)
    assert "LEDGER_ROLLBACK" in doctor_codes()
    git("update-ref", LEDGER, tip)
    assert "UNSEEN_AT_FREEZE" in codes_in("commits")


def test_the_ledger_reset_by_packed_refs_or_a_symbolic_ref_which_no_reflog_tells() -> None:
    git("branch", "-f", "old", "devs/ledger~1")
    tip = git("rev-parse", LEDGER)
    loose, packed = Path(".git", LEDGER), Path(".git/packed-refs")
    before = git("rev-parse", "old")
    packed.write_text(f"# pack-refs with: peeled fully-peeled sorted\n{before} {LEDGER}\n")
    loose.unlink()
    assert "LEDGER_ROLLBACK" in doctor_codes()
    packed.unlink()
    git("symbolic-ref", LEDGER, "refs/heads/old")
    assert "LEDGER_ROLLBACK" in doctor_codes()
    loose.write_text(tip + "\n")
    frozen_still()


def test_a_second_root() -> None:
    root = git("commit-tree", "-m", "ledger: begin\n\nDevs-Event: ledger.created", f"{LEDGER}~2^{{tree}}")
    tip = git("rev-parse", LEDGER)
    git("update-ref", LEDGER, root)
    assert "LEDGER_FORK" in doctor_codes()
    assert "LEDGER_FORK" in codes_in("ledger")
    git("update-ref", LEDGER, git("commit-tree", "-p", tip, "-p", root, "-m", "x", f"{tip}^{{tree}}"))
    assert "LEDGER_FORK" in codes_in("ledger")


def test_a_tag_or_a_file_git_devs_ledger_that_shadows_the_branch() -> None:
    git("tag", "devs/ledger", "HEAD")
    git("update-ref", "refs/devs/ledger", "HEAD")
    Path(".git/devs/ledger").write_text(git("rev-parse", "HEAD") + "\n")
    frozen_still()


def test_git_replace_on_the_ledgers_tip() -> None:
    git("replace", "-f", git("rev-parse", LEDGER), git("rev-parse", f"{LEDGER}~1"))
    frozen_still()
    assert doctor_codes() == set()


def test_refs_replace_for_a_commit_made_while_frozen() -> None:
    tip = git("rev-parse", LEDGER)
    bad = commit(message=f"x\n\nDevs-Ledger: {tip}")
    git("replace", bad, "HEAD~1")
    assert "COMMITTED_WHILE_FROZEN" in codes_in("commits")


def test_a_request_edited_after_approval(frozen: str) -> None:
    router.call("gate approve", Workspace.open(), gate_approve.Request(frozen, ask=lambda _text: None))
    path = f"gates/{frozen}/request.yaml"
    text = Workspace.open().ledger.tip().read(path) or b""
    by_hand((path, text.replace(b"rules out", b"asks for")))
    assert codes_in("ledger") >= {"LEDGER_MUTATED"}


def test_the_marker_of_an_open_gate_taken_out_by_hand(frozen: str) -> None:
    git("update-ref", LEDGER, on_top((f"open/{frozen}", None)))
    assert "LEDGER_MUTATED" in codes_in("ledger")


def test_an_object_of_the_ledger_taken_away() -> None:
    tree = git("rev-parse", f"{LEDGER}^{{tree}}")
    kept = Path(".git/objects", tree[:2], tree[2:]).read_bytes()
    path = lose(Path(), tree)
    assert "LEDGER_MISSING" in doctor_codes()
    must_fail("LEDGER_MISSING", *COMMIT)
    start = partial(router.call, "task start", Workspace.open(), task_start.Request("10"))
    assert refusal(start).code == "LEDGER_MISSING"
    path.write_bytes(kept)
    frozen_still()


def test_an_object_of_the_ledger_overwritten_in_place() -> None:
    for kind in ("commit", "tree"):
        here, before = git("rev-parse", f"{LEDGER}^{{{kind}}}", f"{LEDGER}~1^{{{kind}}}").split()
        path = Path(".git/objects", here[:2], here[2:])
        kept = path.read_bytes()
        other = subprocess.run(["git", "cat-file", kind, before], capture_output=True, check=True).stdout
        path.chmod(0o644)
        path.write_bytes(zlib.compress(b"%s %d\0%s" % (kind.encode(), len(other), other)))
        assert "LEDGER_MUTATED" in doctor_codes()
        must_fail("LEDGER_MISSING", *COMMIT)
        start = partial(router.call, "task start", Workspace.open(), task_start.Request("10"))
        assert refusal(start).code == "LEDGER_MISSING"
        path.write_bytes(kept)
    frozen_still()


def test_a_graft_that_hides_commits() -> None:
    tip, base = git("rev-parse", LEDGER, "HEAD").split()
    bad = commit(message=f"x\n\nDevs-Ledger: {tip}")
    good = commit(message="y")
    Path(".git/info/grafts").write_text(f"{good} {base}\n")
    assert bad not in git("rev-list", good)
    assert "COMMITTED_WHILE_FROZEN" in codes_in("commits")


def test_a_forged_commit_graph_that_hides_commits() -> None:
    tip, base = git("rev-parse", LEDGER, "HEAD").split()
    bad = commit(message=f"x\n\nDevs-Ledger: {tip}")
    good = commit(message="y")
    git("commit-graph", "write", "--reachable")
    path = Path(".git/objects/info/commit-graph")
    path.chmod(0o644)
    path.write_bytes(with_parent(path.read_bytes(), good, base))
    assert bad not in git("rev-list", good)
    assert "COMMITTED_WHILE_FROZEN" in codes_in("commits")


def with_parent(graph: bytes, commit: str, parent: str) -> bytes:
    """A commit-graph in which `commit` has another parent than it has."""
    rows = [graph[8 + 12 * at : 20 + 12 * at] for at in range(graph[6])]
    offset = {row[:4]: int.from_bytes(row[4:], "big") for row in rows}
    count = (offset[b"CDAT"] - offset[b"OIDL"]) // 20
    names = [graph[offset[b"OIDL"] + 20 * at :][:20].hex() for at in range(count)]
    at = offset[b"CDAT"] + 36 * names.index(commit) + 20
    return graph[:at] + names.index(parent).to_bytes(4, "big") + graph[at + 4 :]


def test_trailer_separators_and_i18n_logoutputencoding_that_hide_devs_ledger() -> None:
    commit(message=f"x\n\nDevs-Ledger: {git('rev-parse', LEDGER)}")
    git("config", "trailer.separators", "=")
    assert "COMMITTED_WHILE_FROZEN" in codes_in("commits")
    git("config", "i18n.logOutputEncoding", "UTF-16")
    assert "COMMITTED_WHILE_FROZEN" in codes_in("commits")


def test_a_decision_or_a_policy_smuggled_in_by_a_merge_of_the_ledger(frozen: str) -> None:
    tip, side = git("rev-parse", LEDGER), on_top(parent=f"{LEDGER}~1")
    decision = yaml_documents.dump(forged(Workspace.open(), frozen), "decision").decode()
    policy = git("show", f"{LEDGER}:policy.yaml") + "\nnotify: touch owned\n"
    for files in (
        ((f"gates/{frozen}/decision.yaml", decision), (f"open/{frozen}", None)),
        (("policy.yaml", policy),),
        ((f"gates/{frozen}/request.yaml", None), (f"open/{frozen}", None)),
    ):
        git("update-ref", LEDGER, on_top(*files, parent=tip, also=side))
        assert "LEDGER_MUTATED" in codes_in("ledger")


def test_a_forged_ledger_on_a_remote_without_our_hook(tmp_path: Path) -> None:
    git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    git("remote", "add", "origin", str(tmp_path / "origin.git"))
    sync.run(Workspace.open(), sync.Request())
    tip = git("rev-parse", LEDGER)
    policy = git("show", f"{LEDGER}:policy.yaml") + "\nnotify: touch owned\n"
    told = "policy: of mine\n\nDevs-Event: policy.set"
    git("push", "-q", "origin", f"{on_top(('policy.yaml', policy), message=told)}:{LEDGER}")
    refusing = partial(sync.run, Workspace.open(), sync.Request())
    assert refusal(refusing).code == "POLICY_INVALID"
    assert git("rev-parse", LEDGER) == tip
    frozen_still()
    git("update-ref", "-d", LEDGER)
    Path(".git/devs/view").unlink()  # as in a clone that never had one
    adopting = partial(init.run, Workspace.open(), init.Request())
    assert refusal(adopting).code == "POLICY_INVALID"
    assert doctor_codes() == {"LEDGER_MISSING"}


def test_text_in_an_event_that_commands_a_terminal(repo: Path) -> None:
    text = "\x1b]0;owned\x07\x1b[31m\u202e"
    git("tag", "-a", "-m", "x", "x")
    fields = {"Task": "task-10", "Number": "2", "Tag": git("rev-parse", "refs/tags/x"), "Stat": "1 2 3"}
    fields |= {"Title": text, "Actor": text}
    fields |= {
        "Commit": git("rev-parse", "HEAD"),
        "Branch": text,
        "Message": text,
        "Tree": git("rev-parse", "HEAD^{tree}"),
    }
    told = "".join(f"Devs-{key}: {value}\n" for key, value in fields.items())
    message = f"x{text}\n\nDevs-Event: checkpoint.created\n{told}"
    git("update-ref", LEDGER, on_top(message=message))
    for words in (("log", "--all"), ("show", "task-10@2"), ("task", "status", "10"), ("status",)):
        status, shown = at_terminal(repo, *words)
        assert (status, "\x1b]" in shown, "\u202e" in shown) == (0, False, False), shown


def test_a_commit_on_the_ledgers_branch() -> None:
    status, _ = attempt("switch", "-q", "devs/ledger")
    assert (status, "LEDGER_CHECKED_OUT" in doctor_codes()) == (0, True)
    commit()
    assert codes_in("ledger") == {"LEDGER_MUTATED"}
    Path("policy.yaml").write_text("approvers: []\n")
    commit("-a", "--amend")
    assert codes_in("ledger") >= {"LEDGER_MUTATED"}


def test_a_planted_note_of_what_the_view_shows() -> None:
    for text in ("--output=x", "../../x", "z" * 40, "\udcff", "1" * 40):
        Path(".git/devs/view").write_bytes(os.fsencode(text))
        assert "VIEW_STALE" in doctor_codes()
        workspace = Workspace.open()
        devs_folder.refresh(workspace.places, workspace.ledger)
        assert doctor_codes() == set()


def test_git_devs_as_a_link_to_somewhere_else_or_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for stand_in in (f"ln -s '{tmp_path}/other' .git/devs", "touch .git/devs"):
        subprocess.run(["sh", "-ec", f"rm -rf .git/devs; {stand_in}"], check=True)
        must_fail("GATE_BLOCKED", *COMMIT)
        assert refusal(Workspace.open).code == "INVALID_ARGUMENTS"
    assert list((tmp_path / "other").iterdir()) == []


def test_devs_as_a_link_to_somewhere_else(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("mine\n")
    shutil.rmtree(repo / ".devs")
    (repo / ".devs").symlink_to(tmp_path / "other")
    assert "VIEW_BLOCKED" in doctor_codes()
    by_hand(("tasks/task-1/x.yaml", b"x\n"))
    workspace = Workspace.open()
    devs_folder.refresh(workspace.places, workspace.ledger, full=True)
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == ["README.md"]
    assert (tmp_path / "other" / "README.md").read_text() == "mine\n"
