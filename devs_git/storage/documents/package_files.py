"""The files that are shipped with the package: git hooks and JSON Schemas.

A wheel has them inside the package (`_hooks`, `_schemas`), a checkout at its top. The folders in the package come first:
an editable install may leave stale copies elsewhere, but never in the package.
"""

from __future__ import annotations

from pathlib import Path

from devs_git.values import Literal

PACKAGE = Path(__file__).resolve().parent.parent.parent


def folder(kind: Literal["hooks", "schemas"]) -> Path:
    """The folder of the shipped `kind`."""
    inside = PACKAGE / f"_{kind}"
    return inside if inside.is_dir() else PACKAGE.parent / kind


def read(kind: Literal["hooks", "schemas"], name: str) -> bytes:
    """The bytes of one shipped file. FileNotFoundError if it is not shipped, which is a bug."""
    return (folder(kind) / name).read_bytes()
