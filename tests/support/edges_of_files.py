"""Worktrees of which a moment is made, and what an agent may do to them afterwards: cases of files.

Each function of `FILES` leaves a worktree, and returns the disturbance that belongs to it. Sources: the tests of stepback,
rewind-ai and Cline, and the accidents that are named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.support.rewind_cases import Case, Executable, Link

Disturb = Callable[[], object]
Edge = Callable[[Case], Disturb]
FILES: list[Edge] = []
ODD = (
    *(b" a b ", b"-dash", b"--", b"\xff\xfe", b"new\nline", b'"quoted"', b"*", b":(top)x", b"tab\tx", b"#c"),
    *("日本語".encode(), "héllo wörld".encode(), "e\u0301".encode(), b"a" * 200, b"back\\slash", b"A", b".x"),
)


def edge(made: Edge) -> Edge:
    FILES.append(made)
    return made


@edge
def tracked_files_are_edited_and_deleted(case: Case) -> Disturb:
    case.commit({"a": b"1\n", "b": b"1\n", "c": b"1\n"})
    case.write({"a": b"2\n", "b": None})
    return lambda: case.write({"a": b"3\n", "b": b"back\n", "c": None})


@edge
def names_are_bytes_tracked_and_untracked(case: Case) -> Disturb:
    case.commit({b"t/" + name: b"1 " + name for name in ODD})
    case.write({b"t/" + name: b"2 " + name for name in ODD})
    case.write({b"u/" + name: b"u " + name for name in ODD})
    return lambda: case.write({b"t/" + name: None for name in ODD} | {b"u/" + name: b"x" for name in ODD})


@edge
def the_executable_bit_changes(case: Case) -> Disturb:
    case.commit({"on": b"x\n", "off": Executable(b"x\n")})
    case.write({"on": Executable(b"x\n"), "off": b"x\n", "new": Executable(b"x\n")})
    return lambda: case.write({"on": b"x\n", "off": Executable(b"x\n"), "new": b"x\n"})


@edge
def links_to_files_to_folders_and_to_nothing(case: Case) -> Disturb:
    outside = case.top.parent / "outside"
    outside.mkdir()
    (outside / "f").write_text("not ours\n")
    case.commit({"d/f": b"f\n", "file": Link(b"d/f"), "folder": Link(b"d"), "broken": Link(b"nowhere")})
    case.write({"folder": Link(b"elsewhere"), "new": Link(b"d"), "out": Link(os.fsencode(outside))})

    def disturb() -> None:
        # Whoever writes through a link must not write to what the link named.
        case.write({"file": b"a file now\n", "folder": b"x\n", "broken": None, "new": None, "out": b"x\n"})
        case.write({"d/f": None})
        assert (outside / "f").read_text() == "not ours\n"

    return disturb


@edge
def a_link_takes_the_place_of_a_folder(case: Case) -> Disturb:
    case.commit({"d/f": b"f\n", "e/f": b"e\n"})
    shutil.rmtree(case.path("d"))
    case.write({"d": Link(b"e")})

    def disturb() -> None:
        Path(case.path("d")).unlink()
        case.write({"d/f": b"other\n", "d/g": b"g\n"})

    return disturb


@edge
def a_file_becomes_a_folder_and_a_folder_a_file(case: Case) -> Disturb:
    case.commit({"x": b"x\n", "y/f": b"f\n"})
    case.write({"x": None, "y": b"file\n"})
    case.write({"x/new": b"n\n"})

    def disturb() -> None:
        shutil.rmtree(case.path("x"))
        Path(case.path("y")).unlink()
        case.write({"x": b"file again\n", "y/g/h": b"h\n", "u/v": b"v\n"})

    return disturb


@edge
def untracked_files_become_folders_and_folders_files(case: Case) -> Disturb:
    case.write({"x": b"x\n", "y/f": b"f\n", "y/g/h": b"h\n"})

    def disturb() -> None:
        shutil.rmtree(case.path("y"))
        case.write({"x": None, "y": b"file\n"})
        case.write({"x/deep/er": b"d\n"})

    return disturb


@edge
def new_files_come(case: Case) -> Disturb:
    case.write({"old": b"o\n"})
    return lambda: case.write({"new": b"n\n", "d/e/new": b"n\n", "d/l": Link(b"e"), "old2": b""})


@edge
def untracked_files_are_deleted_and_changed(case: Case) -> Disturb:
    case.write({"u": b"u\n", "d/e/f": b"f\n", "d/e/g": b"\0\xff" * 400, "kept2": b"k\n"})

    def disturb() -> None:
        shutil.rmtree(case.path("d"))
        case.write({"u": b"other\n"})

    return disturb


@edge
def ignored_files_are_left_alone(case: Case) -> Disturb:
    """cline/cline#14367: the ignore file itself is not committed, and a restore puts an older one back."""
    case.commit({".gitignore": b"*.log\n", "a": b"1\n"})
    case.write({"a": b"3\n", "run.log": b"l\n", "d/b.log": b"o\n", "d/y": b"y\n"})
    return lambda: case.write({".gitignore": b"other\n", "a": b"2\n", "d/.gitignore": b"y\n"})


@edge
def line_ends_are_not_those_of_the_blob(case: Case) -> Disturb:
    case.commit(
        {".gitattributes": b"*.txt text=auto\n*.crlf text eol=crlf\n", "a.txt": b"a\n", "b.crlf": b"b\n"}
    )
    case.write(
        {"a.txt": b"a\r\nb\r\n", "b.crlf": b"b\nno cr\n", "mixed.txt": b"1\r\n2\n", "new.crlf": b"n\r\n"}
    )
    case.git("config", "core.autocrlf", "true")
    case.write({"kept.txt": b"kept\r\nmore\n"})
    return lambda: case.write({"a.txt": b"x\n", "b.crlf": None, "mixed.txt": None, "kept.txt": b"y\r\n"})


@edge
def line_ends_differ_and_git_calls_the_file_unchanged(case: Case) -> Disturb:
    case.commit({"a.txt": b"1\n", "b.txt": b"1\n"})
    case.write({".gitattributes": b"*.txt text\n", "a.txt": b"1\r\n"})
    case.git("add", "--renormalize", ".")
    case.git("status")
    return lambda: case.write({"a.txt": b"1\n", "b.txt": b"1\r\n"})


@edge
def a_filter_cleans_and_smudges(case: Case) -> Disturb:
    case.git("config", "filter.case.clean", "tr A-Z a-z")
    case.git("config", "filter.case.smudge", "tr a-z A-Z")
    case.commit({".gitattributes": b"*.loud filter=case\n", "a.loud": b"ONE\n", "b.loud": b"TWO\n"})
    case.write({"a.loud": b"One More\n", "new.loud": b"MiXed\n"})
    case.write({"staged.loud": b"StaGed\n"})
    case.git("add", "staged.loud")
    return lambda: case.write({"a.loud": b"X\n", "b.loud": None, "new.loud": None, "staged.loud": b"y\n"})


@edge
def a_filter_stores_a_pointer(case: Case) -> Disturb:
    """As Git LFS does: the blob is a name, and the bytes are elsewhere."""
    store = case.top.parent / "store"
    store.mkdir()
    keep = f"f={store}/$$; cat >$f; n=$(sha1sum <$f | cut -c1-40); mv $f {store}/$n; echo pointer $n"
    case.git("config", "filter.far.clean", f"sh -c '{keep}'")
    case.git("config", "filter.far.smudge", f"sh -c 'read w n; cat {store}/$n'")
    case.commit({".gitattributes": b"*.bin filter=far -text\n", "a.bin": b"\0one\n"})
    case.write({"a.bin": b"\0two\n", "b.bin": b"\0\0new\n"})
    return lambda: case.write({"a.bin": b"x", "b.bin": None})


@edge
def ident_is_expanded(case: Case) -> Disturb:
    case.commit({".gitattributes": b"*.c ident\n", "a.c": b"/* $Id$ */\n", "b.c": b"/* $Id$ */\n"})
    case.write({"a.c": b"/* $Id: mine $ */ edited\n", "new.c": b"/* $Id: new $ */\n"})
    return lambda: case.write({"a.c": b"x\n", "b.c": b"/* $Id$ */ x\n", "new.c": None})


@edge
def an_encoding_of_the_working_tree(case: Case) -> Disturb:
    utf16 = "ä\n".encode("utf-16")
    case.commit({".gitattributes": b"*.u16 working-tree-encoding=UTF-16 text\n", "a.u16": utf16})
    case.write({"a.u16": "ö\n".encode("utf-16"), "b.u16": utf16})
    return lambda: case.write({"a.u16": utf16 * 2, "b.u16": None})


@edge
def empty_files(case: Case) -> Disturb:
    case.commit({"t": b"", "full": b"x\n"})
    case.write({"full": b"", "u": b"", "s": b""})
    case.git("add", "s")
    return lambda: case.write({"t": b"x\n", "full": None, "u": b"x\n", "s": None})


@edge
def large_and_binary_files(case: Case) -> Disturb:
    large = bytes(range(256)) * 20_000
    case.commit({"t.bin": large})
    case.write({"t.bin": large[::-1], "u.bin": large + b"end"})
    return lambda: case.write({"t.bin": b"corrupted", "u.bin": None})


@edge
def permissions_of_files_and_folders(case: Case) -> Disturb:
    case.commit({"secret": b"1\n", "d/readonly": b"1\n", "e/f": b"1\n"})
    case.write({"u/key": b"key\n", "u/v/w": b"w\n", "secret": b"2\n"})
    modes = {"secret": 0o600, "d/readonly": 0o444, "e": 0o700, "u/key": 0o400, "u": 0o750, "u/v": 0o711}
    for name, mode in modes.items():
        Path(case.path(name)).chmod(mode)

    def disturb() -> None:
        Path(case.path("u")).chmod(0o755)
        case.write({"secret": b"3\n", "d/readonly": b"3\n", "u/key": None, "u/v/w": None, "e/f": None})

    return disturb


@edge
def permissions_become_narrower_or_wider_afterwards(case: Case) -> Disturb:
    case.commit({"a": b"1\n", "b": b"1\n", "d/f": b"1\n", "tool": Executable(b"x\n")})
    case.write({"a": b"2\n", "u/v": b"u\n", "u/w": b"w\n"})

    def disturb() -> None:
        case.write({"a": b"3\n", "u/v": b"v\n"})
        for name, mode in {"a": 0o600, "b": 0o640, "d/f": 0o444, "tool": 0o700, "u/v": 0o400}.items():
            Path(case.path(name)).chmod(mode)
        Path(case.path("d")).chmod(0o700)
        Path(case.path("u/w")).chmod(0o666)

    return disturb


@edge
def git_does_not_look_at_modes(case: Case) -> Disturb:
    case.git("config", "core.fileMode", "false")
    case.commit({"tool": b"1\n"})
    Path(case.path("tool")).chmod(0o755)
    case.write({"u": Executable(b"u\n")})
    return lambda: case.write({"tool": b"2\n", "u": None})


@edge
def paths_are_deep(case: Case) -> Disturb:
    deep = "/".join(f"d{at}" for at in range(40))
    case.commit({f"{deep}/t": b"1\n"})
    case.write({f"{deep}/t": b"2\n", f"{deep}/u/v": b"u\n"})
    return lambda: shutil.rmtree(case.path("d0"))
