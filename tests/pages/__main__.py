"""Writes the pages that are made of tables in the code: `make pages` runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.pages import commands, picture, tour, troubleshooting

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGES: Final = {"commands.md": commands.page, "troubleshooting.md": troubleshooting.page}


# Each of them runs the demo, which takes seconds.
OF_THE_DEMO: Final = {"demo.svg": picture.page, "tour.md": tour.page}


def write(folder: Path) -> None:
    """Write all pages into `folder`."""
    for name, make in {**PAGES, **OF_THE_DEMO}.items():
        (folder / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    write(DOCS)
