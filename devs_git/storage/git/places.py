"""Where the parts of a repository are, as git finds them from a folder and the environment."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from devs_git.domain.ledger.ids import is_oid
from devs_git.errors import DevsError, invalid
from devs_git.storage.git import children
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed
from devs_git.values import Final, immutable

# The time limit for a question that git answers in milliseconds.
_SECONDS: Final = 10.0

# Our folders in the git directory. All other entries of ours are files.
_BELOW: Final = (
    *("op", "raw", "journal", "spool", "spool/rejected"),
    *("hooks", "open", "newest", "saved", "moments", "forks", "turns"),
)
_FOLDERS: Final = frozenset(("devs", "devs/moments.git", *(f"devs/{name}" for name in _BELOW)))
_ODD: Final = "neither a file nor a folder"


@immutable
class Places:
    """Folders of one worktree. `top` is None in a bare repository."""

    git_dir: Path
    common: Path
    top: Path | None

    @property
    def worktree_id(self) -> str:
        """`.` for the main worktree, else git's name for the linked one."""
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
    def moments(self) -> Path:
        """The folder of this worktree's private files for moments."""
        return self.own / "moments"

    @property
    def operations(self) -> Path:
        """The folder with one folder for the private files of each operation of this worktree."""
        return self.own / "op"

    @property
    def active_task(self) -> Path:
        return self.own / "task"

    @property
    def tas_note(self) -> Path:
        """The file that names the TAS, after the oid of the policy that names it."""
        return self.shared / "tas-path"

    @property
    def has_had_policy(self) -> bool:
        """Whether this clone has had a ledger with a policy, by the note that `init` wrote with the path of the TAS.

        False proves nothing: there may be no note.
        """
        try:
            with self.tas_note.open("rb") as note:
                noted = note.read(41)
        except OSError:
            return False
        return noted.endswith(b" ") and is_oid(noted[:-1].decode("ascii", "replace"))

    @property
    def lock(self) -> Path:
        """The lock of the command that moves this worktree's files, index or branch."""
        return self.own / "lock"

    @property
    def spool(self) -> Path:
        """The folder in which the agent hooks save what they captured."""
        return self.shared / "spool"

    @property
    def transcripts(self) -> Path:
        """The folder of transcripts: those that our plug-ins write, and second names that a hook gives to a client's."""
        return self.shared / "transcripts"

    @property
    def has_spooled(self) -> bool:
        """Whether `spool` has files. It is asked before the modules that read them are imported."""
        try:
            with os.scandir(self.spool) as entries:
                return any(entry.is_file() for entry in entries)
        except OSError:
            return False

    @property
    def lacks_view(self) -> bool:
        """Whether the view `.devs/` must be written: it was deleted, or this is a new worktree of a repository with a view."""
        if self.top is None:
            return False
        if (self.own / "view").exists():
            return not os.path.lexists(self.top / ".devs")
        return (self.shared / "view").exists()

    @property
    def journals(self) -> Path:
        return self.shared / "journal"

    @property
    def forks(self) -> Path:
        """The folder with a journal and a lock for each fork that is being made."""
        return self.shared / "forks"


def common_of(git: Git) -> Path:
    """The common git directory for a git with GIT_DIR in its environment, found as git does."""
    environment = git.environment()
    git_dir = git.where / environment["GIT_DIR"]
    if "GIT_COMMON_DIR" in environment:
        return git.where / environment["GIT_COMMON_DIR"]
    try:
        return git_dir / os.fsdecode((git_dir / "commondir").read_bytes()).rstrip("\n")
    except FileNotFoundError:
        return git_dir


def worktrees(git: Git, common: Path) -> tuple[Places, ...]:
    """The places of every worktree of the repository that still exists. A bare repository is not included.

    A worktree's folder may have been deleted and may now belong to another repository; then it is left out.
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
        return _find(folder, REPOSITORY_VARIABLES)
    except DevsError:
        return None


# git's words if there is no repository, or if the current folder was deleted.
_NO_PLACE = ("not a git repository", "current working directory")
_KNOWN: dict[Path, tuple[tuple[int, ...], Places]] = {}


def locate_cached(where: Path) -> Places:
    """Like `locate`, but cached as long as the repository's folder and configuration are the same. For servers."""
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
    """Numbers that change if there is another repository here, or if its configuration changed. Empty: do not cache."""
    git = where / ".git"
    if any(name in os.environ for name in REPOSITORY_VARIABLES):
        return ()
    try:
        place, settings = git.stat(), (git / "config").stat()
    except OSError:
        # A linked worktree, or no repository.
        return ()
    return place.st_dev, place.st_ino, settings.st_ino, settings.st_mtime_ns, settings.st_size


def locate(where: Path, *, unset: tuple[str, ...] = ()) -> Places:
    """The places of the repository around `where`. NOT_A_REPOSITORY if there is none."""
    places = _find(where, unset)
    _require_folders(places)
    return places


def _find(where: Path, unset: tuple[str, ...]) -> Places:
    from devs_git.storage.git import discovery

    top = discovery.top_of(where, unset=unset)
    return Places(top / ".git", top / ".git", top) if top else _ask_git_in_time(Git(where, unset=unset))


def _ask_git_in_time(git: Git) -> Places:
    try:
        with children.within(_SECONDS):
            return _ask_git(git)
    except GitTimedOut as error:
        text = f"git did not find this repository within {_SECONDS:g} seconds."
        raise DevsError("BUSY", text, hint="Its disk may be slow or missing. Try again.") from error


def _ask_git(git: Git) -> Places:
    asked = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
    # Without a working tree git answers the first two questions and fails at the third, so one child is enough.
    status, answer = git.attempt(*asked, "--show-toplevel", ok=(0, 128))
    if not answer:
        try:
            answer = git.run(*asked)
        except GitFailed as error:
            if error.status < 0:
                # git was killed, so its answer is unknown.
                raise
            raise _no_repository(error) from error
    found = os.fsdecode(answer).split("\n")[:-1]
    # If the name of a folder contains a line end, ask one question at a time.
    if len(found) != (3 if status == 0 else 2):
        questions = [*asked[2:], "--show-toplevel"][: 3 if status == 0 else 2]
        found = [os.fsdecode(git.run(*asked[:2], question))[:-1] for question in questions]
    return Places(Path(found[0]), Path(found[1]), Path(found[2]) if status == 0 else None)


def _require_folders(places: Places) -> None:
    """Refuse if our folder, or an entry of it, is a link or has another kind: we would write and delete elsewhere."""
    for folder, asked in {places.own: "--git-dir", places.shared: "--git-common-dir"}.items():
        for name, kind in _foreign_entries(folder):
            # Only a refusal needs it.
            from shlex import quote

            ours = "folder" if name in _FOLDERS else "file"
            raise invalid(
                "repository",
                f"In the git directory, {name} is {kind}, but devs-git needs a {ours} there.",
                hint=f'Check what it is, then remove it: rm "$(git rev-parse {asked})"/{quote(name)}',
            )


def _foreign_entries(folder: Path) -> Iterator[tuple[str, str]]:
    """The name (from the git directory on) and kind of each entry, at and in our folder, that devs-git never makes."""
    found = _other_than_folder(folder)
    if found:
        yield "devs", found
    # Each command reads the journals, too: who opens a pipe waits for ever. A folder gives the kinds together with the names.
    for name in ("devs", "devs/journal", "devs/forks"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for entry in list(os.scandir(folder.parent / name)):
                if entry.is_symlink():
                    yield f"{name}/{entry.name}", "a link"
                elif entry.is_file(follow_symlinks=False):
                    if f"{name}/{entry.name}" in _FOLDERS:
                        yield f"{name}/{entry.name}", "a file"
                elif not entry.is_dir(follow_symlinks=False):
                    yield f"{name}/{entry.name}", _ODD
    if found := _other_than_folder(folder / "spool" / "rejected"):
        yield "devs/spool/rejected", found


def _other_than_folder(place: Path) -> str:
    """The kind of what is there; '' for a folder, or if there is nothing."""
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
        reason = error.stderr.partition("\n")[0].removeprefix("fatal: ")
        return DevsError(
            "NOT_A_REPOSITORY", f"git cannot read this repository: {reason}.", hint="Fix that first."
        )
    return DevsError(
        "NOT_A_REPOSITORY", "This is not a git repository.", hint="Run git init, or change to a repository."
    )
