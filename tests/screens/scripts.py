"""What is typed at the terminal: README's block, the tour, and commands that are nearly right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from devs_git.entrypoints.cli import demo
from tests.support.real_repository import WORK

README: Final = Path(__file__).parents[2] / "README.md"


def of_readme() -> list[str]:
    """The lines of README's block after `cd`; a comment that stands for work is some work."""
    section = README.read_text(encoding="utf-8").partition("## Ten commands\n")[2]
    block = section.partition("```sh\n")[2].partition("```")[0]
    lines = [re.sub(r"\s+#.*", "", re.sub("^# .*", WORK, line)) for line in block.splitlines()]
    assert lines[0].startswith("cd ")
    return lines[1:]


def of_tour() -> list[str]:
    """The lines of `devs-git demo`, without its comments."""
    return [line for line in demo.TOUR.splitlines() if line and not line.startswith("#")]


# What was done before somebody types what is nearly right.
BEFORE: Final = f"""\
devs-git init --yes
git add devs-policy.yaml && git commit -q -m 'Set up devs-git'
devs-git task start 10 --title 'Parse dates'
{WORK}
devs-git checkpoint --all -m 'ISO dates'
{WORK}
devs-git task complete --all -m 'Dates are parsed'
devs-git task start 11 --title 'Parse times'
{WORK}
devs-git task complete --all -m 'Times are parsed'
git commit -q --allow-empty -m 'By hand'
echo 'output of the build' | devs-git trace put --id build-one --tool make
echo 'output of the tests' | devs-git trace put --id test-two --tool pytest
devs-git snapshot create -m 'before lunch'
""".splitlines()

# In this order: those that change something stand where what follows fits to it.
NEARLY_RIGHT: Final = """\
devs-git rewnd
devs-git lgo
devs-git staus
devs-git stats
devs-git chekpoint
devs-git checkpiont --all
devs-git dif task-10
devs-git unod
devs-git comit
devs-git push
devs-git start 12
devs-git complete
devs-git approve
devs-git reject
devs-git list
devs-git help rewnd
devs-git help task strat
devs-git help gate aprove
devs-git task strat 12
devs-git task finish 10
devs-git task list
devs-git task
devs-git gate aprove
devs-git gate ls
devs-git trace lst
devs-git snapshot creat
devs-git conversation shwo
devs-git task start
devs-git task start task10
devs-git task start 10
devs-git task start 'a b'
devs-git task start task-
devs-git task complete
devs-git task complete 10
devs-git task status 99
devs-git task status task10
devs-git task switch 10
devs-git task abandon
devs-git checkpoint
devs-git log --tsk 10
devs-git log --task task10
devs-git log --task 99
devs-git log -n
devs-git log -n many
devs-git show
devs-git show task10
devs-git show task-10@9
devs-git show 99
devs-git show HEAD
devs-git show main
devs-git diff
devs-git diff task10 --stat
devs-git diff task-99
devs-git diff task-10 task-11
devs-git restore
devs-git restore task10 -- src/date.py
devs-git restore task-99 -- src/dates.py
devs-git checkout task-10
devs-git checkout task-1
devs-git checkout mian
devs-git branch task-10
devs-git branch task10 -b main
devs-git branch task10 -b 'a..b'
devs-git rewind task-99
devs-git rewind task10 --dry-run
devs-git rewind task_10 --dry-rn
devs-git rewind "$(git rev-parse --short=10 HEAD)"
devs-git rewind HEAD~1 --dry-run
devs-git rewind before-lunch
devs-git rewind snapshot/gone
devs-git rewind feature
devs-git rewind task-10 --preserve stsh
devs-git undo
devs-git undo 2001
devs-git undo --plan
devs-git gate show
devs-git gate approve
devs-git gate request
devs-git gate request --type MANUAL
devs-git gate request --type MANUL --blocker 'Old readers break on it.'
devs-git gate request --type MANUAL --blocker short
devs-git trace get
devs-git trace get build
devs-git trace get bui
devs-git trace get none
devs-git trace search
devs-git trace search parsr
devs-git conversation show
devs-git directive add
devs-git directive withdraw none
devs-git contract show none
devs-git phase set exeute
devs-git fork task10
devs-git resume
devs-git drop task10 --dry-run
devs-git why src/dates.py
devs-git why src/date.py:1
devs-git history --tsk 10
devs-git agent install cluade
devs-git agent lst
devs-git sync
devs-git completion bsh
devs-git --colour never status
devs-git --verson
git devs lgo
devs-git rewind
devs-git undo
""".splitlines()

SCRIPTS: Final[Mapping[str, Callable[[], list[str]]]] = {
    "readme": of_readme,
    "tour": of_tour,
    "nearly-right": NEARLY_RIGHT.copy,
}
