"""CONTRIBUTING.md and ARCHITECTURE.md name files and folders that are there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent
PAGES = ("CONTRIBUTING.md", "ARCHITECTURE.md")
FLOORS = tuple(f"{folder.name}/" for folder in (TOP / "devs_git").iterdir() if folder.is_dir())
FOLDERS = ("devs_git/", "tests/", "hooks/", "schemas/", "docs/", "bench/", "man/", ".ci/", ".github/")
ENDINGS = (".py", ".md", ".sh", ".toml")


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


@pytest.mark.parametrize("page", PAGES)
def test_each_path_that_a_page_names_is_there(page: str) -> None:
    assert missing((TOP / page).read_text(encoding="utf-8"), known()) == []


def test_a_path_that_is_gone_is_found() -> None:
    there = {"devs_git/domain/verbs.py", "devs_git/domain/", "devs_git/", "tests/test_a.py", "tests/"}
    good = "`devs_git/domain/verbs.py` `devs_git/domain` `domain/verbs.py` `verbs.py` `refs/devs/x` `a b.py` `tests/`"
    assert missing(good, there) == []
    bad = ["devs_git/gone.py", "domain/gone.py", "gone.py", "tests/gone/", "hooks/gone"]
    assert missing(" ".join(f"`{word}`" for word in bad), there) == bad
    assert missing("```\n`gone.py`\n```", there) == []
