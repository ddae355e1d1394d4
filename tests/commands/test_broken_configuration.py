"""A configuration that git cannot read is told as that, by every verb: git answers no question then."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import diff, doctor, gate_list, log, rewind, status, sync, task_start, verify
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.scene import Scene

BROKEN = {
    "core.hooksPath": ("~nobody2/x", "failed to expand user dir in: '~nobody2/x'"),
    "core.filemode": ("perhaps", "bad boolean config value 'perhaps' for 'core.filemode'"),
    "core.bigFileThreshold": ("huge", "bad numeric config value 'huge' for 'core.bigfilethreshold'"),
    "core.compression": ("99", "bad zlib compression level 99"),
    "include.path": ("~nobody2/x", "could not expand include path '~nobody2/x'"),
}
VERBS: dict[str, Callable[[], Any]] = {
    "status": status.Request,
    "log": log.Request,
    "diff": diff.Request,
    "gate list": gate_list.Request,
    "rewind": lambda: rewind.Request("1", dry_run=True),
    "task start": lambda: task_start.Request("2"),
    "verify": lambda: verify.Request(("ledger",)),
    "sync": sync.Request,
}


def refused(verb: str, request: Any) -> DevsError:
    with pytest.raises(DevsError) as caught:
        router.call(verb, Workspace.open(), request)
    return caught.value


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", BROKEN)
def test_every_verb_says_that_git_cannot_read_its_configuration(initialised: Path, name: str) -> None:
    Scene(Workspace.open(initialised)).task("1", {"b.txt": "b\n"})
    value, words = BROKEN[name]
    git("config", name, value)
    for verb, request in VERBS.items():
        error = refused(verb, request())
        assert (error.code, verb) == ("NOT_A_REPOSITORY", verb)
        assert error.message.startswith(f"git cannot read its configuration: {words}")
        assert "git config --list --show-origin" in error.hint
    answer = calling.call("git_status", {}, initialised)
    assert json.loads(answer.text)["code"] == "NOT_A_REPOSITORY"


@pytest.mark.parametrize("value", ["x", "1"])
def test_settings_in_variables_that_git_cannot_read_are_told_as_that(
    initialised: Path, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Scene(Workspace.open(initialised)).task("1", {"b.txt": "b\n"})
    monkeypatch.setenv("GIT_CONFIG_COUNT", value)
    for verb, request in VERBS.items():
        error = refused(verb, request())
        assert (error.code, verb, "GIT_CONFIG_" in error.message) == ("NOT_A_REPOSITORY", verb, True)


def test_what_only_some_verbs_need_ends_no_other(initialised: Path) -> None:
    Scene(Workspace.open(initialised)).task("1", {"b.txt": "b\n"})
    git("config", "remote.origin.url", "../x")
    git("config", "remote.origin.fetch", "bad:spec:x")
    assert refused("sync", sync.Request()).message == (
        "git cannot read its configuration: invalid refspec 'bad:spec:x'."
    )
    assert router.call("log", Workspace.open(), log.Request()).checkpoints


def test_doctor_names_it_as_a_finding(initialised: Path) -> None:
    assert initialised.is_dir()
    git("config", "core.hooksPath", "~nobody2/x")
    (found,) = router.call("doctor", Workspace.open(), doctor.Request()).findings
    assert found.message == "git cannot read its configuration: failed to expand user dir in: '~nobody2/x'."
    assert found.fix == "Correct the setting. To find its file: git config --list --show-origin"
