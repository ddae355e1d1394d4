"""`purge` and a secret that somebody wrote into a directive: the ledger keeps it, and it must reach no agent any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import directive_add, directive_withdraw, purge, resume, task_start
from devs_git.workspace import Workspace
from tests.support.talk_scene import call

pytestmark = pytest.mark.quick

SECRET = "hunter2-and-more"


@pytest.fixture
def told(initialised: Path) -> tuple[Path, str]:
    call(initialised, "task start", task_start.Request("1"))
    text = "Use the database at the usual place, as we said yesterday, with this password: " + SECRET
    request = directive_add.Request("1", text, at_terminal=True)
    done = directive_add.run(Workspace.open(initialised), request)
    return initialised, done.directive_id


def test_a_directive_with_the_secret_is_named_with_the_command_that_withdraws_it(
    told: tuple[Path, str],
) -> None:
    top, directive_id = told
    assert SECRET in call(top, "resume", resume.Request("1")).markdown
    for dry_run in (True, False):
        left = call(top, "purge", purge.Request(text=SECRET, dry_run=dry_run)).left
        (one,) = (one for one in left if directive_id in one.what)
        assert one.command == f"devs-git directive withdraw {directive_id}"
        assert [each.what for each in left if "of the ledger" in each.what]
    request = directive_withdraw.Request(directive_id, at_terminal=True)
    directive_withdraw.run(Workspace.open(top), request)
    assert SECRET not in call(top, "resume", resume.Request("1")).markdown
    left = call(top, "purge", purge.Request(text=SECRET, dry_run=True)).left
    assert not [one for one in left if directive_id in one.what]
    assert [one for one in left if "of the ledger" in one.what]


def test_a_directive_without_the_secret_is_not_named(told: tuple[Path, str]) -> None:
    top, directive_id = told
    found = call(top, "purge", purge.Request(text="another-secret-text", dry_run=True)).left
    assert not [one for one in found if directive_id in one.what]
