"""`python -m tests.oldest`: the oldest version that pyproject.toml allows of each library, as constraints of pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def constraints(project: Path = PROJECT) -> list[str]:
    """`name==version` of each library that devs-git or one of its extras needs.

    ValueError if one has no lower bound.
    """
    given = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    extras = given["optional-dependencies"].values()
    return [_oldest(text) for texts in (given["dependencies"], *extras) for text in texts]


def _oldest(requirement: str) -> str:
    found = re.match(r"([\w.-]+)>=([\w.]+)", requirement)
    if not found:
        raise ValueError(f"{requirement} has no lower bound")
    return "==".join(found.groups())


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in constraints())
