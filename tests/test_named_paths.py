"""CONTRIBUTING.md, ARCHITECTURE.md, the decisions and the pages of hooks/ and schemas/ name files, folders, functions and classes that are there."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.ledger.events import EFFECTS

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent
PAGES = (
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "hooks/README.md",
    *(f"docs/decisions/{one.name}" for one in (TOP / "docs/decisions").glob("*.md")),
)
# It names types of events, which look like members of modules.
OF_EVENTS = ("schemas/README.md",)
FLOORS = tuple(f"{folder.name}/" for folder in (TOP / "devs_git").iterdir() if folder.is_dir())
FOLDERS = ("devs_git/", "tests/", "hooks/", "schemas/", "docs/", "bench/", "man/", ".ci/", ".github/")
ENDINGS = (".py", ".md", ".sh", ".toml")
# How names of files end that a page may write and that are not in this repository.
FILES = (*ENDINGS, ".yaml", ".yml", ".json", ".db", ".sig", ".awk", ".lock", ".svg")


@functools.cache
def known() -> set[str]:
    """Every file and folder that git knows here, or that is new, by its path."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout
    files = {name for name in listed.split("\0") if name and (TOP / name).exists()}
    return files | {f"{parent}/" for name in files for parent in Path(name).parents}


def missing(text: str, there: set[str]) -> list[str]:
    """The words in backticks that look like a path of this repository and are none."""
    names = {path.rstrip("/").rpartition("/")[2] for path in there}
    words = dict.fromkeys(re.findall(r"`([^`\s]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))
    return [word for word in words if not _is_there(word, there, names)]


def _is_there(word: str, there: set[str], names: set[str]) -> bool:
    if not re.fullmatch(r"[\w./*-]+", word):
        return True
    if "*" in word:
        return not word.startswith(FOLDERS) or next(TOP.glob(word), None) is not None
    if word.startswith(FOLDERS):
        return word in there or f"{word}/" in there
    if word.startswith(FLOORS):
        return f"devs_git/{word}" in there or f"devs_git/{word}/" in there
    return "/" in word or not word.endswith(ENDINGS) or word in names


# The words of a client, which its row has.
EVENTS: Final = {event for client in CLIENTS.values() for event in client.events}


@functools.cache
def defined() -> dict[str, set[str]]:
    """What each module of the package defines, functions in classes and members too, by the module's name."""
    found: dict[str, set[str]] = {}
    for file in (TOP / "devs_git").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        names = {node.name for node in nodes if isinstance(node, kinds)}
        names |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        found.setdefault(file.stem, set()).update(names)
    return found


def unknown(text: str, modules: dict[str, set[str]]) -> list[str]:
    """The words in backticks that look like `module.name` of the package, or like a class, and are none."""
    words = dict.fromkeys(re.findall(r"`([^`\s]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))
    everything = set().union(*modules.values())
    return [word for word in words if not _is_defined(word, modules, everything)]


def _is_defined(word: str, modules: dict[str, set[str]], everything: set[str]) -> bool:
    if re.fullmatch(r"(?:[A-Z][a-z]+){2,}", word):
        return word in everything or word in EVENTS
    found = re.fullmatch(r"(?:[\w/]+/)?(\w+)\.([A-Za-z]\w+)(?:\(\))?", word)
    if not found or found[1] not in modules or f".{found[2]}" in FILES or word in EFFECTS:
        return True
    return found[2] in modules[found[1]]


@pytest.mark.parametrize("page", PAGES)
def test_each_function_and_class_that_a_page_names_is_there(page: str) -> None:
    assert unknown((TOP / page).read_text(encoding="utf-8"), defined()) == []


def test_a_function_that_is_gone_is_found() -> None:
    modules = {"workspace": {"Workspace", "append"}, "policy": {"Policy"}}
    good = "`workspace.append` `Workspace` `policy.yaml` `core.hooksPath` `domain/policy.Policy`"
    assert unknown(good, modules) == []
    bad = ["workspace.gone", "OldName", "domain/policy.Gone"]
    assert unknown(" ".join(f"`{word}`" for word in bad), modules) == bad


@pytest.mark.parametrize("page", [*PAGES, *OF_EVENTS])
def test_each_path_that_a_page_names_is_there(page: str) -> None:
    assert missing((TOP / page).read_text(encoding="utf-8"), known()) == []


def test_a_path_that_is_gone_is_found() -> None:
    there = {"devs_git/domain/verbs.py", "devs_git/domain/", "devs_git/", "tests/test_a.py", "tests/"}
    good = "`devs_git/domain/verbs.py` `devs_git/domain` `domain/verbs.py` `verbs.py` `refs/devs/x` `a b.py` `tests/`"
    assert missing(good, there) == []
    bad = ["devs_git/gone.py", "domain/gone.py", "gone.py", "tests/gone/", "hooks/gone"]
    assert missing(" ".join(f"`{word}`" for word in bad), there) == bad
    assert missing("```\n`gone.py`\n```", there) == []
