"""Actions of people and agents on files and on the index, for the state machine of `test_model`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support.killed_moves import SMUDGE
from tests.support.rewind_cases import Case, Link, begin

NAMES = (
    b"a",
    b"b.txt",
    b"d",
    b"d/f",
    b"d/g",
    b"d/e/deep",
    b"x/y",
    b"x",
    b"new\nline",
    b"\"quotes'",
    b"\xff\xfe",
    b"-dash",
    b"x.loud",
    b"d/n.loud",
)
CROWDED = tuple(name for name in NAMES if name[:1] in b"dx")
ATTRIBUTES = (
    b"",
    b"*.loud filter=case\n",
    b"* text=auto eol=crlf\n",
    b"*.loud filter=case\nd/** text eol=crlf\na ident\n",
    b"x* filter=case\n",
)
RULES = (b".gitattributes", b".gitattributes", b"d/.gitattributes")
GONE = ("", "", "deleted", "link")
FOLDERS = (b"d", b"x", b"n", b"d/e")
MODES = (0o600, 0o640, 0o644, 0o755, 0o700, 0o444)
MASKS = (0o022, 0o077, 0o000)
IGNORES = (b"", b"b.txt\n", b"d/\n", b"/x\n*.txt\n", b"*\n", b"!b.txt\nd/e\n")
CHANGES = (
    *("edit", "edit", "edit", "link", "remove", "flip_mode", "stage", "stage", "intend", "unstage"),
    *("crlf", "permit", "permit", "nest"),
)


def first_repository(base: Path) -> Path:
    """The repository with which each run begins. It is made once below `base`; `remote.git` beside it is its remote."""
    mould = base / "mould"
    if not mould.exists():
        made = begin(mould)
        made.git("config", "filter.case.clean", "tr A-Z a-z")
        made.git("config", "filter.case.smudge", SMUDGE)
        made.stage("0", {".gitattributes": b"*.loud filter=case\n"})
        made.stage("1", {"a": b"a1\n", "d/f": b"f1\n", "x": b"x1\n", b"\xff\xfe": b"1\n", "z.loud": b"ONE\n"})
        made.stage(
            "2",
            {
                "a": b"a2\n",
                "d/f": None,
                "d": b"d2\n",
                "b.txt": b"b2\n",
                b"new\nline": b"n2\n",
                "z.loud": b"TWO\n",
            },
        )
        made.stage(
            "3", {"x": None, "z.loud": b"THREE\n", "x/y": b"y3\n", "b.txt": b"b3\n", b"\xff\xfe": None}
        )
        subprocess.run(["git", "clone", "-q", "--bare", mould, base / "remote.git"], check=True)
        subprocess.run(["git", "remote", "add", "origin", "../remote.git"], cwd=mould, check=True)
    return mould


class People:
    """A person or an agent in a repository. Each method is one action at one path."""

    case: Case
    places: tuple[bytes, ...]
    counter: Iterator[int]

    def place(self, name: bytes) -> bytes:
        return self.places[NAMES.index(name) % len(self.places)]

    def content(self) -> bytes:
        return b"content %d\n" % next(self.counter)

    def run_git(self, *args: str | bytes) -> None:
        """Run git, which may refuse."""
        self.case.git_bytes(*args, ok=(0, 1, 128, 255))

    def edit(self, name: bytes) -> None:
        self._clear_above(name)
        self.case.write({name: self.content()})

    def link(self, name: bytes) -> None:
        if b"160000 " in self.case.git_bytes("ls-files", "-s", "--", name):
            return  # git itself cannot say its status where a submodule's path is a link
        self._clear_above(name)
        self.case.write({name: Link(b"to %d" % next(self.counter))})

    def remove(self, name: bytes) -> None:
        path = Path(self.case.path(name))
        if path.is_symlink() or path.is_file():
            path.unlink()

    def flip_mode(self, name: bytes) -> None:
        path = Path(self.case.path(name))
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)

    def permit(self, name: bytes) -> None:
        path = Path(self.case.path(name))
        if path.is_file() and not path.is_symlink():
            path.chmod(MODES[next(self.counter) % len(MODES)])

    def crlf(self, name: bytes) -> None:
        self._clear_above(name)
        self.case.write({name: b"Line %d\r\nmixed\n" % next(self.counter)})

    def nest(self, name: bytes) -> None:
        """Make a nested repository. Files of the folder that are tracked stay in the index."""
        folder = FOLDERS[NAMES.index(name) % len(FOLDERS)]
        path = Path(self.case.path(folder))
        self._clear_above(folder + b"/x")
        path.mkdir(parents=True, exist_ok=True)
        words = "git init -q && git add -f . && git commit -q --allow-empty -m nested"
        subprocess.run(["sh", "-c", words], cwd=path, check=False, capture_output=True)
        self.run_git("add", "-f", "--", folder)

    def stage(self, name: bytes) -> None:
        self.run_git("add", "-f", "--", name)

    def intend(self, name: bytes) -> None:
        self.run_git("add", "-f", "-N", "--", name)

    def unstage(self, name: bytes) -> None:
        self.run_git("rm", "-q", "-r", "-f", "--cached", "--", name)

    def _clear_above(self, name: bytes) -> None:
        for above in Path(os.fsdecode(name)).parents:
            path = self.case.top / above
            if path.is_symlink() or path.is_file():
                path.unlink()

    def rewrite(self, place: bytes, text: bytes, *, written: bool, gone: str) -> None:
        """Commit other attributes, let git write its files under them, and delete the file with the attributes, or make it a link."""
        self._clear_above(place)
        self.case.write({place: text})
        self.run_git("add", "-f", "--", place)
        edited = self.case.git_bytes("diff", "--name-only", "-z").split(b"\0")
        for name in self.case.git_bytes("ls-files", "-z").split(b"\0") if written else ():
            if name and name not in edited and Path(self.case.path(name)).is_file():
                Path(self.case.path(name)).unlink()
                self.run_git("checkout", "--", name)
        if gone:
            self.case.write({place: Link(b"rules") if gone == "link" else None})
