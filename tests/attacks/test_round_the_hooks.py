"""Going round the hooks: what still refuses, and who notices afterwards."""

from __future__ import annotations

import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import gate_approve, init, status, task_start
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.attacker import NO_HOOKS, codes_in, commit, doctor_codes, findings, must_fail, on_top
from tests.support.git_calls import attempt, git
from tests.support.lost_objects import lose
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("frozen")
COMMIT = ("commit", "-q", "--allow-empty", "-m", "x")


@pytest.mark.quick
def test_git_commit_no_verify() -> None:
    must_fail("GATE_BLOCKED", *COMMIT, "--no-verify")


def test_c_core_hookspath_dev_null_for_one_command() -> None:
    commit()
    assert "UNBOUND_COMMIT" in codes_in("commits")


def test_the_same_with_a_forged_devs_ledger_trailer() -> None:
    tip = git("rev-parse", LEDGER)
    commit(message=f"x\n\nDevs-Ledger: {tip}")
    assert "COMMITTED_WHILE_FROZEN" in codes_in("commits")
    commit("--amend", message=f"x\n\nDevs-Ledger: {git('rev-parse', LEDGER + '~1')}")
    assert "UNSEEN_AT_FREEZE" in codes_in("commits")


def test_a_hook_made_non_executable() -> None:
    Path(".git/hooks/prepare-commit-msg").chmod(0o644)
    Path(".git/hooks/pre-commit").chmod(0o644)
    must_fail("GATE_BLOCKED", *COMMIT)  # commit-msg asks, too
    git(*COMMIT, "--no-verify")
    assert "HOOK_MISSING" in doctor_codes()
    assert "UNBOUND_COMMIT" in codes_in("commits")


def test_a_hook_edited() -> None:
    hook = Path(".git/hooks/prepare-commit-msg")
    hook.write_text(hook.read_text().replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n"))
    git(*COMMIT, "--no-verify")
    assert "HOOK_EDITED" in doctor_codes()


def test_a_commit_by_plumbing() -> None:
    made = git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
    git("update-ref", "HEAD", made)
    assert "UNBOUND_COMMIT" in codes_in("commits")


def test_a_back_dated_commit() -> None:
    before = git("rev-parse", LEDGER + "~1")
    old = {"GIT_AUTHOR_DATE": "2001-02-03T04:05:06Z", "GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z"}
    commit(message=f"x\n\nDevs-Ledger: {before}", env=old)
    assert "UNSEEN_AT_FREEZE" in codes_in("commits")


def test_a_commit_that_claims_another_clones_ledger() -> None:
    side = on_top(parent=f"{LEDGER}~1")
    git("update-ref", LEDGER, on_top(also=side))
    commit(message=f"x\n\nDevs-Ledger: {side}")
    assert "UNSEEN_AT_FREEZE" in codes_in("commits")


def test_a_core_commentchar_that_takes_the_trailer_for_a_comment() -> None:
    git("config", "core.commentChar", "D")
    must_fail("GATE_BLOCKED", *COMMIT, "-e", env={"GIT_EDITOR": "true"})
    git("update-ref", LEDGER, f"{LEDGER}~1")
    for memory in (Path(".git/devs/checked-tip"), Path(".git/logs", LEDGER)):
        memory.unlink()
    git(*COMMIT, "-e", env={"GIT_EDITOR": "true"})
    assert "UNBOUND_COMMIT" in codes_in("commits")


def test_a_hook_called_from_a_subdirectory(repo: Path) -> None:
    below = repo / "a" / "b"
    below.mkdir(parents=True)
    must_fail("GATE_BLOCKED", *COMMIT, where=below)
    must_fail("GATE_BLOCKED", *COMMIT, "--no-verify", where=below)


def test_git_dir_git_work_tree_and_git_index_file_set(repo: Path, tmp_path: Path) -> None:
    shutil.copy(".git/index", tmp_path / "index")
    must_fail("GATE_BLOCKED", *COMMIT, env={"GIT_INDEX_FILE": str(tmp_path / "index")})
    away = {"GIT_DIR": str(repo / ".git"), "GIT_WORK_TREE": str(tmp_path)}
    must_fail("GATE_BLOCKED", *COMMIT, "--no-verify", where=tmp_path, env=away)
    elsewhere = {
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo / ".git/objects"),
    }
    (tmp_path / "objects").mkdir()
    must_fail("GATE_BLOCKED", *COMMIT, "--no-verify", env=elsewhere)
    must_fail("GATE_BLOCKED", *COMMIT, "--no-verify", env={"GIT_NAMESPACE": "other"})


def test_core_hookspath_in_the_environment_a_worktrees_configuration_or_an_included_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "more").write_text("[core]\n\thooksPath = /dev/null\n")
    git("config", f"includeIf.gitdir:{tmp_path}/.path", str(tmp_path / "more"))
    git("config", "extensions.worktreeConfig", "true")
    git("config", "--worktree", "core.hooksPath", "/dev/null")
    assert "HOOK_NOT_CALLED" in doctor_codes()
    git("config", "--worktree", "--unset", "core.hooksPath")
    assert "HOOK_NOT_CALLED" in doctor_codes()
    git("config", "--unset", f"includeIf.gitdir:{tmp_path}/.path")
    assert doctor_codes() == set()
    for name, value in (("COUNT", "1"), ("KEY_0", "core.hooksPath"), ("VALUE_0", "/dev/null")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert "HOOK_NOT_CALLED" in doctor_codes()


def test_a_git_on_path_that_runs_no_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    turned_off = 'case " $* " in *" config "*) ;; *) set -- -c core.hooksPath=/dev/null "$@" ;; esac'
    wrapper.write_text(f'#!/bin/sh\n{turned_off}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    git(*COMMIT)
    assert "HOOK_NOT_RUN" in doctor_codes()


def test_a_planted_journal_and_devs_git_op_set() -> None:
    journal = Path(".git/devs/journal/x.json")
    journal.parent.mkdir(exist_ok=True)
    journal.write_text("{}")
    git(*COMMIT, env={"DEVS_GIT_OP": "x"})
    assert "JOURNAL_OPEN" in doctor_codes()
    journal.unlink()
    assert "UNBOUND_COMMIT" in codes_in("commits")
    must_fail("GATE_BLOCKED", *COMMIT, env={"DEVS_GIT_OP": "x"})
    must_fail("GATE_BLOCKED", *COMMIT, env={"DEVS_GIT_OP": "../../refs/heads/devs/ledger"})


def test_a_planted_journal_that_names_a_folder_elsewhere(repo: Path) -> None:
    work: dict[str, str] = {}
    (repo.parent / "precious").mkdir()
    Path(".git/devs/journal").mkdir(exist_ok=True)
    told = {
        "op_id": "../../../../precious",
        "verb": "checkpoint",
        "worktree": ".",
        "kind": "commit",
        "work": work,
    }
    told |= {"head": git("rev-parse", "HEAD"), "ledger": git("rev-parse", LEDGER)}
    Path(".git/devs/journal/x.json").write_text(json.dumps(told))
    router.call("status", Workspace.open(), status.Request())
    assert (repo.parent / "precious").is_dir()
    assert "JOURNAL_OPEN" in doctor_codes()


def test_a_script_planted_beside_a_hook() -> None:
    Path(".git/hooks/pre-commit.before-devs").write_text("#!/bin/sh\n")
    assert "HOOK_ADDED" in doctor_codes()


def test_git_icase_pathspecs_and_similar_variables_with_which_git_refuses_to_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GLOB", "NOGLOB", "ICASE"):
        monkeypatch.setenv(f"GIT_{name}_PATHSPECS", "1")
        start = partial(router.call, "task start", Workspace.open(), task_start.Request("10"))
        assert refusal(start).code == "GATE_BLOCKED"
        must_fail("GATE_BLOCKED", *COMMIT)
        monkeypatch.delenv(f"GIT_{name}_PATHSPECS")


def test_a_planted_note_of_the_tass_path(initialised: Path, frozen: str) -> None:
    assert initialised.is_dir()
    router.call("gate approve", Workspace.open(), gate_approve.Request(frozen, ask=lambda _text: None))
    Path("TAS.md").write_text("# TAS\n\n## 1 Dates\nold\n")
    git("add", "TAS.md")
    git("commit", "-q", "-m", "the first")
    Path("TAS.md").write_text("# TAS\n\n## 1 Dates\nnew\n")
    git("add", "TAS.md")
    must_fail("TAS_UNAPPROVED", "commit", "-q", "-m", "x")
    note = Path(".git/devs/tas-path")
    note.write_text(note.read_text().replace("TAS.md", "other.md"))
    git("commit", "-q", "-m", "x")
    assert "TAS_UNAPPROVED" in codes_in("tas")


def test_a_push_past_pre_push(tmp_path: Path) -> None:
    git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    router.call("init", Workspace.open(tmp_path / "origin.git"), init.Request(server=True))
    git(*NO_HOOKS, "push", "-q", str(tmp_path / "origin.git"), LEDGER)
    status, said = attempt(*NO_HOOKS, "push", "--no-verify", str(tmp_path / "origin.git"), "main")
    assert (status, "GATE_BLOCKED" in said) == (1, True)
    assert findings() == ()


def test_devs_git_init_uninstall_while_a_gate_is_open() -> None:
    leave = partial(router.call, "init", Workspace.open(), init.Request(uninstall=True))
    with pytest.raises(DevsError, match="'init --uninstall' is refused") as caught:
        leave()
    assert caught.value.code == "GATE_BLOCKED"
    must_fail("GATE_BLOCKED", *COMMIT)


def test_devs_git_agent_install_uninstall_while_a_gate_is_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, code in ((["claude"], ""), (["claude", "--uninstall"], "GATE_BLOCKED")):
        monkeypatch.setattr(sys, "argv", ["devs-git", "agent", "install", *words])
        status = main()
        assert (status != 0, code in capsys.readouterr().err) == (bool(code), True)
    assert "devs/agent-hook" in Path(".claude/settings.json").read_text()


def test_devs_git_trace_export_output_file_while_a_gate_is_open_which_would_write_any_new_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["devs-git", "trace", "export", "--output", "new.txt"])
    assert main() != 0
    assert "GATE_BLOCKED" in capsys.readouterr().err
    assert not Path("new.txt").exists()


@pytest.mark.quick
def test_a_commit_taken_away_or_its_branch_damaged_so_that_verify_has_none_to_judge() -> None:
    oid, branch = commit(), Path(".git/refs/heads/main")
    assert "UNBOUND_COMMIT" in codes_in()
    for damage in ("garbage\n", "f" * 40 + "\n"):
        branch.write_text(damage)
        assert "LEDGER_MISSING" in codes_in(), damage
    branch.write_text(f"{oid}\n")
    lose(Path(), oid)
    assert "LEDGER_MISSING" in codes_in()
    Path(".git/HEAD").write_text(f"{oid}\n")
    assert "LEDGER_MISSING" in codes_in()
    Path(".git/HEAD").write_text("ref: refs/heads/before-the-first-commit\n")
    assert "LEDGER_MISSING" not in codes_in()
