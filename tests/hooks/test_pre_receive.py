"""Pushes to a bare repository with our hook: which are accepted, and which are refused with which code."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import doctor, gate_approve, gate_reject, init, task_complete, task_start
from devs_git.commands import rewind as rewind_verb
from devs_git.domain.ledger.events import LEDGER, Draft, Event
from devs_git.domain.text import limits
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask, commit

Run = Callable[..., str]
OURS = ("refs/heads/devs/ledger", "refs/devs/checkpoints/*:refs/devs/checkpoints/*")
TAGS = "refs/tags/devs/*:refs/tags/devs/*"


def push(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        ["git", "push", "--no-verify", "origin", *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def allowed(*words: str) -> None:
    status, said = push(*words)
    assert status == 0, said


def refused(code: str, *words: str) -> None:
    status, said = push(*words)
    assert status != 0, said
    assert f"remote: devs-git: {code}: " in said, said


def complete(number: int) -> None:
    router.call("task start", Workspace.open(), task_start.Request(str(number)))
    Path(f"{number}.txt").write_text("x\n")
    router.call("task complete", Workspace.open(), task_complete.Request(message="done", everything=True))


def decide(gate: str) -> None:
    router.call("gate reject", Workspace.open(), gate_reject.Request(gate, "No.", ask=lambda _text: None))


def by_hand(*files: tuple[str, bytes | None]) -> str:
    """Write an event without our verbs; return the tip before it."""
    workspace = Workspace.open()
    before = workspace.ledger.tip().oid
    workspace.append(lambda _tip: Draft(Event("x", "x", ()), files))
    return before


def bare(where: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(where)], check=True)
    done = router.call("init", Workspace.open(where), init.Request(server=True))
    assert [(a.what, a.did) for a in done.actions] == [("hook pre-receive", "created")]
    return where


@pytest.fixture
def server(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, git: Run, initialised: Path) -> Path:
    """A server that has the branch and the ledger with a completed task, and its tags; made once and copied."""
    origin, mould = tmp_path / "origin.git", tmp_path_factory.getbasetemp() / "served"
    if not mould.exists():
        bare(origin)
        git("remote", "add", "origin", "../origin.git")
        complete(1)
        allowed("main", *OURS, TAGS)
        for made in (origin, initialised):
            shutil.copytree(made, mould / made.name, symlinks=True)
        return origin
    shutil.rmtree(initialised)
    shutil.copytree(mould, tmp_path, symlinks=True, dirs_exist_ok=True)
    os.chdir(initialised)
    return origin


@pytest.mark.quick
def test_work_waits_for_a_gate_and_what_lets_others_know_does_not(server: Path, git: Run) -> None:
    commit(Path(), {"a.txt": "more\n"})
    gate = ask(Workspace.open(), kind="MANUAL")
    refused("GATE_BLOCKED", LEDGER, "main")  # as the ledger will be after this push
    allowed("main")  # there it is not known yet
    allowed(LEDGER)
    git("branch", "other", "HEAD~1")
    for words in (["other"], [":main"], ["+other:main"], ["main:refs/tags/x"], ["main:refs/tags/devs/x"]):
        refused("GATE_BLOCKED", *words)
    decide(gate)
    allowed("other", LEDGER)  # a decision and the work in one push
    allowed(":other")
    assert git("for-each-ref", "refs/heads", where=server).count("\n") == 1


def test_the_ledger_only_grows(server: Path, git: Run) -> None:
    ours = by_hand()
    theirs = git("commit-tree", "-p", ours, "-m", "theirs", f"{ours}^{{tree}}")
    allowed(LEDGER)
    refused("LEDGER_MISSING", f":{LEDGER}")
    refused("LEDGER_ROLLBACK", f"+{ours}:{LEDGER}")
    refused("LEDGER_ROLLBACK", f"+{theirs}:{LEDGER}")
    refused("LEDGER_FORK", f"+main:{LEDGER}")
    root = git("commit-tree", "-m", "ledger: begin", f"{LEDGER}^{{tree}}")
    refused("LEDGER_FORK", f"+{root}:{LEDGER}")
    joined = git("commit-tree", "-p", LEDGER, "-p", root, "-m", "two roots", f"{LEDGER}^{{tree}}")
    refused("LEDGER_FORK", f"{joined}:{LEDGER}")
    assert git("rev-parse", LEDGER, where=server) == git("rev-parse", LEDGER)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("policy.yaml", b"approvers: []\n"),
        ("README.md", b"mine\n"),
        ("open/0b1c2d3e", b""),
        ("scripts/run", b"x\n"),
        ("work/0/0/0/task-1/x.yaml", b"task_id: task-1\n"),
        ("tasks/0/0/0/task-1/x.yaml", b"task_id: task-1\n"),
        ("tasks/task-1/x.yaml", None),
    ],
)
@pytest.mark.usefixtures("server")
def test_an_event_that_only_a_hand_can_write_is_refused(path: str, data: bytes | None, git: Run) -> None:
    if data is None:
        path = git("ls-tree", "-r", "--name-only", LEDGER, "work").split()[0]
    before = by_hand((path, data))
    refused("POLICY_INVALID" if path == "policy.yaml" else "LEDGER_MUTATED", LEDGER)
    git("update-ref", LEDGER, before)
    allowed(LEDGER)


@pytest.mark.usefixtures("server")
def test_a_decision_counts_on_the_server_only_where_the_policy_in_force_says_so(git: Run) -> None:
    gate = ask(Workspace.open(), kind="MANUAL")
    allowed(LEDGER)
    forged = f"gate_id: {gate}\ndecision: APPROVED\n".encode()
    before = by_hand((f"gates/{gate}/decision.yaml", forged), (f"open/{gate}", None))
    refused("LEDGER_MUTATED", LEDGER, "main")
    git("update-ref", LEDGER, before)
    for memory in (Path(".git/devs/checked-tip"), Path(".git/logs", LEDGER)):
        memory.unlink()  # or our verbs would say that it was set back
    request = gate_approve.Request(gate, ask=lambda _text: None)
    router.call("gate approve", Workspace.open(), request)
    allowed(LEDGER, "main")


def test_checkpoints_move_as_events_explain_and_not_otherwise(server: Path, git: Run) -> None:
    complete(2)
    refused("TAG_MOVED", TAGS)  # the event that explains it comes with it or before
    allowed("main", *OURS, TAGS)
    one = "refs/tags/devs/task-1"
    refused("TAG_MISSING", f":{one}")
    refused("TAG_MISSING", ":refs/devs/checkpoints/task-1/1")
    refused("TAG_MOVED", f"+refs/tags/devs/task-2:{one}")
    refused("TAG_MOVED", f"refs/tags/devs/task-2:{one}0")
    refused("TAG_NOT_ANNOTATED", f"+main:{one}")
    router.call("rewind", Workspace.open(), rewind_verb.Request("1"))
    refused("TAG_MISSING", ":refs/tags/devs/task-2")
    allowed("--atomic", LEDGER, ":refs/tags/devs/task-2", "+main")
    assert git("tag", where=server) == "devs/task-1"


def test_the_first_push_of_a_ledger_is_looked_at_whole(tmp_path: Path, git: Run, initialised: Path) -> None:
    origin = bare(tmp_path / "new.git")
    git("remote", "add", "origin", str(origin))
    env = {**os.environ, "PATH": os.defpath}  # nothing of ours is on a server's PATH, and none is started
    subprocess.run(["git", "push", "-q", "--no-verify", "origin", "main"], env=env, check=True)
    before = by_hand(("README.md", b"mine\n"))
    refused("LEDGER_MUTATED", LEDGER)
    root = git("commit-tree", "-m", "ledger: begin", f"{before}~1^{{tree}}")
    refused("LEDGER_FORK", f"{root}:{LEDGER}")  # the policy of main names another
    git("update-ref", LEDGER, before)
    allowed(LEDGER)
    assert initialised.is_dir()


@pytest.mark.usefixtures("server")
def test_a_push_that_changes_the_ledger_which_the_default_branch_names_is_refused(
    git: Run, initialised: Path
) -> None:
    policy = initialised / "devs-policy.yaml"
    named = policy.read_text()
    for name in ("genesis", "first_policy"):
        lines = [f"{name}: '{'a' * 40}'" if line.startswith(name) else line for line in named.split("\n")]
        policy.write_text("\n".join(lines))
        # The hook of a clone refuses another genesis, so an attacker goes around it.
        git("commit", "-qam", "another ledger", "--no-verify")
        refused("LEDGER_FORK", "main")
    git("rm", "-q", "devs-policy.yaml")
    git("commit", "-qm", "no policy")
    refused("LEDGER_FORK", "main")
    commit(initialised, {"devs-policy.yaml": named.replace("2GiB", "3GiB")})
    allowed("main")


def test_a_default_branch_that_comes_after_the_ledger_names_that_ledger(
    server: Path, git: Run, initialised: Path
) -> None:
    named = (initialised / "devs-policy.yaml").read_text()
    git("update-ref", "-d", "refs/heads/main", where=server)
    lines = [
        f"first_policy: '{'a' * 40}'" if line.startswith("first_policy") else line
        for line in named.split("\n")
    ]
    commit(initialised, {"devs-policy.yaml": "\n".join(lines)})
    refused("LEDGER_FORK", "main")
    commit(initialised, {"devs-policy.yaml": named})
    allowed("main")


@pytest.mark.usefixtures("server")
def test_names_that_a_file_system_would_take_for_ours_are_refused(git: Run) -> None:
    assert git("rev-parse", LEDGER)
    refused("INVALID_BRANCH", "main:refs/heads/devs/Ledger")
    refused("INVALID_BRANCH", "main:refs/heads/Devs/ledger")
    refused("INVALID_BRANCH", "main:refs/tags/Devs/Task-1")


def test_it_is_taken_out_again_and_looked_after(server: Path, initialised: Path, git: Run) -> None:
    hook, before = server / "hooks/pre-receive", Path("before")
    found = router.call("doctor", Workspace.open(server), doctor.Request()).findings
    assert found == ()
    git("update-ref", "refs/tags/devs/ledger", "main", where=server)  # from before the hook
    found = router.call("doctor", Workspace.open(server), doctor.Request()).findings
    assert [(one.code, one.where) for one in found] == [("INVALID_BRANCH", "refs/tags/devs/ledger")]
    allowed(":refs/tags/devs/ledger")
    shutil.copy(hook, before)
    hook.chmod(0o644)
    found = router.call("doctor", Workspace.open(server), doctor.Request()).findings
    assert [(one.code, one.fix) for one in found] == [("HOOK_MISSING", "devs-git init --server")]
    done = router.call("init", Workspace.open(server), init.Request(server=True))
    assert [a.did for a in done.actions] == ["updated"]
    done = router.call("init", Workspace.open(server), init.Request(server=True, uninstall=True))
    assert ([a.did for a in done.actions], hook.exists()) == (["removed"], False)
    with pytest.raises(Exception, match="not a bare repository"):
        router.call("init", Workspace.open(initialised), init.Request(server=True))


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("path", ["tasks/task-1/x.yaml", f"superseded/{'1' * 40}"])
def test_a_file_that_is_larger_than_any_of_ours_is_refused(path: str) -> None:
    by_hand((path, b"x" * (limits.DOCUMENT.most + 1)))
    refused("LEDGER_MISSING", LEDGER)


def test_a_push_of_many_refs_takes_the_server_little_longer_than_reading_them(server: Path) -> None:
    pushed = "".join(f"{'0' * 40} {'a' * 40} refs/tags/release/{number}\n" for number in range(20_000))
    Path("pushed").write_text(pushed)

    def seconds(*words: str) -> float:
        """Processor time with all children."""
        with Path("pushed").open() as lines:
            child = subprocess.Popen(words, cwd=server, stdin=lines, env={**os.environ, "GIT_DIR": "."})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return used.ru_utime + used.ru_stime

    read = seconds("sh", "-c", "while read -r old new ref; do :; done")
    assert seconds("sh", "hooks/pre-receive") < 10 * read + 0.5
