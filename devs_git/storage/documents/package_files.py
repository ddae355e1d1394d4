"""The files that travel with the package: git hooks and JSON Schemas.

In a wheel they sit inside the package (`_hooks`, `_schemas`); a checkout has them at its top. The package is asked
first: an editable install may leave stale copies elsewhere, but never beside this module.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

PACKAGE = Path(__file__).resolve().parent.parent.parent


def folder(kind: Literal["hooks", "schemas"]) -> Path:
    """The folder of the shipped `kind`."""
    inside = PACKAGE / f"_{kind}"
    return inside if inside.is_dir() else PACKAGE.parent / kind


def read(kind: Literal["hooks", "schemas"], name: str) -> bytes:
    """The bytes of one shipped file; FileNotFoundError where it is not shipped (a bug of ours)."""
    return (folder(kind) / name).read_bytes()
