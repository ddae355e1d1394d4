"""docs/tour.md: the output of `devs-git demo`, below some lines written by hand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "tour.md"
BLOCK: Final = re.compile(r"(?<=<!-- transcript -->\n```console\n).*?(?=```\n)", re.DOTALL)


def demo_output() -> str:
    """The output of the demo; CalledProcessError if it fails."""
    command = [sys.executable, "-m", "devs_git", "demo"]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout


def transcript() -> str:
    """The output of the demo that is in the page."""
    found = BLOCK.search(PAGE.read_text(encoding="utf-8"))
    assert found, "docs/tour.md has no transcript block"
    return found[0]


def page() -> str:
    """The page with the demo's current output."""
    return BLOCK.sub(lambda _match: demo_output(), PAGE.read_text(encoding="utf-8"))
