"""The header of every hook: how it calls the hook that was there before."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from devs_git.domain.text.hook_script import render
from devs_git.storage.documents import package_files
from devs_git.storage.hooks.installation import hook_sources

HOOKS = sorted(hook_sources(strict=True))
REFUSING = [name for name in HOOKS if not name.startswith("post-")]
READING = ("post-rewrite", "pre-push", "reference-transaction")
SAY = 'echo "theirs $0 $#:$2"; cat; exit 7\n'
# Ours, told apart from what the hook does: its header, then a line that says that it was reached.
OURS = 'echo "ours $#:$2"; cat\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shipped hooks with only the line of OURS below their header, in a folder with a space."""
    where = tmp_path / "a folder"
    where.mkdir()
    for name, source in hook_sources(strict=True).items():
        header = source.decode().partition("\nfi\n")[0] + "\nfi\n"
        (where / name).write_bytes(render((header + OURS).encode(), "/python", chained=True))
        (where / name).chmod(0o755)
    return where


def before(hook: Path, text: str, mode: int = 0o755) -> None:
    kept = hook.with_name(hook.name + ".before-devs")
    kept.write_text(text)
    kept.chmod(mode)


def call(hook: Path, text: str = "l1\nl2\n", **env: str) -> tuple[int, list[str]]:
    words = [f"./{hook.name}", "one", "two words"]
    done = subprocess.run(
        words,
        cwd=hook.parent,
        env={**os.environ, **env},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


FILES = sorted(path for path in package_files.folder("hooks").rglob("*") if path.is_file())


@pytest.mark.quick
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_of_hooks_has_at_most_25_lines_and_their_page_50(file: Path) -> None:
    most = 50 if file.name == "README.md" else 25  # the page about them has lines of 120 characters at most
    assert file.read_text().count("\n") <= most


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_is_marked_and_valid_for_sh(name: str) -> None:
    source = hook_sources(strict=True)[name].decode()
    lines = source.splitlines()
    assert lines[:2] == ["#!/bin/sh", "# devs-git hook"]
    subprocess.run(["sh", "-n"], input=source, text=True, check=True)


def test_every_header_is_the_same_but_for_refusing_and_reading() -> None:
    def skeleton(source: bytes) -> str:
        header = source.decode().partition("\nfi\n")[0]
        header = re.sub(r"given=\$\(cat\)( \|\| exit)?; ", "", header).replace(
            'printf "${given:+%s\\n}" "$given" | ', ""
        )
        header = header.replace('\n  [ "$given" ] && exec <<GIVEN\n$given\nGIVEN', "")
        return re.sub(r'trap "exit \$\?" EXIT$', "exit", header)

    assert len({skeleton(source) for source in hook_sources(strict=True).values()}) == 1


@pytest.mark.parametrize("name", ["pre-push", "reference-transaction"])
def test_input_that_was_lost_on_the_way_is_not_taken_for_none(
    name: str, folder: Path, tmp_path: Path
) -> None:
    before(folder / name, "#!/bin/sh\n")
    (tmp_path / "cat").write_text("#!/bin/sh\nread line; kill -9 $$\n")
    (tmp_path / "cat").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([f"./{name}"], cwd=folder, env=env, input=b"l1\n", capture_output=True, check=False)
    assert (done.returncode != 0, done.stdout) == (True, b"")


@pytest.mark.parametrize("name", HOOKS)
def test_without_a_foreign_hook_the_header_starts_no_program(name: str, folder: Path) -> None:
    (folder / name).write_text((folder / name).read_text().replace(OURS, 'echo "ours $#:$2"\n'))
    assert call(folder / name, PATH="/nowhere") == (0, ["ours 2:two words"])


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize(
    "first_line", ["#!/bin/sh", "#!/usr/bin/env sh", "#!/bin/sh -e", "#!/usr/bin/env bash", ""]
)
def test_it_goes_first_with_arguments_and_input_and_its_status_is_told(
    name: str, first_line: str, folder: Path
) -> None:
    before(folder / name, f"{first_line}\n{SAY}")
    status, said = call(folder / name)
    old_name = (
        f"./{name}" if first_line.endswith("sh") and "bash" not in first_line else f"./{name}.before-devs"
    )
    theirs = [f"theirs {old_name} 2:two words", "l1", "l2"]
    ours = ["ours 2:two words", *(["l1", "l2"] if name in READING else [])]
    assert (status, said) == (7, theirs if name in REFUSING else theirs + ours)


@pytest.mark.parametrize("name", HOOKS)
def test_after_one_that_agrees_ours_runs_and_all_is_well(name: str, folder: Path) -> None:
    before(folder / name, "#!/bin/sh\nset -e\necho theirs\n")
    assert call(folder / name, "")[0] == 0
    assert call(folder / name, "")[1] == ["theirs", "ours 2:two words"]


@pytest.mark.parametrize("name", REFUSING)
def test_a_script_that_counts_on_set_e_still_refuses(name: str, folder: Path) -> None:
    before(folder / name, "#!/bin/sh\nset -e\nfalse\necho not reached\n")
    assert call(folder / name) == (1, [])


@pytest.mark.parametrize("name", HOOKS)
def test_one_that_is_not_executable_is_not_called_as_git_would_not(name: str, folder: Path) -> None:
    before(folder / name, f"#!/bin/sh\n{SAY}", 0o644)
    status, said = call(folder / name)
    assert (status, said[0]) == (0, "ours 2:two words")


@pytest.mark.parametrize("name", HOOKS)
def test_a_program_and_a_link_are_called(name: str, folder: Path) -> None:
    (folder / f"{name}.before-devs").symlink_to("/bin/echo")
    assert call(folder / name)[1][:2] == ["one two words", "ours 2:two words"]


@pytest.mark.parametrize("name", HOOKS)
def test_under_another_name_nothing_is_called_unless_a_framework_says_that_it_calls(
    name: str, folder: Path
) -> None:
    before(folder / name, f"#!/bin/sh\n{SAY}")
    for other in (".legacy", ".old"):
        (folder / (name + other)).write_bytes((folder / name).read_bytes())
        (folder / (name + other)).chmod(0o755)
        assert call(folder / (name + other))[1][0] == "ours 2:two words"
    for variable in ("PRE_COMMIT_RUNNING_LEGACY", "PREK_RUNNING_LEGACY"):
        assert call(folder / f"{name}.legacy", **{variable: "1"})[1][0] == f"theirs ./{name} 2:two words"
        assert call(folder / f"{name}.old", **{variable: "1"})[1][0] == "ours 2:two words"


def test_a_long_input_reaches_both(folder: Path) -> None:
    lines = [f"{n:040x} {n + 1:040x}" for n in range(5000)]
    before(folder / "post-rewrite", "#!/bin/sh\ncat\n")
    assert call(folder / "post-rewrite", "\n".join(lines) + "\n")[1] == [*lines, "ours 2:two words", *lines]


def test_one_that_does_not_read_its_input_takes_nothing_from_ours(folder: Path) -> None:
    before(folder / "post-rewrite", "#!/bin/sh\necho theirs\n")
    assert call(folder / "post-rewrite")[1] == ["theirs", "ours 2:two words", "l1", "l2"]
