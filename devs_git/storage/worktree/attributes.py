"""Attributes and settings that make a file's bytes differ from its blob: line endings, filters, ident, encodings.

Most repositories have none of them, and then a blob has the same bytes as the file. Where one of them may apply, we hash
the raw bytes, and save them in addition to what git would store.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from devs_git.storage.git import git_settings
from devs_git.storage.git.places import common_of
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import file_state
from devs_git.values import Final

# With these attributes a file may not round-trip. With `text=auto` it always does, because git looks at the blob.
_CONVERTING: Final = ("text", "crlf", "eol", "filter", "ident", "working-tree-encoding")
_OFF: Final = ("false", "0", "no", "off", "")
ATTRIBUTES: Final = ".gitattributes"
_VERSION_2: Final = b"DIRC\0\0\0\x02"
# The name and the first byte of the size of the extension of a split index.
_SPLIT: Final = b"link\0"
# The bytes of the head of an index, which ends with the number of entries; those of the shortest entry; those of one read.
_HEAD: Final = 12
_LEAST: Final = 64
PIECE: Final = 1 << 16
# How many files are compared at a time.
BATCH: Final = 200
_HARMLESS: Final = ("unspecified", "unset", "auto")


def may_convert(git: Git, top: Path, paths: Iterable[str], listed: Callable[[], bytes]) -> bool:
    """Whether an attribute or setting could make the bytes or modes on disk differ from the blobs, for one of `paths`.

    An attributes file among `paths` always counts. If the disk has no attributes file, git reads it from the index:
    `listed` returns the paths of the index (`ls-files -z`), and is called last, because it costs time.
    """
    found = settings(git)
    if _converts(found):
        return True
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name == ATTRIBUTES:
            return True
        folders.add(folder)
    seen: set[str] = set()
    for folder in folders:
        while folder not in seen:
            seen.add(folder)
            folder = os.path.dirname(folder)  # noqa: PTH120, PLW2901 - the loop goes up; strings, for there may be thousands
    seen.add("")
    if any(os.path.exists(f"{top}/{folder}/{ATTRIBUTES}") for folder in seen):  # noqa: PTH110 - as above
        return True
    if found.get("attr.tree") or git.environment().get("GIT_ATTR_SOURCE"):
        return True
    configured = found.get("core.attributesfile", "")
    if configured.startswith("%(") or any(path.exists() for path in _outside(git, configured)):
        return True
    return not seen.isdisjoint(_folders(listed()))


def list_index(git: Git, index: Path) -> bytes:
    """The paths of a private index for `may_convert`; none if the index names no attributes file.

    An index of version 2 has each path as it is, and no folder in place of its files. If it is a part of an index, or of
    another version, git has to look.
    """
    return b"" if _is_plain(index) else git.run("ls-files", "-z")


def _is_plain(index: Path) -> bool:
    """Whether an index is complete, has each path as it is, and names no attributes file.

    It is read in pieces, because a large one would fill new memory.
    """
    with contextlib.suppress(FileNotFoundError), index.open("rb", buffering=0) as stream:
        head, data = stream.read(_HEAD), b""
        # What follows the entries is not before this byte.
        at, after = len(head), _HEAD + _LEAST * int.from_bytes(head[-4:])
        while head.startswith(_VERSION_2) and (piece := stream.read(PIECE)):
            data, at = data[-len(ATTRIBUTES) :] + piece, at + len(piece)
            if ATTRIBUTES.encode() in data or (at > after and _SPLIT in data):
                return False
        return head.startswith(_VERSION_2)
    return False


def _folders(listed: bytes) -> Iterator[str]:
    """The folders of the attributes files in a list of paths. Most lists have none, so we do not split them into paths."""
    for before in listed.split(b"%s\0" % ATTRIBUTES.encode())[:-1]:
        folder, _, rest = before.rpartition(b"\0")[2].rpartition(b"/")
        if not rest:
            yield os.fsdecode(folder)


def settings(git: Git) -> dict[str, str]:
    """The relevant settings, their names in lower case; the last value of each counts. git is asked once per operation."""
    key = _key(git)
    if git.cache is not None and key in git.cache:
        return dict(git.cache[key])
    return note_settings(git, git.run("config", "-z", "--get-regexp", git_settings.OF_FILES, ok=(0, 1)))


def note_settings(git: Git, said: bytes) -> dict[str, str]:
    """The same of what git said to this question, also for later calls."""
    # A name without a value means true. `git config --type=path` would refuse it.
    found = {
        name: value if equals else "true"
        for name, equals, value in (line.partition("\n") for line in split_z(said))
    }
    if git.cache is not None:
        git.cache[_key(git)] = found
    return found


def _key(git: Git) -> str:
    return f"settings of {git.env.get('GIT_DIR')}"


def is_sparse(git: Git) -> bool:
    """Whether a sparse checkout may leave files out."""
    return settings(git).get("core.sparsecheckout", "false").lower() not in _OFF


def sees_modes(git: Git) -> bool:
    """Whether git compares the executable bits of files."""
    return settings(git).get("core.filemode", "true").lower() not in _OFF


def _converts(found: Mapping[str, str]) -> bool:
    """Whether a setting converts line endings of all files, ignores modes, or leaves files out of the checkout."""
    return (
        found.get("core.autocrlf", "false").lower() not in _OFF
        or found.get("core.filemode", "true").lower() in _OFF
        or found.get("core.sparsecheckout", "false").lower() not in _OFF
    )


def _outside(git: Git, configured: str) -> list[Path]:
    """The attributes files outside the working tree."""
    found = [common_of(git) / "info" / "attributes"]
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", "/"), ".config")  # noqa: PTH118
    found.append(Path(os.path.expanduser(configured)) if configured else Path(home) / "git/attributes")  # noqa: PTH111 - "~nobody" stays
    return [*found, Path("/etc/gitattributes")]


def quoted_lines(paths: Sequence[str]) -> bytes:
    """The input for `--stdin-paths`, one path per line. Paths with special characters are quoted as git expects."""
    return b"".join(_quoted(os.fsencode(path)) + b"\n" for path in paths)


def _quoted(path: bytes) -> bytes:
    # git would take a carriage return at the end of a path for a part of the line end.
    if b"\n" not in path and not path.startswith(b'"') and not path.endswith(b"\r"):
        return path
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return b'"' + escaped + b'"'


def raw_oids(git: Git, paths: Sequence[str]) -> list[str]:
    """The blob oids of the files' bytes on disk. Nothing is converted or written."""
    if not paths:
        return []
    return git.run("hash-object", "--no-filters", "--stdin-paths", stdin=quoted_lines(paths)).decode().split()


def clean_oids(git: Git, paths: Sequence[str]) -> dict[str, str]:
    """The blob oids that git would store for the files and links now. Nothing is written. A path whose filter fails is left out.

    The result depends on the index, too: on attributes files that are not on the disk, and for `text=auto` on the blob
    in the index. `hash-object` does not read the index, so we use it only where nothing is converted.
    """
    if not paths:
        return {}
    if not may_convert(git, git.where, paths, lambda: git.run("ls-files", "-z")):
        # `hash-object` would read what a link leads to.
        links = _link_oids(git, paths)
        files = [path for path in paths if path not in links]
        out = git.run("hash-object", "--stdin-paths", stdin=quoted_lines(files)) if files else b""
        return links | dict(zip(files, out.decode().split(), strict=True))
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        own = private(git, Path(folder) / "index")
        own.run("update-index", "-z", "--index-info", stdin=b"".join(_entries(git, paths)))
        return _entered(own, paths)


def _link_oids(git: Git, paths: Sequence[str]) -> dict[str, str]:
    """The oids of those paths that are links."""
    found = {path: os.fsencode(link.readlink()) for path in paths if (link := git.where / path).is_symlink()}
    return {path: file_state.blob_oid((target,), len(target)) for path, target in found.items()}


def _entries(git: Git, paths: Sequence[str]) -> Iterator[bytes]:
    """The index's entries of `paths` and of attributes files, without what git cached about the files."""
    wanted = {os.fsencode(path) for path in paths}
    for line in git.run("ls-files", "-s", "-z").split(b"\0"):
        path = line.partition(b"\t")[2]
        if path in wanted or path.rpartition(b"/")[2] == ATTRIBUTES.encode():
            yield line + b"\0"


def _entered(own: Git, paths: Sequence[str]) -> dict[str, str]:
    """Add the files to a private index that is used for nothing else, and return the oids that they get there."""
    words = ("update-index", "--add", "--replace", "--info-only", "-z", "--stdin")
    done: set[str] = set()
    for some in (paths, *([path] for path in paths)):
        try:
            own.run(*words, stdin=join_z(some))
        except GitFailed:
            continue
        done.update(some)
        if some is paths:
            break
    lines = (line.partition("\t") for line in split_z(own.run("ls-files", "-s", "-z")))
    return {path: head.split(" ")[1] for head, _, path in lines if path in done}


def paths_with_conversion(git: Git, paths: Sequence[str]) -> list[str]:
    """Those of `paths` that have an attribute with which git's own checkout may not round-trip."""
    if not paths:
        return []
    out = split_z(git.run("check-attr", "-z", "--stdin", *_CONVERTING, stdin=join_z(paths)))
    triples = zip(out[::3], out[1::3], out[2::3], strict=True)
    return list(dict.fromkeys(path for path, _name, value in triples if value not in _HARMLESS))


def find_inexact(
    git: Git, top: Path, dirty: Mapping[str, str], listed: Callable[[], bytes] | None = None
) -> frozenset[str]:
    """Find dirty files whose bytes are exactly what git's checkout writes for their blob.

    `dirty` maps paths to the index's blobs. `listed` is as for `may_convert`, if the caller has it.
    """
    if not dirty or not may_convert(git, top, dirty, listed or (lambda: git.run("ls-files", "-z"))):
        return frozenset()
    there = [path for path in paths_with_conversion(git, list(dirty)) if (top / path).is_file()]
    odd = [path for path in there if _odd(path)]
    plain = [path for path in there if not _odd(path)]
    found: set[str] = set()
    for some in (*(plain[at : at + BATCH] for at in range(0, len(plain), BATCH)), odd):
        blobs = {path: dirty[path] for path in some}
        written: Mapping[str, bytes | None] | None = (
            _checkout_bytes_together(git, blobs) if some is not odd else None
        )
        written = written or {path: checkout_bytes(git, oid, path) for path, oid in blobs.items()}
        found.update(path for path, data in written.items() if data == (top / path).read_bytes())
    return frozenset(found)


def _odd(path: str) -> bool:
    """Whether a path cannot be in a line of input: git reads lines, and skips white space before a path."""
    return path[0].isspace() or "\n" in path or path.endswith("\r")


def _checkout_bytes_together(git: Git, blobs: Mapping[str, str]) -> dict[str, bytes] | None:
    """The bytes that git's checkout writes for each path's blob, from one child process; None if it cannot do all of them.

    git prints the size of each blob before its filters run, so the size does not separate the contents: we separate them
    by a random mark. The first request names an index entry that does not exist. It makes git read the index, whose
    attributes files count if the disk has none.
    """
    mark = os.urandom(16).hex().encode()
    asked = b":0:.git\n" + b"".join(
        oid.encode() + b" " + os.fsencode(path) + b"\n" for path, oid in blobs.items()
    )
    try:
        out = git.run("cat-file", f"--batch={mark.decode()} %(objectname)", "--filters", stdin=asked)
    except GitFailed:
        return None
    parts = (b"\n" + out).split(b"\n" + mark + b" ")[1:]
    contents = [part.partition(b"\n")[2] for part in parts]
    if len(contents) != len(blobs):
        return None
    # git ends the last content with a line end.
    contents[-1] = contents[-1].removesuffix(b"\n")
    return dict(zip(blobs, contents, strict=True))


def checkout_bytes(git: Git, blob: str, path: str) -> bytes | None:
    """The bytes that git's checkout writes at `path` for a blob; None if git fails."""
    if not _odd(path):
        written = _checkout_bytes_together(git, {path: blob})
        return written[path] if written else None
    # With --path git reads the index only if the object is named as an entry of it.
    of_index = git.text("rev-parse", "--verify", "--quiet", f":0:{path}", ok=(0, 1)) == blob
    try:
        return git.run("cat-file", "--filters", f"--path={path}", f":0:{path}" if of_index else blob)
    except GitFailed:
        return None
