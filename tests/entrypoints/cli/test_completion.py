"""A shell that has sourced our script completes `devs-git …` and `git devs …`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from devs_git.entrypoints.cli.completion import script
from devs_git.entrypoints.cli.main import cli
from devs_git.workspace import Workspace
from tests.support.archiving import archive_all, numbered
from tests.support.moment_scene import moment

Run = Callable[..., str]
# What bash sets before it calls a completion function, for one line cut as bash cuts it (at @ and = too).
COMPLETE = """
export PATH={path}:$PATH
compopt() {{ printf 'compopt %s\\n' "$*"; }}
source /dev/stdin <<'SCRIPT'
{script}
SCRIPT
COMP_LINE=$1; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_POINT=${{#COMP_LINE}}; COMPREPLY=()
if [[ $1 == git ]]; then _git_devs; else _devs_git "$1"; fi
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def offered(*words: str, line: str = "") -> list[str]:
    """What bash offers for the last of `words`."""
    program = COMPLETE.format(path=Path(sys.executable).parent, script=script("bash"))
    done = subprocess.run(
        ["bash", "-c", program, "bash", line or " ".join(words), *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("devs-git re", ["rewind", "resume", "restore", "report"]),
        ("git -C . devs task s", ["start", "switch", "status"]),
        ("git devs rewind --dry", ["--dry-run"]),
    ],
)
def test_bash_completes_verbs_and_options_of_both_programs(words: str, found: list[str]) -> None:
    assert offered(*words.split()) == found


def test_bash_completes_moments_though_it_cuts_words_at_the_colon(workspace: Workspace, mark: Run) -> None:
    mark(10)
    made = moment(workspace, words="fix it").moment_id
    name = f"moment:{made[:10]}"
    assert offered(*["devs-git", "show"], "moment", ":", line="devs-git show moment:") == [made[:10]]
    assert name in offered("devs-git", "diff", "")
    assert offered("devs-git", "diff", "task-10", "mom") == [name]


def test_bash_completes_checkpoints_though_it_cuts_words_at_the_at_sign(mark: Run) -> None:
    mark(10)
    mark(10, 2, completed=True)
    mark(11)
    assert offered("devs-git", "show", "task-1") == [
        "task-11",
        "task-10",
        "task-11@1",
        "task-10@2",
        "task-10@1",
    ]
    assert offered("git", "devs", "show", "task-10", "@", line="git devs show task-10@") == ["2", "1"]


def test_bash_completes_checkpoints_that_only_an_archive_has(mark: Run, repo: Path) -> None:
    mark(10)
    mark(10, 2, completed=True)
    before = offered("devs-git", "show", "task-1")
    archive_all(repo)
    assert numbered(repo) == []
    assert offered("devs-git", "show", "task-1") == before == ["task-10", "task-10@2", "task-10@1"]


def test_bash_completes_local_branches_without_the_ledger(mark: Run, git: Run) -> None:
    mark(10)
    git("branch", "try")
    git("tag", "other")
    assert sorted(offered("devs-git", "checkout", "")) == ["main", "try"]


def test_nothing_is_offered_where_there_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert offered("devs-git", "show", "task") == [""]


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", "complete -o nosort -F _devs_git devs-git git-devs"),
        ("zsh", "compdef _devs_git_completion git-devs"),
        ("fish", "complete --no-files --command git-devs"),
    ],
)
def test_each_script_serves_both_names(shell: str, words: str) -> None:
    done = CliRunner().invoke(cli, ["completion", shell], standalone_mode=False)
    assert words in done.output
    assert "devs-git" in done.output
    assert "%(" not in done.output
    assert "@VARIABLE@" not in done.output
    assert "@SUMMARY@" not in done.output
