"""Shell commands that go on while a gate is open, and each way that we know to make such a command write."""

from __future__ import annotations

import pytest

from devs_git.domain.calls.reading_commands import only_reads
from devs_git.domain.calls.tool_guard import may_run
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.codex import CODEX

pytestmark = pytest.mark.quick

GOES_ON = (
    "cat a.txt",
    " cat  -n src/a.py docs/b.md ",
    "cat 'a file.txt' \"another file.txt\"",
    "head -20 a.txt",
    "head -n5 a.txt",
    "tail -n +5 a.txt",
    "tail +5 a.txt",
    "wc -l a.txt b.txt",
    "ls -la",
    "ls --color=never src",
    "grep -rn TypeError src",
    "grep -A3 -e one -e two a.txt",
    "grep -n -- word a.txt",
    "rg -n --hidden -t py TypeError src",
    "rg --files",
    "find . -type f -name a.py",
    "find src -size -10k -mtime -1 -o -newer a.txt -print0",
    "git status",
    "git status -sb --porcelain=v2 -uno",
    "git --no-pager log --oneline -5 --format='%h %s'",
    "git log --pretty=fuller --since=2.days main..HEAD -- src/a.py",
    "git diff --stat --cached",
    "git diff -U5 HEAD -- a.txt",
    "git show HEAD:src/a.py",
    "git grep -n -e word HEAD",
    "git ls-files -o --exclude-standard",
    "git blame -L 1,20 a.py",
)
# Of each command, why it is refused.
REFUSED = {
    # More than words.
    "": "nothing",
    "cat a > b": "a redirection",
    "cat a >b": "a redirection",
    "cat < a": "a redirection",
    "cat a | sh": "a pipe",
    "cat a; rm a": "a list",
    "cat a && rm a": "a list",
    "cat a &": "the background",
    "cat a\nrm a": "a second line",
    "cat a\r\nrm a": "a second line",
    "cat a\n": "a line's end",
    "cat a\0b": "a NUL",
    "cat\ta": "a tab",
    "cat a\u00a0b": "a space that is none to a shell",
    "cat a\u2028rm": "a line's end that is none to a shell",
    "cat \u0430": "a letter that only looks like one of ours",
    "cat $(rm a)": "a substitution",
    "cat `rm a`": "a substitution",
    'cat "$(rm a)"': "a substitution in quotes",
    "cat <(rm a)": "a substitution",
    "cat $HOME": "a variable",
    'cat "$HOME"': "a variable in quotes",
    "cat $'a'": "a quote of bash",
    "cat ~/a": "a tilde",
    "git show HEAD~1": "a tilde",
    "cat *": "a glob",
    "rg *": "a glob: a file may be named --pre=x",
    "cat '*'": "a glob in quotes, for only plain text may stand there",
    "cat a?": "a glob",
    "cat [a]": "a glob, and a program of zsh",
    "[ a ]": "a program of zsh",
    "cat {a,b}": "braces",
    "git show @{1}": "braces",
    "cat a\\ b": "a backslash",
    "cat !$": "the history",
    "cat a # b": "a comment",
    "cat 'a": "a quote without its end",
    'cat "a': "a quote without its end",
    "cat a'\n'b": "a line's end in quotes",
    "(cat a)": "a second shell",
    "! cat a": "a negation",
    "cat =ls": "a program's path in zsh",
    "=cat a": "a program's path in zsh",
    "A=b cat a": "an assignment",
    "GIT_EXTERNAL_DIFF=./x git diff": "an assignment",
    "PATH=. cat a": "an assignment",
    "cat " + "a" * 10_000: "too long to be looked at",
    # Another program.
    "./cat a": "a program of the repository",
    "/bin/cat a": "a path, which may be anybody's",
    "bin/git status": "a program of the repository",
    "%1": "a job",
    "fg %1": "a job",
    "cd src": "not in the table",
    "env cat a": "a program that starts programs",
    "command cat a": "a program that starts programs",
    "exec cat a": "a program that starts programs",
    "time cat a": "a program that starts programs",
    "xargs cat": "a program that starts programs",
    "sh -c ls": "a shell",
    "bash a": "a shell",
    "sed -n 1,5p a": "sed can write",
    "sed -i s/a/b/ a": "sed can write",
    "awk 1 a": "awk can write",
    "sort -o a a": "sort can write",
    "tee a": "writes",
    "less a": "starts programs",
    "touch a": "writes",
    "cat- a": "not in the table",
    "alias cat=rm": "an alias",
    # Options.
    "tail -f a": "never ends",
    "tail -5f a": "never ends",
    "tail -cf a": "never ends",
    "tail -qF a": "never ends",
    "tail --follow a": "never ends",
    "tail +f a": "never ends",
    "tail +1f a": "never ends",
    "tail +2cf a": "never ends",
    "tail +5F a": "never ends, with BSD",
    "tail --retry a": "never ends",
    "find . -delete": "deletes",
    "find . -exec rm a": "starts a program",
    "find . -execdir rm a": "starts a program",
    "find . -ok rm a": "starts a program",
    "find . -okdir rm a": "starts a program",
    "find . -fprint a": "writes",
    "find . -fprint0 a": "writes",
    "find . -fprintf a b": "writes",
    "find . -fls a": "writes",
    "find . -rm": "deletes, with bfs",
    "find -- -delete": "an option of find goes on behind --",
    "find . -name a -delete": "deletes",
    "find . '-delete'": "deletes: quotes change nothing",
    "find . -name=a": "no option of find",
    "find . -printf %p": "not in the table",
    "rg --pre ./x a": "starts a program",
    "rg --pre=./x a": "starts a program",
    "rg -z a": "starts programs that unpack",
    "rg -nz a": "starts programs that unpack",
    "rg --search-zip a": "starts programs that unpack",
    "rg --hostname-bin=./x a": "starts a program",
    "rg a -- --pre=./x": "we read no operand that begins so",
    "grep --filter=./x a": "starts a program, with ugrep",
    "grep --pager=./x a": "starts a program, with ugrep",
    "grep --view=./x a": "starts a program, with ugrep",
    "grep --save-config=a": "writes, with ugrep",
    "grep -Q a": "asks at a terminal, with ugrep",
    "grep --context-separator=a b": "not in the table",
    "ls --hyperlink a": "not in the table",
    # git.
    "git": "no verb",
    "git -c core.pager=./x log": "a configuration",
    "git -c alias.log=!./x log": "a configuration",
    "git -C x status": "another repository, whose configuration names programs",
    "git --git-dir=x status": "another repository",
    "git --work-tree=x status": "another worktree",
    "git --exec-path=. status": "another program",
    "git -p log": "a pager",
    "git --paginate log": "a pager",
    "git --config-env=diff.external=X diff": "a configuration",
    "git commit -m x": "writes",
    "git checkout a": "writes",
    "git stash": "writes",
    "git branch x": "writes",
    "git lg": "may be an alias",
    "git Log": "may be an alias",
    "git log --output=x": "writes",
    "git log --output x": "writes",
    "git diff --outp=x": "an abbreviation that git knows",
    "git diff --output-directory=x": "not in the table",
    "git diff -- --output=x": "we read no operand that begins so",
    "git diff '--output=x'": "quotes change nothing",
    'git diff --"output"=x': "quotes change nothing",
    "git diff --ext-diff": "starts a program",
    "git log -p --ext-diff": "starts a program",
    "git log --ext-d": "an abbreviation that git knows",
    "git show --textconv": "starts a program",
    "git grep --textconv a": "starts a program",
    "git grep -O a": "starts a pager",
    "git grep -O./x a": "starts a program",
    "git grep -nO./x a": "starts a program",
    "git grep --open-files-in-pager=./x a": "starts a program",
    "git grep --open=./x a": "an abbreviation that git knows",
    "git diff -Ox": "not in the table",
    "git diff --no-index a b": "not in the table",
    "git diff --submodule=log": "starts git where another configuration counts",
    "git log --show-signature": "starts gpg",
    "git log --show-sig": "an abbreviation that git knows",
    "git log --format=%GK": "starts gpg",
    "git log '--pretty=format:%h %+GK'": "starts gpg",
    "git log --pretty=mine": "a format of the configuration, which may start gpg",
    "git log --remerge-diff": "starts merge drivers",
    "git log --diff-merges=remerge": "starts merge drivers",
    "git log --help": "starts a pager or a browser",
    "git status --help": "starts a pager or a browser",
    "git blame -C a": "not in the table",
    "git ls-files --recurse-submodules": "not in the table",
}  # fmt: skip


@pytest.mark.parametrize("command", GOES_ON)
def test_one_simple_command_that_reads_goes_on(command: str) -> None:
    assert may_run(CLAUDE, "Bash", {"command": command, "description": "Look", "timeout": 5000})
    assert may_run(CODEX, "Bash", {"command": command})


@pytest.mark.parametrize("command", REFUSED)
def test_a_command_that_could_write_is_refused(command: str) -> None:
    assert not may_run(CLAUDE, "Bash", {"command": command})
    assert not may_run(CODEX, "exec_command", {"cmd": command})


@pytest.mark.parametrize(
    "given",
    [
        {"cmd": "cat a", "workdir": "src", "yield_time_ms": 1000, "max_output_tokens": 500, "login": True},
        {"cmd": "cat a", "tty": False, "shell": None, "sandbox_permissions": "use_default"},
        {"command": ["cat", "a file"]},
        {"command": ["git", "log", "--oneline"], "timeout_ms": 1000},
        {"command": ["bash", "-lc", "cat a"]},
        {"command": ["/bin/sh", "-c", "cat a"]},
        {"command": "cat a", "run_in_background": False, "dangerouslyDisableSandbox": False},
    ],
)
def test_the_command_may_be_text_or_words_and_stand_beside_fields_that_change_nothing(given: object) -> None:
    assert only_reads(given)


@pytest.mark.parametrize(
    "given",
    [
        None,
        "cat a",
        {},
        {"command": None},
        {"command": {"cat": "a"}},
        {"command": "cat a", "cmd": "rm a"},
        {"cmd": "cat a", "shell": "./bash"},
        {"cmd": "cat a", "tty": True},
        {"cmd": "cat a", "sandbox_permissions": "require_escalated"},
        {"cmd": "cat a", "with_escalated_permissions": True},
        {"cmd": "cat a", "prefix_rule": ["cat"]},
        {"cmd": "git log", "env": {"GIT_PAGER": "./x"}},
        {"command": "cat a", "run_in_background": True},
        {"command": "cat a", "dangerouslyDisableSandbox": True},
        {"command": "cat a", "no_such_field": 1},
        {"command": []},
        {"command": ["cat", 1]},
        {"command": ["cat", "a\nb"]},
        {"command": ["cat a"]},
        {"command": ["./sh", "-c", "cat a"]},
        {"command": ["/usrsh", "-c", "cat a"]},
        {"command": ["fish", "-c", "cat a"]},
        {"command": ["bash", "-ic", "cat a"]},
        {"command": ["bash", "-c", "cat a", "b"]},
        {"command": ["bash", "-lc", "cat a > b"]},
        {"command": ["bash", "-lc", ["cat", "a"]]},
    ],
)
def test_another_shell_a_terminal_the_background_and_more_rights_are_refused(given: object) -> None:
    assert not only_reads(given)


def test_a_long_command_is_looked_at_in_no_time() -> None:
    assert not only_reads({"command": "cat " + "a'b'" * 1_000_000})


def test_harmless_tools_of_todays_clients_stand_in_the_table_with_the_version_in_which_they_were_seen() -> (
    None
):
    for name in ("ScheduleWakeup", "ListAgents", "Skill", "ToolSearch", "CronList"):
        assert CLAUDE.seen[name] == "2.1.330"
        assert may_run(CLAUDE, name, {})
    for name in (
        "request_user_input",
        "tool_search",
        "get_goal",
        "collaborationwait_agent",
        "collaborationlist_agents",
    ):
        assert CODEX.seen[name] == "0.169.0"
        assert may_run(CODEX, name, {})
    for name in (
        "Workflow",
        "Monitor",
        "CronCreate",
        "CronDelete",
        "EnterWorktree",
        "ExitWorktree",
        "NotebookEdit",
    ):
        assert not may_run(CLAUDE, name, {})
    for name in ("collaborationspawn_agent", "write_stdin", "apply_patch", "exec", "create_goal"):
        assert not may_run(CODEX, name, {})
