"""Events with fields that no writer of ours makes: one of them, taken over once, would stop every clone for good."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import init, sync, task_start
from devs_git.domain.ledger import event_fields
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.attacker import NO_HOOKS, codes_in, on_top
from tests.support.gate_scene import approve, ask
from tests.support.git_calls import attempt, git
from tests.support.refusals import refusal

OID = "1" * 40
POINT = {"Devs-Task": "task-10", "Devs-Number": "1", "Devs-Tag": OID, "Devs-Commit": OID, "Devs-Tree": OID}
ODD = {
    "a task that no ref can name": ("checkpoint.created", {"Devs-Task": "task-a..b"}),
    "a task that leads out of its folder": ("checkpoint.created", {"Devs-Task": "../../x"}),
    "a task below another one's checkpoint": ("checkpoint.created", {"Devs-Task": "task-10/1"}),
    "a task that is none": ("checkpoint.created", {"Devs-Task": ""}),
    "a number that no file name holds": ("checkpoint.created", {"Devs-Number": "9" * 300}),
    "a number after which no other is left": ("checkpoint.created", {"Devs-Number": "999999999"}),
    "a number below nothing": ("task.completed", {"Devs-Number": "-1"}),
    "a tag that is a name": ("task.completed", {"Devs-Tag": "main"}),
    "a commit that is an option": ("checkpoint.created", {"Devs-Commit": "--all"}),
    "a move to an option": ("checkpoints.rewritten", {"Devs-Moved": f"{OID} {OID} 5 --all {OID}"}),
    "a new number that is none": ("ledger.merged", {"Devs-Renumbered": f"{OID} 0"}),
    "a status that is empty, of a verb that failed": (
        "rewound",
        {"Devs-Outcome": "failed", "Devs-Status": ""},
    ),
    "a next number without a number": ("task.started", {"Devs-Next": "task-11"}),
    "an operation that is a path": ("rewound", {"Devs-Op": "../../../x"}),
    "a backup that is an option": ("rewound", {"Devs-Backup": "--all"}),
}


def message(kind: str, fields: dict[str, str]) -> str:
    fields = POINT | fields if kind in ("checkpoint.created", "task.completed") else fields
    return f"odd\n\nDevs-Event: {kind}\n" + "".join(f"{key}: {value}\n" for key, value in fields.items())


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ODD)
def test_an_event_that_names_a_checkpoint_or_task_as_no_ref_can(
    initialised: Path, tmp_path: Path, name: str
) -> None:
    server = str(tmp_path / "server.git")
    git("init", "-q", "--bare", server)
    router.call("init", Workspace.open(Path(server)), init.Request(server=True))
    git(*NO_HOOKS, "push", "-q", server, LEDGER)
    event = on_top(message=message(*ODD[name]))
    status, said = attempt(*NO_HOOKS, "push", "-q", server, f"{event}:{LEDGER}")
    assert (status, "LEDGER_MUTATED" in said) == (1, True), said
    # A fetch by hand, into the branch itself.
    git(*NO_HOOKS, "update-ref", LEDGER, event)
    assert "LEDGER_MUTATED" in codes_in("ledger")
    start = partial(router.call, "task start", Workspace.open(), task_start.Request("99"))
    assert refusal(start).code == "LEDGER_MUTATED"
    assert initialised.is_dir()


def test_an_event_that_names_a_checkpoint_whose_tag_is_no_tag(initialised: Path) -> None:
    """The server refuses such a ref, and with it each later push of the ledger."""
    origin = str(initialised.parent / "origin.git")
    git("init", "-q", "--bare", origin)
    router.call("init", Workspace.open(Path(origin)), init.Request(server=True))
    git("remote", "add", "origin", origin)
    git(*NO_HOOKS, "push", "-q", "origin", LEDGER, "main")
    blob = git("rev-parse", f"{LEDGER}:policy.yaml")
    event = on_top(message=message("task.completed", {"Devs-Tag": blob}))
    git(*NO_HOOKS, "push", "-q", "origin", f"{event}:{LEDGER}")
    result = router.call("sync", Workspace.open(), sync.Request())
    assert git("for-each-ref", "refs/devs/checkpoints", "refs/tags") == ""
    assert result.ledger == event
    assert codes_in("tags") == {"TAG_MISSING"}


def test_an_event_that_gives_two_checkpoints_one_number(initialised: Path, mark: Callable[..., str]) -> None:
    """Only one ref has that number; the other checkpoint's own ref stays, for nothing else holds it."""
    origin = str(initialised.parent / "origin.git")
    git("init", "-q", "--bare", origin)
    git("remote", "add", "origin", origin)
    first, second = mark(10), mark(10, 2, completed=True)
    router.call("sync", Workspace.open(), sync.Request())
    event = on_top(message=f"odd\n\nDevs-Event: ledger.merged\nDevs-Renumbered: {first} 2\n")
    git(*NO_HOOKS, "push", "-q", "origin", f"{event}:{LEDGER}")
    router.call("sync", Workspace.open(), sync.Request())
    held = git("for-each-ref", "--format=%(objectname)", "refs/devs/checkpoints").split()
    assert sorted(held) == sorted((first, second))
    assert (
        held == git("-C", origin, "for-each-ref", "--format=%(objectname)", "refs/devs/checkpoints").split()
    )
    assert codes_in("tags") == {"TAG_MOVED"}


def test_an_event_that_names_the_highest_number_of_a_checkpoint(
    initialised: Path, mark: Callable[..., str]
) -> None:
    mark(10, event_fields.HIGHEST + 1)
    mark(10, event_fields.HIGHEST + 2, completed=True)
    git("update-ref", "refs/tags/devs/task-10", "refs/devs/checkpoints/task-10/1000002")
    assert codes_in("ledger", "tags") == set()
    event = on_top(message="odd\n\nDevs-Event: x\nDevs-Next: task-10 1000004\n")
    git(*NO_HOOKS, "update-ref", LEDGER, event)
    assert codes_in("ledger") == {"LEDGER_MUTATED"}
    assert initialised.is_dir()


def test_a_line_of_yaml_hidden_in_a_comment_that_other_readers_end_earlier(initialised: Path) -> None:
    """At a carriage return: what follows was a comment to us, and a second decision to them."""
    workspace = Workspace.open(initialised)
    gate = ask(workspace, kind="MANUAL")
    approve(workspace, gate)
    tip = git("rev-parse", LEDGER)
    said = git("cat-file", "blob", f"{tip}:gates/{gate}/decision.yaml") + "\n"
    gone = on_top(
        (f"gates/{gate}/decision.yaml", f"# by hand\rdecision: REJECTED\n{said}"),
        (f"open/{gate}", None),
        parent=f"{tip}~1",
    )
    git(*NO_HOOKS, "update-ref", LEDGER, gone)
    assert codes_in("ledger") == {"LEDGER_MUTATED"}


# To git a file's name is whatever has no slash and no NUL.
NAMES = {
    "a line end": "tasks/task-10/x\nverified: all is well.yaml",
    "a line end in a folder": "tasks/task-1\n0/x.yaml",
    "no task's name": "tasks/a/x.yaml",
    "a name longer than a file system takes": f"tasks/task-{'a' * 3000}/x.yaml",
    "a long name of an operation": f"rewinds/{'a' * 3000}.yaml",
    "quotes and a tab": 'tasks/task-10/a"b\\\t.yaml',
    "a direction of writing": "tasks/task-10/\u202ex.yaml",
    "a letter that is none of ASCII": "directives/e\u0301.yaml",
    "a space before the ending": "tasks/task-10/b .yaml",
    "a colon": "tasks/task-a:/x.yaml",
    "a gate of a long name": f"open/{'a' * 3000}",
    "a line end in a gate's": "open/a\nverified: all is well",
    "nothing that gave way": "superseded/x",
    "a folder below what gave way": f"superseded/{OID}/x",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_the_ledger_whose_name_no_writer_of_ours_makes(
    initialised: Path,
    tmp_path: Path,
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = str(tmp_path / "server.git")
    git("init", "-q", "--bare", server)
    router.call("init", Workspace.open(Path(server)), init.Request(server=True))
    git(*NO_HOOKS, "push", "-q", server, LEDGER)
    event = on_top((NAMES[name], "x: 1\n"))
    status, said = attempt(*NO_HOOKS, "push", "-q", server, f"{event}:{LEDGER}")
    assert (status, "LEDGER_MUTATED" in said) == (1, True), said
    # A fetch by hand, into the branch itself.
    git(*NO_HOOKS, "update-ref", LEDGER, event)
    assert "LEDGER_MUTATED" in codes_in("ledger")
    for style in ("text", "github"):
        monkeypatch.setattr(sys, "argv", ["devs-git", "verify", "ledger", "schemas", "--format", style])
        with contextlib.suppress(SystemExit):
            main()
        lines = capsys.readouterr().out.splitlines()
        assert not [line for line in lines if line.startswith("verified")], lines
    assert initialised.is_dir()
