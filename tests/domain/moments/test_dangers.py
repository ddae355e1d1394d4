"""What commands may take: each destructive command of the field, in the forms in which agents type it."""

from __future__ import annotations

import pytest

from devs_git.domain.moments import dangers, scripts
from devs_git.domain.moments.shell_words import LONGEST, commands
from devs_git.domain.moments.taking import Taking

pytestmark = pytest.mark.quick

# A command, and what it may take: the first letters of `refs`, `ignored`, `nested`, `worktrees`.
TAKES = {
    "git reset --hard": "r",
    "git -C sub reset --hard HEAD~2": "r",
    "/usr/bin/git -c core.pager=cat reset --hard": "r",
    "git reset HEAD && git checkout -- .": "r",
    "git checkout -- .": "r",
    "git checkout -B main origin/main": "r",
    "git switch -C topic": "r",
    "git restore .": "",
    "git restore --staged --worktree src": "",
    "git clean -fd": "",
    "git clean -fdx": "i",
    "git clean -f -d -X": "i",
    "git clean -ffdx": "in",
    "git clean -f -f -d": "n",
    "git clean -ndx": "",
    "git clean -fd -- -x": "",
    "git stash": "r",
    "git stash -u": "r",
    "git stash --all": "ri",
    "git stash drop": "r",
    "git stash clear": "r",
    "git stash pop stash@{1}": "r",
    "git branch -D topic": "r",
    "git branch -d topic": "r",
    "git branch -f topic HEAD~3": "r",
    "git tag -d v1": "r",
    "git worktree remove --force ../linked": "rinw",
    "git worktree remove linked": "rinw",
    "git rebase -i HEAD~3": "r",
    "git rebase --onto HEAD~2 HEAD~1": "r",
    "git filter-branch --tree-filter 'rm -f x' HEAD": "ri",
    "git filter-repo --path x --invert-paths": "r",
    "git-filter-repo --force": "r",
    "git update-ref -d refs/heads/topic": "r",
    "git reflog expire --expire=now --all && git gc --prune=now": "r",
    "git prune": "r",
    "git push --mirror": "r",
    "git push origin --delete topic": "r",
    "git push -f": "r",
    "git wipe": "r",
    "rm a.txt": "i",
    "rm -rf build": "in",
    "rm -r -f .": "in",
    "sudo rm -rf build": "in",
    "FOO=1 env -i rm -rf build": "in",
    "find . -name '*.o' -delete": "in",
    "find . -name x -exec rm {} +": "in",
    "find . -name x | xargs rm -f": "in",
    "shred -u key.pem": "in",
    "unlink key.pem": "i",
    "rsync -a --delete src/ dst/": "in",
    "npx rimraf dist": "in",
    "bash -c 'git clean -fdx'": "ri",
    'bash -lc "cd sub && rm -rf build"': "rin",
    "sh -c \"eval 'rm -rf x'\"": "rin",
    "(cd sub; git clean -fdx)": "i",
    "x=$(git clean -fdx)": "i",
    'echo "$(rm -rf build)"': "in",
    "if true; then rm -rf build; fi": "in",
    "ls || git clean -fdx": "i",
    "cat <<'EOF' | sh\nrm -rf build\nEOF": "rin",
    "python -c \"import shutil; shutil.rmtree('build')\"": "rin",
    'python3 -c \'import subprocess as s; s.run(["git", "clean", "-fdx"])\'': "ri",
    "node -e \"require('fs').rmSync('build', {recursive: true})\"": "rin",
    "echo x > key.pem": "i",
    "mv a.txt b.txt": "i",
    "cp a.txt b.txt": "i",
    "sed -i s/a/b/ .env": "i",
    "unknown-program --all": "r",
    "unknown-program --write .env": "ri",
    "unknown-program --write $FILE": "r",
    "truncate -s0 *.log": "i",
    "git log -1 -o x": "i",
    "git diff --output=x": "i",
    "bash -x tool": "r",
    "git status": "",
    "git add -A": "",
    "git log --oneline": "",
    "git diff > /dev/null 2>&1": "",
    "echo done": "",
    "mkdir -p build && touch build/x": "",
    "grep -rn 'rm -rf build' src": "",
    "": "",
}


def letters(danger: dangers.Danger) -> str:
    kinds = {kind for taking in danger.takings for kind in taking.kinds}
    said = {"refs": "r", "ignored": "i", "nested": "n", "worktrees": "w"}
    return "".join(letter for kind, letter in said.items() if kind in kinds)


@pytest.mark.parametrize("command", TAKES, ids=str)
def test_a_command_may_take(command: str) -> None:
    assert letters(dangers.of_command(command)) == TAKES[command]


# A command, and where it may take ignored files; None if nobody can tell.
PLACES: dict[str, tuple[str, ...] | None] = {
    "git clean -fdx": (".",),
    "git clean -fdx build": ("build",),
    "git clean -fdx -e keep build": ("build",),
    "git -C sub clean -fdx": ("sub",),
    "cd sub && git clean -fdx": ("sub",),
    "cd sub && cd .. && git clean -fdx": (".",),
    "(cd sub); git clean -fdx": (".",),
    "cd $X && git clean -fdx": None,
    "cd sub && rm -rf build": ("sub/build",),
    "cd /abs && rm -rf build": ("/abs/build",),
    "rm -rf build/*": ("build",),
    "rm -rf *": (".",),
    "rm -f *.log": (".",),
    "rm -rf /abs/x": ("/abs/x",),
    "rm -rf ~/x": ("~/x",),
    "rm -rf '~/x'": ("~/x",),
    "rm -rf 'a b' c": ("a b", "c"),
    "rm -rf -- -x": ("-x",),
    "rm -rf $DIR": None,
    'rm -rf "$DIR/x"': None,
    "rm -rf '$DIR'": ("$DIR",),
    "rm -rf ../other": ("../other",),
    "ls | xargs rm -rf build": None,
    "git -C sub -C deep clean -fdx": ("sub/deep",),
    "find build dist -delete": ("build", "dist"),
    "find -name x -delete": (".",),
    "rsync -a --delete src/ dst/": ("dst",),
    "mv a.txt build/": ("build", "build/a.txt"),
    "bash -c 'cd sub && git clean -fdx'": ("sub",),
}


@pytest.mark.parametrize("command", PLACES, ids=str)
def test_a_command_takes_ignored_files_only_where_it_says(command: str) -> None:
    found = [taking.paths for taking in dangers.of_command(command).ignored]
    assert found[0] == PLACES[command]


def test_the_whole_worktree_around_a_folder_is_meant_by_commands_of_git() -> None:
    (reset,) = dangers.of_command("git -C sub reset --hard").takings
    assert reset == Taking("git -C sub reset --hard", reset.kinds, ("sub",), whole=True)


def test_a_worktree_is_named_by_path_or_by_the_end_of_it() -> None:
    (removed,) = dangers.of_command("git worktree remove --force ../linked").takings
    assert removed.paths == ("../linked", "linked")
    assert "worktrees" in removed.kinds


SCRIPTS = {
    "python x.py": ["x.py"],
    "cd sub && python3 x.py --flag": ["sub/x.py"],
    "sh x.sh": ["x.sh"],
    "bash scripts/reset": ["scripts/reset"],
    "./x": ["x"],
    ". ./env.sh": ["env.sh"],
    "python -m tools.clean": ["tools/clean.py", "tools/clean/__main__.py"],
    "node build/clean.mjs": ["build/clean.mjs"],
    "npm run clean": ["package.json"],
    "make clean": ["GNUmakefile", "makefile", "Makefile"],
    "make -C sub -f other.mk clean": ["sub/other.mk"],
    "ls": [],
}


@pytest.mark.parametrize("command", SCRIPTS, ids=str)
def test_a_command_names_scripts(command: str) -> None:
    assert [script.path for script in scripts.find_scripts(command)] == SCRIPTS[command]


MAKEFILE = """\
.PHONY: all clean
VERSION := 1
all: build
build: a.c
\tcc a.c
clean: tidy
\t@echo clean
tidy:
\tgit clean \\
\t  -fdx
release: ; $(MAKE) clean
"""
TEXTS = {
    ("x.py", "import shutil\nshutil.rmtree(path)\n"): "in",
    ("x.py", "import subprocess\nsubprocess.run(['git', 'reset', '--hard'])\n"): "r",
    ("x.py", "from git import Repo\nrepo.git.clean('-fdx')\n"): "ri",
    ("x.py", "repo.head.reset(index=True, working_tree=True)\n"): "r",
    ("x.py", "run(['git', '-C', top, 'stash', 'drop'])\n"): "r",
    ("x.py", "run(['git', 'worktree', 'remove', '--force', path])\n"): "rinw",
    ("x.py", "Path('a').unlink()\n"): "in",
    ("x.py", "print('all is well')\n"): "",
    ("x.sh", "#!/bin/sh\nset -e\nrm -rf build\n"): "in",
    ("x.sh", "git checkout -- .\ngit clean -fd\n"): "r",
    ("x.sh", "git clean -qfdx\n"): "ri",
    ("x.sh", "find . -name '*.o' -delete\n"): "in",
    ("x.js", "execSync('git reset --hard')\n"): "r",
    ("x.rb", "FileUtils.rm_rf('build')\n"): "in",
}


@pytest.mark.parametrize(("name", "text"), TEXTS, ids=str)
def test_a_script_may_take(name: str, text: str) -> None:
    assert letters(scripts.of_file(scripts.Script(name), text)) == TEXTS[name, text]


@pytest.mark.parametrize(
    ("target", "taken"), [("clean", "ri"), ("release", "ri"), ("build", ""), ("", ""), ("unknown", "ri")]
)
def test_of_a_makefile_only_the_targets_that_run_count(target: str, taken: str) -> None:
    script = scripts.Script("Makefile", (target,) if target else ())
    assert letters(scripts.of_file(script, MAKEFILE)) == taken


def test_of_package_json_only_the_script_that_runs_counts() -> None:
    text = '{"scripts": {"test": "jest", "clean": "rm -rf dist", "preclean": "git stash -a"}}'
    assert letters(scripts.of_file(scripts.Script("package.json", ("clean",)), text)) == "rin"
    assert letters(scripts.of_file(scripts.Script("package.json", ("test",)), text)) == ""
    assert letters(scripts.of_file(scripts.Script("package.json", ("clean",)), "[")) == ""


def test_a_text_that_is_too_long_to_read_counts_as_one_that_drops_refs() -> None:
    assert dangers.of_command("echo " + "x" * LONGEST).refs


@pytest.mark.parametrize(
    ("text", "count", "takes"),
    [
        ("'", 1, []),
        ('"', 1, []),
        ("\\", 1, []),
        ("$(", 0, []),
        ("a)", 1, ["a"]),
        ("`", 0, []),
        ("<<<", 0, []),
        ("cd", 1, []),
        ("rm", 1, ["rm"]),
        ("git", 1, []),
        ("x &> y", 2, ["x", ""]),
        ("{", 1, []),
        ("é > ü", 1, ["é", "é"]),
    ],
)
def test_a_text_that_is_no_whole_command_is_read_all_the_same(
    text: str, count: int, takes: list[str]
) -> None:
    assert len(commands(text)) == count
    assert [taking.what for taking in dangers.of_command(text).takings] == takes
    assert scripts.find_scripts(text) == ()


def test_lines_that_cat_only_writes_destroy_nothing() -> None:
    written = dangers.of_command("cat > notes.md <<EOF\nNever run rm -rf here, nor git clean -fdx.\nEOF")
    assert [taking.paths for taking in written.ignored if not taking.guess] == [("notes.md",)]
    assert dangers.of_command("python3 - <<EOF\nimport shutil\nshutil.rmtree('x')\nEOF").ignored
