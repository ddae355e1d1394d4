"""The transcript of docs/tour.md is what `devs-git demo` prints. Refresh it with: python tests/readme.py"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

README: Final = Path(__file__).parent.parent / "README.md"
TOUR: Final = README.parent / "docs" / "tour.md"
BLOCK: Final = re.compile(r"(?<=<!-- transcript -->\n```console\n).*?(?=```\n)", re.DOTALL)


def demo() -> str:
    """What the demo prints; it must end well."""
    command = [sys.executable, "-m", "devs_git", "demo"]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout


def shown() -> str:
    """What the tour says that it prints."""
    found = BLOCK.search(TOUR.read_text(encoding="utf-8"))
    assert found, "docs/tour.md has no transcript block"
    return found[0]


if __name__ == "__main__":
    text = TOUR.read_text(encoding="utf-8")
    TOUR.write_text(BLOCK.sub(lambda _match: demo(), text), encoding="utf-8")
