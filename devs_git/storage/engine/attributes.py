"""Where a file's bytes and its blob may differ: line endings, filters, ident, encodings.

Most repositories have none of it, and then a blob *is* the file. Where any attributes file or setting may be in
play, raw bytes are hashed and kept beside what git would store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from devs_git.storage.git_program import Git, GitFailed, join_z, split_z

# Attributes with which a file may fail to round-trip; `text=auto` never does, git looks at the blob then.
_CONVERTING: Final = ("text", "crlf", "eol", "filter", "ident", "working-tree-encoding")
_HARMLESS: Final = ("unspecified", "unset", "auto")


def in_play(git: Git, top: Path, paths: Iterable[str]) -> bool:
    """Whether any attribute or setting could make bytes on disk differ from blobs for one of `paths`."""
    settings = _settings(git)
    if settings.get("core.autocrlf", "").lower() in ("true", "input", "1", "yes", "on"):
        return True
    folders = {os.path.dirname(path) for path in paths}  # noqa: PTH120 - a hundred thousand of them: strings, not Paths
    seen: set[str] = set()
    for folder in folders:
        while folder not in seen:
            seen.add(folder)
            folder = os.path.dirname(folder)  # noqa: PTH120, PLW2901 - walking up
    if any((top / folder / ".gitattributes").exists() for folder in seen | {""}):
        return True
    return any(path.exists() for path in _outside(git, settings.get("core.attributesfile", "")))


def _settings(git: Git) -> dict[str, str]:
    """The settings that decide, in lower case names; the last value of each counts."""
    pattern = r"^core\.(autocrlf|attributesfile)$"
    lines = split_z(git.run("config", "--type=path", "-z", "--get-regexp", pattern, ok=(0, 1)))
    return {name: value for name, _, value in (line.partition("\n") for line in lines)}


def _outside(git: Git, configured: str) -> list[Path]:
    """Attributes files that are not in the working tree."""
    found = [Path(git.text("rev-parse", "--path-format=absolute", "--git-path", "info/attributes"))]
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", "/"), ".config")  # noqa: PTH118
    found.append(Path(configured) if configured else Path(home) / "git/attributes")
    return [*found, Path("/etc/gitattributes")]


def quoted_lines(paths: Sequence[str]) -> bytes:
    """Paths for `--stdin-paths`, which reads lines: those that need it are quoted as git reads them back."""
    return b"".join(_quoted(os.fsencode(path)) + b"\n" for path in paths)


def _quoted(path: bytes) -> bytes:
    if b"\n" not in path and not path.startswith(b'"'):
        return path
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def raw_oids(git: Git, paths: Sequence[str]) -> list[str]:
    """Blob oids of the files' bytes as they are on disk, nothing converted and nothing written."""
    if not paths:
        return []
    return git.run("hash-object", "--no-filters", "--stdin-paths", stdin=quoted_lines(paths)).decode().split()


def clean_oids(git: Git, paths: Sequence[str]) -> list[str]:
    """Blob oids that git would store for the files now, nothing written."""
    if not paths:
        return []
    return git.run("hash-object", "--stdin-paths", stdin=quoted_lines(paths)).decode().split()


def converting(git: Git, paths: Sequence[str]) -> list[str]:
    """Those of `paths` with an attribute under which git's own checkout may not round-trip."""
    if not paths:
        return []
    out = split_z(git.run("check-attr", "-z", "--stdin", *_CONVERTING, stdin=join_z(paths)))
    triples = zip(out[::3], out[1::3], out[2::3], strict=True)
    return list(dict.fromkeys(path for path, _name, value in triples if value not in _HARMLESS))


def inexact(git: Git, top: Path, dirty: Sequence[str]) -> frozenset[str]:
    """Dirty files whose bytes are exactly what git's checkout writes for their index entry."""
    if not dirty or not in_play(git, top, dirty):
        return frozenset()
    there = [path for path in converting(git, list(dirty)) if (top / path).is_file()]
    return frozenset(path for path in there if smudged(git, f":0:{path}", path) == (top / path).read_bytes())


def smudged(git: Git, blob: str, path: str) -> bytes | None:
    """What git's checkout writes at `path` for a blob, or None where it cannot say."""
    try:
        return git.run("cat-file", "--filters", f"--path={path}", blob)
    except GitFailed:
        return None
