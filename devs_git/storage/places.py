"""Where a repository's parts are, as git answers it from a folder and the caller's environment."""

from __future__ import annotations

import os
from pathlib import Path

from devs_git.errors import DevsError, invalid
from devs_git.storage import discovery
from devs_git.storage.git_program import REPOSITORY_VARIABLES, Git, GitFailed
from devs_git.values import immutable


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
    def active_task(self) -> Path:
        return self.own / "task"

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
    def is_new_worktree(self) -> bool:
        """Whether this is a linked worktree that has not had a view `.devs/` yet, of a repository that has."""
        return self.top is not None and (self.shared / "view").exists() and not (self.own / "view").exists()

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
    return tuple(places for places in found if places and places.top and places.common == common)


def _at(folder: Path) -> Places | None:
    try:
        return locate(folder, unset=REPOSITORY_VARIABLES)
    except DevsError:
        return None


# What git says where it looked and found none, or where it is called in a folder that was deleted.
_NO_PLACE = ("not a git repository", "current working directory")
_KNOWN: dict[Path, tuple[tuple[int, ...], Places]] = {}


def located(where: Path) -> Places:
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
    top = discovery.top_of(where, unset=unset)
    places = Places(top / ".git", top / ".git", top) if top else _asked(Git(where, unset=unset))
    _require_folders(places)
    return places


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
    """Refuses where a link or a file stands at `devs` in the git directory: our notes and locks would go elsewhere."""
    for folder, asked in ((places.shared, "--git-common-dir"), (places.own, "--git-dir")):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise invalid(
                "repository",
                "In the git directory a link or a file stands at devs, where devs-git keeps its own folder.",
                hint=f'Look at it, then take it away: rm "$(git rev-parse {asked})/devs"',
            )


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
            hint="devs-git needs files as refs; with git 2.46 or newer: git refs migrate --ref-format=files",
        )
    if not any(words in error.stderr for words in _NO_PLACE):
        said = error.stderr.partition("\n")[0].removeprefix("fatal: ")
        return DevsError(
            "NOT_A_REPOSITORY", f"git cannot read this repository: {said}.", hint="Mend that first."
        )
    return DevsError(
        "NOT_A_REPOSITORY", "This is not a git repository.", hint="Run: git init, or go to a repository."
    )
