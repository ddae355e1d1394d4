"""The texts of plans and results of moves."""

from __future__ import annotations

import pytest

from devs_git.commands.rewind import Plan, Result
from devs_git.entrypoints.cli.texts import move_text
from devs_git.storage.git.filters import UndecidedFile

HOSTILE = "out/\x1b[2J"


@pytest.mark.quick
def test_a_plan_counts_every_file_and_no_name_in_it_commands_the_terminal() -> None:
    files = {"count": 1201, "added_count": 0, "modified_count": 1, "deleted_count": 1200}
    rest = {
        "ignored": (HOSTILE,),
        "ignored_count": 1,
        "nested_repositories": (HOSTILE,),
        "submodules": (HOSTILE,),
    }
    plan = Plan(
        would_reset_to_commit="9" * 40,
        affected_tasks=(),
        sqlite_tables_affected=(),
        plan_id="task-1:none:1",
        target="task-1",
        commits=1,
        files={**files, "added": (), "modified": ("a",), "deleted": ("b",)},
        preserve="branch",
        undone=(),
        kept_by=(),
        still_on={},
        not_covered=rest,
        now_visible=(HOSTILE,),
        not_told=(UndecidedFile(HOSTILE, HOSTILE),),
    )
    text = move_text.rewind_plan_text(plan)
    assert "1 commit, 1201 files (0 added, 1 modified, 1200 deleted)" in text
    assert "makes visible   1 file that git ignores now: " in text
    assert text.count('"out/\\033[2J"') == 5
    assert "\x1b" not in text


def test_after_discard_people_read_that_there_is_a_backup() -> None:
    result = Result(
        rewound_to="task-1",
        reset_commit="9" * 40,
        cleared_tasks=1,
        tree="8" * 40,
        rewind_id="x",
        preserved_as={"type": "discard", "reference": "refs/devs/backup/x"},
        affected_tasks=("task-2",),
        kept_by=(),
        still_on={},
        not_exact=(),
        files=1,
        edited=("a\033b",),
        backup="refs/devs/backup/x",
    )
    text = move_text.rewind_text(result)
    assert "Your previous state is saved as backup refs/devs/backup/x." in text
    assert 'Edited during the operation, and not overwritten: 1 file, "a\\033b"' in text
