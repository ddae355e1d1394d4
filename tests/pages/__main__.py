"""Writes the pages that are made of tables in the code: `make pages` runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.pages import commands, picture, troubleshooting

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGES: Final = {"commands.md": commands.page, "troubleshooting.md": troubleshooting.page}


# The demo is run for it, which takes seconds.
PICTURE: Final = "demo.svg"


def write(folder: Path) -> None:
    """All of them into `folder`."""
    for name, make in {**PAGES, PICTURE: picture.page}.items():
        (folder / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    write(DOCS)
