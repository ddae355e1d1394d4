"""Where a repository's parts are, as git answers it from a folder and the caller's environment."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.ids import is_oid
from devs_git.errors import DevsError, invalid
from devs_git.storage.git import discovery, time_limit
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed
from devs_git.values import immutable

_SECONDS: Final = 10.0  # that git may take for what it answers in milliseconds

# Of what we keep in the git directory these are folders; all else is a file.
_FOLDERS: Final = frozenset(
    f"devs{name}"
    for name in (
        "",
        "/op",
        "/raw",
        "/journal",
        "/spool",
        "/spool/rejected",
        "/hooks",
        "/open",
        "/newest",
        "/saved",
    )
)
_ODD: Final = "neither a file nor a folder"


@immutable
class Places:
    """Folders of one worktree of one repository; `top` is None in a bare repository."""

    git_dir: Path
    common: Path
    top: Path | None

    @property
    def worktree_id(self) -> str:
        """`.` for the main worktree, else the name that git gave the linked one."""
        return "." if self.git_dir == self.common else self.git_dir.name

    @property
    def shared(self) -> Path:
        """Our folder that all worktrees share."""
        return self.common / "devs"

    @property
    def own(self) -> Path:
        """Our folder of this worktree."""
        return self.git_dir / "devs"

    @property
    def operations(self) -> Path:
        """Where each operation of this worktree has its private files, in a folder of its own."""
        return self.own / "op"

    @property
    def active_task(self) -> Path:
        return self.own / "task"

    @property
    def tas_note(self) -> Path:
        """Notes which file the TAS is, behind the oid of the policy that says so."""
        return self.shared / "tas-path"

    @property
    def has_had_policy(self) -> bool:
        """Whether this clone has had a ledger with a policy, as `init` noted with the path of the TAS.

        False where nothing is noted, which also says nothing.
        """
        try:
            with self.tas_note.open("rb") as note:
                noted = note.read(41)
        except OSError:
            return False
        return noted.endswith(b" ") and is_oid(noted[:-1].decode("ascii", "replace"))

    @property
    def lock(self) -> Path:
        """Held by whoever moves this worktree's files, index or branch."""
        return self.own / "lock"

    @property
    def spool(self) -> Path:
        """Where the agent hooks leave what they captured."""
        return self.shared / "spool"

    @property
    def has_spooled(self) -> bool:
        """Whether something lies there; asked before anything is imported that could read it."""
        try:
            with os.scandir(self.spool) as entries:
                return any(entry.is_file() for entry in entries)
        except OSError:
            return False

    @property
    def lacks_view(self) -> bool:
        """Whether a view `.devs/` is to be drawn here: it was taken away, or this is a new worktree of a repository that has one."""
        if self.top is None:
            return False
        if (self.own / "view").exists():
            return not os.path.lexists(self.top / ".devs")
        return (self.shared / "view").exists()

    @property
    def journals(self) -> Path:
        return self.shared / "journal"


def common_of(git: Git) -> Path:
    """The common git directory of a git that has a GIT_DIR, found as git finds it."""
    environment = git.environment()
    git_dir = git.where / environment["GIT_DIR"]
    if "GIT_COMMON_DIR" in environment:
        return git.where / environment["GIT_COMMON_DIR"]
    try:
        return git_dir / os.fsdecode((git_dir / "commondir").read_bytes()).rstrip("\n")
    except FileNotFoundError:
        return git_dir


def worktrees(git: Git, common: Path) -> tuple[Places, ...]:
    """The places of every worktree of the repository that still stands; none for a bare place.

    A folder that was deleted and belongs to another repository by now is none of ours.
    """
    out = git.run("worktree", "list", "--porcelain", "-z")
    folders = [Path(os.fsdecode(line[9:])) for line in out.split(b"\0") if line.startswith(b"worktree ")]
    found = (_at(folder) for folder in folders if folder.is_dir())
    ours = tuple(places for places in found if places and places.top and places.common == common)
    for places in ours:
        _require_folders(places)
    return ours


def _at(folder: Path) -> Places | None:
    try:
        return _found(folder, REPOSITORY_VARIABLES)
    except DevsError:
        return None


# What git says where it looked and found none, or where it is called in a folder that was deleted.
_NO_PLACE = ("not a git repository", "current working directory")
_KNOWN: dict[Path, tuple[tuple[int, ...], Places]] = {}


def locate_cached(where: Path) -> Places:
    """`locate`, remembered while what git would look at is the same: for a process that is asked again and again."""
    mark = _mark(where)
    known = _KNOWN.get(where)
    if known is None or not mark or known[0] != mark:
        found = locate(where)
        if mark:
            _KNOWN[where] = (mark, found)
        return found
    _require_folders(known[1])
    return known[1]


def _mark(where: Path) -> tuple[int, ...]:
    """What differs when another repository stands here, or its configuration has changed; nothing where git is told otherwise."""
    git = where / ".git"
    if any(name in os.environ for name in REPOSITORY_VARIABLES):
        return ()
    try:
        place, settings = git.stat(), (git / "config").stat()
    except OSError:  # a linked worktree, or none at all
        return ()
    return place.st_dev, place.st_ino, settings.st_ino, settings.st_mtime_ns, settings.st_size


def locate(where: Path, *, unset: tuple[str, ...] = ()) -> Places:
    """The places of the repository around `where`; NOT_A_REPOSITORY where there is none."""
    places = _found(where, unset)
    _require_folders(places)
    return places


def _found(where: Path, unset: tuple[str, ...]) -> Places:
    top = discovery.top_of(where, unset=unset)
    return Places(top / ".git", top / ".git", top) if top else _asked_in_time(Git(where, unset=unset))


def _asked_in_time(git: Git) -> Places:
    try:
        with time_limit.within(_SECONDS):
            return _asked(git)
    except GitTimedOut as error:
        text = f"git did not find this repository within {_SECONDS:g} seconds."
        raise DevsError("BUSY", text, hint="Its disk may be slow or missing. Try again.") from error


def _asked(git: Git) -> Places:
    asked = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
    # Where there is no working tree git answers the first two and then refuses: one child in either case.
    status, answer = git.attempt(*asked, "--show-toplevel", ok=(0, 128))
    if not answer:
        try:
            answer = git.run(*asked)
        except GitFailed as error:
            if error.status < 0:  # killed: nobody knows
                raise
            raise _no_repository(error) from error
    found = os.fsdecode(answer).split("\n")[:-1]
    if len(found) != (3 if status == 0 else 2):  # a folder's name has a line end: ask one by one
        questions = [*asked[2:], "--show-toplevel"][: 3 if status == 0 else 2]
        found = [os.fsdecode(git.run(*asked[:2], question))[:-1] for question in questions]
    return Places(Path(found[0]), Path(found[1]), Path(found[2]) if status == 0 else None)


def _require_folders(places: Places) -> None:
    """Refuses where our folder or something in it is a link or of another kind than ours: we would write and remove elsewhere."""
    for folder, asked in {places.own: "--git-dir", places.shared: "--git-common-dir"}.items():
        for name, kind in _strange(folder):
            from shlex import quote  # for a refusal alone

            ours = "folder" if name in _FOLDERS else "file"
            raise invalid(
                "repository",
                f"In the git directory, {name} is {kind}, but devs-git needs a {ours} there.",
                hint=f'Check what it is, then remove it: rm "$(git rev-parse {asked})"/{quote(name)}',
            )


def _strange(folder: Path) -> Iterator[tuple[str, str]]:
    """What stands at our folder and in it that we never made: its name from the git directory on, and what it is."""
    found = _other_than_folder(folder)
    if found:
        yield "devs", found
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:  # the folder tells kinds with the names: nothing is looked at
            name = f"devs/{entry.name}"
            if entry.is_symlink():
                yield name, "a link"
            elif entry.is_file(follow_symlinks=False):
                if name in _FOLDERS:
                    yield name, "a file"
            elif not entry.is_dir(follow_symlinks=False):
                yield name, _ODD
    if found := _other_than_folder(folder / "spool" / "rejected"):
        yield "devs/spool/rejected", found


def _other_than_folder(place: Path) -> str:
    """What stands there in place of a folder; '' for a folder, and for nothing."""
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return ""
    kinds = {stat.S_IFDIR: "", stat.S_IFLNK: "a link", stat.S_IFREG: "a file"}
    return kinds.get(stat.S_IFMT(mode), _ODD)


def _no_repository(error: GitFailed) -> DevsError:
    if "dubious ownership" in error.stderr:
        return DevsError(
            "NOT_A_REPOSITORY",
            "git does not trust this repository: it belongs to another user.",
            hint="If you trust it: git config --global --add safe.directory <its path>",
        )
    if "unknown repository extension" in error.stderr or "unknown value for" in error.stderr:
        return invalid(
            "repository",
            "This repository has a format that this git cannot read (such as reftable).",
            hint="devs-git needs refs in files. With git 2.46 or newer, run: git refs migrate --ref-format=files",
        )
    if not any(words in error.stderr for words in _NO_PLACE):
        said = error.stderr.partition("\n")[0].removeprefix("fatal: ")
        return DevsError(
            "NOT_A_REPOSITORY", f"git cannot read this repository: {said}.", hint="Fix that first."
        )
    return DevsError(
        "NOT_A_REPOSITORY", "This is not a git repository.", hint="Run git init, or change to a repository."
    )
