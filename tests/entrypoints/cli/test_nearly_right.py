"""What a person types nearly right is understood, or answered with what was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devs_git.entrypoints.cli.groups import OTHER_NAMES, TableGroup
from devs_git.entrypoints.cli.main import cli, command
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

BLOCKER = "The new format breaks all readers."


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"c.txt": "c\n"}})


def call(scene: Scene, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--repo", str(scene.top)])


def refusal(scene: Scene, *words: str) -> DevsError:
    error = call(scene, *words).exception
    assert isinstance(error, DevsError)
    return error


def ask(scene: Scene) -> str:
    words = ("gate", "request", "--type", "MANUAL", "--blocker", BLOCKER, "--json")
    gate = call(scene, *words).output.partition('"gate_id": "')[2].partition('"')[0]
    assert gate
    return gate


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("rewnd", "rewind"),
        ("lgo", "log"),
        ("staus", "status"),
        ("task strat", "task start"),
        ("help rewnd", "rewind"),
        ("help task strat", "task start"),
        ("approve", "gate approve"),
        ("complete 10", "task complete"),
        ("commit", "checkpoint or task complete"),
        ("push", "sync"),
        ("uninstall", "init --uninstall or agent install --uninstall"),
        ("trace show 1", "trace get"),
    ],
)
def test_a_wrong_command_is_answered_with_the_one_that_was_meant(words: str, meant: str) -> None:
    done = CliRunner().invoke(cli, words.split())
    assert done.exit_code == 2
    assert f"Did you mean {meant}" in done.output


def test_each_other_name_leads_to_commands_that_are_there_and_is_none_itself() -> None:
    def has_help(words: str) -> bool:
        return CliRunner().invoke(cli, ["help", *words.split()]).exit_code == 0

    for name, meant in OTHER_NAMES.items():
        assert not has_help(name)
        assert all(has_help(one.partition(" --")[0]) for one in meant)


def test_help_for_a_word_that_it_does_not_have_names_the_list_of_words() -> None:
    done = CliRunner().invoke(cli, ["help", "approver"])
    assert done.exit_code == 2
    assert "What the words of devs-git mean: devs-git help words" in done.output


@pytest.mark.quick
def test_without_an_id_the_only_open_gate_is_meant(scene: Scene) -> None:
    assert refusal(scene, "gate", "show").code == "GATE_NOT_FOUND"
    gate = ask(scene)
    for words in (("gate", "show"), ("gate", "show", gate[:4]), ("gate", "wait", "--timeout", "0")):
        assert gate in call(scene, *words).output
    status, shown = at_terminal(scene.top, "gate", "reject", "--reason", "Keep it", typed="y\n")
    assert (status, f"Gate {gate} is" in shown) == (0, True)


def test_an_empty_id_of_a_gate_is_not_taken_for_the_only_open_one(scene: Scene) -> None:
    ask(scene)
    for verb in ("show", "wait", "approve", "reject"):
        assert refusal(scene, "gate", verb, "").details["field"] == "gate_id"


def test_of_several_open_gates_none_is_meant_and_all_are_named(scene: Scene) -> None:
    gates = {ask(scene), ask(scene)}
    for verb in ("show", "wait", "approve", "reject"):
        reason = ("--reason", "no") if verb == "reject" else ()
        error = refusal(scene, "gate", verb, *reason)
        assert error.details["field"] == "gate_id"
        assert all(gate in error.hint for gate in gates)


def test_the_beginning_of_an_operation_is_enough_if_no_other_begins_so(scene: Scene) -> None:
    call(scene, "rewind", "task-10")
    call(scene, "undo")
    assert (
        "2 operations begin with 20" in refusal(scene, "undo", scene.workspace.clock().strftime("%Y")).message
    )
    backups = scene.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/devs/backup").splitlines()
    assert call(scene, "undo", backups[-1][:-1], "--dry-run").exit_code == 0


def test_the_beginning_of_a_trace_is_enough(scene: Scene) -> None:
    for name in ("build-one", "build-two"):
        CliRunner().invoke(cli, ["trace", "put", "--id", name, "--repo", str(scene.top)], input=name)
    assert call(scene, "trace", "get", "build-o").output == "build-one"
    assert "build-one, build-two" in refusal(scene, "trace", "get", "build").hint
    assert refusal(scene, "trace", "get", "bui").code == "TRACE_NOT_FOUND"


@pytest.mark.quick
def test_a_refusal_names_the_option_and_in_json_the_field(scene: Scene) -> None:
    words = (
        "gate",
        "request",
        "--agent",
        "architect",
        "--task",
        "10",
        "--section",
        "1",
        "--blocker",
        BLOCKER,
    )
    error = refusal(scene, *words, "--rationale", BLOCKER, "--risk", "small")
    assert error.message.startswith("--risk needs at least 20 characters")
    assert error.details["field"] == "proposed_changes.risk_assessment"
    assert "traceId" not in call(scene, "trace", "get").output
    assert (
        "risk_assessment"
        in refusal(scene, *words, "--rationale", BLOCKER, "--risk", "small", "--json").message
    )


def test_each_limit_has_its_short_form() -> None:
    def commands(name: str, group: TableGroup) -> list[str]:
        found = []
        for word in group.summaries:
            full = f"{name} {word}".strip()
            inner = command(full)
            found += commands(full, inner) if isinstance(inner, TableGroup) else [full]
        return found

    for name in commands("", cli):
        made = command(name)
        assert made
        options = [param.opts for param in made.params if "--limit" in param.opts]
        assert all("-n" in names for names in options), name


def test_the_beginning_of_a_session_is_enough(scene: Scene, tmp_path: Path) -> None:
    for session in ("first-session", "other-session"):
        known = {"type": "user", "sessionId": session, "message": {"content": session}}
        lines = (json.dumps({**known, "uuid": f"{session}-{number}"}) for number in (1, 2))
        (tmp_path / session).write_text("\n".join(lines) + "\n")
        assert call(scene, "conversation", "import", str(tmp_path / session)).exit_code == 0
        put = ["trace", "put", "--session", session, "--id", f"of-{session}", "--repo", str(scene.top)]
        assert CliRunner().invoke(cli, put, input="text").exit_code == 0
    assert "first-session" in call(scene, "conversation", "show", "--session", "firs").output
    assert "first-session" in call(scene, "conversation", "snapshot", "--session", "firs").output
    shown = call(scene, "trace", "list", "--session", "firs").output
    assert ("of-first-session" in shown, "of-other-session" in shown) == (True, False)
    plan = call(scene, "conversation", "rewind", "--by-messages", "1", "--session", "firs", "--dry-run")
    assert "first-session" in plan.output
    assert refusal(scene, "conversation", "snapshot", "--session", "fir").code == "MESSAGE_NOT_FOUND"


def test_task_10_is_started_though_it_is_written_without_its_hyphen(scene: Scene) -> None:
    assert "task-20 is active" in call(scene, "task", "start", "task20").output
    scene.git("worktree", "add", "-q", "-b", "side", "../side")
    assert (
        "task-tasks is active"
        in call(Scene(Workspace.open(scene.top.parent / "side")), "task", "start", "tasks").output
    )


def test_a_terminal_shows_as_much_of_the_ids_of_gates_as_tells_them_apart(scene: Scene) -> None:
    gates = [ask(scene), ask(scene)]
    shown = at_terminal(scene.top, "gate", "list", size=(50, 120))[1]
    for gate in gates:
        assert (gate[:8] in shown, gate in shown) == (True, False)
        assert gate in call(scene, "gate", "list").output
        assert gate in call(scene, "gate", "show", gate[:8]).output


@pytest.mark.quick
def test_a_task_that_is_taken_for_a_branch_is_answered_with_rewind_and_branch(scene: Scene) -> None:
    error = refusal(scene, "checkout", "task-10")
    assert "devs-git rewind task-10" in error.hint
    assert "devs-git branch task-10 -b NAME" in error.hint


@pytest.mark.quick
def test_rewind_alone_offers_the_last_checkpoints_at_a_terminal_and_says_what_to_type_in_a_pipe(
    scene: Scene,
) -> None:
    status, shown = at_terminal(scene.top, "rewind", typed="1\ny\n")
    assert status == 0
    assert "task-10@1" in shown.partition("Which one? [1-1]")[0]
    assert scene.git("log", "-1", "--format=%D").find("devs/task-10") >= 0
    assert "devs-git rewind task-10" in refusal(scene, "rewind").hint


def test_rewind_alone_does_nothing_if_no_number_is_typed(scene: Scene) -> None:
    before = scene.git("rev-parse", "HEAD")
    status, _ = at_terminal(scene.top, "rewind", typed="\n")
    assert (status, scene.git("rev-parse", "HEAD")) == (130, before)


def test_resume_alone_lists_what_can_be_resumed_before_it_asks_which_one(scene: Scene) -> None:
    status, shown = at_terminal(scene.top, "resume", typed="1\n", size=(50, 120))
    assert status == 0
    before, _, after = shown.partition("Which one? [1-")
    assert "task-10" in before
    assert "This is a summary by devs-git" in after


def test_an_answer_that_is_no_number_of_the_list_is_named(scene: Scene) -> None:
    status, shown = at_terminal(scene.top, "resume", typed="x\n", size=(50, 120))
    assert (status, "'x' is not a number from 1 to " in shown, "yes" in shown) == (130, True, False)
