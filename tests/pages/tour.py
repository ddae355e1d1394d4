"""docs/tour.md: what `devs-git demo` prints, under a few lines of its own that stay."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "tour.md"
BLOCK: Final = re.compile(r"(?<=<!-- transcript -->\n```console\n).*?(?=```\n)", re.DOTALL)


def demo_output() -> str:
    """What the demo prints; CalledProcessError where it fails."""
    command = [sys.executable, "-m", "devs_git", "demo"]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout


def transcript() -> str:
    """What the page says that it prints."""
    found = BLOCK.search(PAGE.read_text(encoding="utf-8"))
    assert found, "docs/tour.md has no transcript block"
    return found[0]


def page() -> str:
    """The page with what the demo prints today."""
    return BLOCK.sub(lambda _match: demo_output(), PAGE.read_text(encoding="utf-8"))
