"""What the shell hook saw of a worktree before it started Python, so that git need not look at all files a second time.

The hook asks git with the private index of the newest moment. What happens to the files afterwards belongs to the next
moment, as for any other time at which one may look. `begin` lets git take over the changed files while the rest of the
program is loaded. So this module imports nothing that takes time.
"""

import contextlib
import os
import stat

from devs_git.storage.git import git_settings

# Bytes of one list. With more paths git may as well look again.
_MOST = 256 << 10
# For the lock of the owner.
_TRIES = 20
_PAUSE_SECONDS = 0.002
# git says the settings, takes over the files whose paths it reads, and then says the tree. Without a tree at the end it failed.
_SCRIPT = """\
cd "$1" && asked=$2 && shift 2 || exit
git "$@" config -z --get-regexp "$asked" & git "$@" {update} && wait && git "$@" write-tree
""".format(update=" ".join(git_settings.UPDATE))
# glibc gives memory back to the system after each object, and takes it again. A git that ends soon need not.
_MEMORY = {"MALLOC_TOP_PAD_": str(8 << 20)}
_OID_LENGTH = 40


class Seen:
    """Paths of untracked files, and of those that differ from the private index, each with NUL after it; the index's sum.

    `refs`: branches and stash entries, as `last_moment.REFS` and the reflog of the stash say them, if a call was asked about.
    `begun` is the git that takes these files over, if it was started. `may_destroy`: whether the command has a word that may
    destroy something.
    """

    def __init__(self, new: bytes, files: bytes, index_sum: str, refs: bytes = b"") -> None:
        self.new, self.files, self.index_sum, self.refs = new, files, index_sum, refs
        self.begun: BegunGit | None = None
        self.may_destroy = False

    def paths(self) -> tuple[set[str], set[str]]:
        """The files, and the nested repositories, which have a slash at the end."""
        every = {os.fsdecode(path) for path in (self.new + self.files).split(b"\0") if path}
        nested = {path for path in every if path.endswith("/")}
        return every - nested, nested


class BegunGit:
    """A git that takes changed files into the private index. `lock` is the descriptor of the lock for moments of the
    worktree, which is held until `close`.
    """

    def __init__(self, pid: int, output: int, lock: int, owner: int) -> None:
        self.lock = lock
        self._pid, self._output, self._owner = pid, output, owner
        self._said: bytes | None = None
        self._is_open = True

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What the process needs that asks for the result."""
        return self.lock, self._owner, self._output

    def result(self) -> tuple[str, bytes] | None:
        """The tree, and the settings of files as `git config -z` prints them; None if git failed. GitTimedOut."""
        from devs_git.storage.git import children

        if self._said is None:
            self._said = self._read(children.seconds_left())
        if self._said is None:
            self._end()
            raise children.timeout_error(git_settings.UPDATE)
        settings, end, tree = self._said.rpartition(b"\0")
        return (tree.decode().rstrip(), settings + end) if len(tree) == _OID_LENGTH + 1 else None

    def _read(self, seconds: float | None) -> bytes | None:
        """What git said until its end; None if it takes more than `seconds`."""
        import select
        import time

        until = None if seconds is None else time.monotonic() + seconds
        said, ready = b"", select.poll()
        ready.register(self._output, select.POLLIN)
        while ready.poll(None if until is None else max(0.0, until - time.monotonic()) * 1000):
            piece = os.read(self._output, _MOST)
            if not piece:
                # It may be a child of the process that began it.
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self._pid, 0)
                return said
            said += piece
        return None

    def _end(self) -> None:
        import signal

        self._said = b""
        with contextlib.suppress(OSError):
            os.killpg(self._pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self._pid, 0)

    def close(self) -> None:
        """Release the lock. A git that still works is ended."""
        if self._is_open:
            self._is_open = False
            if self._said is None:
                self._end()
            os.close(self._output)
            _release(self.lock, self._owner)


def take(begin: str) -> Seen | None:
    """Read and delete the hook's files, whose names begin so; None if one is missing, because a git was ended."""
    new, files, index_sum, refs = (_take(f"{begin}.{end}") for end in ("new", "files", "sum", "refs"))
    if new is None or files is None or not index_sum:
        return None
    return Seen(new, files, index_sum.decode("ascii", "replace"), refs or b"")


def _take(file: str) -> bytes | None:
    found = None
    with contextlib.suppress(OSError):
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = os.read(descriptor, _MOST + 1)
        finally:
            os.close(descriptor)
    with contextlib.suppress(OSError):
        os.unlink(file)  # noqa: PTH108 - pathlib takes time to load
    return found if found is not None and len(found) <= _MOST else None


def begin(seen: Seen, git_dir: str, common: str, top: str) -> None:
    """Start git for the files that were seen, unless somebody has to look first: then `begun` stays None.

    Somebody has to look if a file changes what other files are, if files may be left out, if another process works here,
    or if the worktree has no moment that nobody doubts.
    """
    own, (files, _) = f"{git_dir}/devs/moments", seen.paths()
    # macOS has no such files.
    if not (
        hasattr(os, "memfd_create") and files and _can_be_taken(files, top) and _is_ready(own, common, seen)
    ):
        return
    locked = _lock(f"{own}/lock")
    if locked is None:
        return
    try:
        # After a kill the next check must not take the private index for that of a moment.
        os.rename(f"{own}/last", f"{own}/last.doubted")  # noqa: PTH104 - as above
        with contextlib.suppress(FileNotFoundError):
            # We hold the lock, so this one is from a git that was killed.
            os.unlink(f"{own}/index.lock")  # noqa: PTH108 - as above
        seen.begun = _start(sorted(files), git_dir, common, top, locked)
    except OSError:
        _release(*locked)


def _can_be_taken(files: set[str], top: str) -> bool:
    """Whether none of the files says something about others, all can be read, and each policy allows as many bytes."""
    room = git_settings.ROOM_UNASKED
    for path in files:
        if path.rpartition("/")[2] in git_settings.RULES:
            return False
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            facts = os.lstat(f"{top}/{path}")
            room -= facts.st_size if stat.S_ISREG(facts.st_mode) else 0
            if room < 0 or (stat.S_ISREG(facts.st_mode) and not os.access(f"{top}/{path}", os.R_OK)):
                return False
    return True


def _is_ready(own: str, common: str, seen: Seen) -> bool:
    """Whether the newest moment and its private index can be built upon, and nobody moves the files of a worktree."""
    try:
        with open(f"{own}/last", "rb") as stream:  # noqa: PTH123 - as above
            lines = stream.read(_MOST).split(b"\n")
        if len(lines) < 5 or lines[2].decode("ascii", "replace") != seen.index_sum or not lines[4]:
            return False
        with os.scandir(own) as entries:
            if not all(entry.is_file(follow_symlinks=False) for entry in entries):
                return False
        os.stat(f"{common}/devs/moments.git/HEAD")  # noqa: PTH116 - as above
        if any(letter in common for letter in ':"\n'):
            return False
        with contextlib.suppress(FileNotFoundError):
            return not any(name.endswith(".json") for name in os.listdir(f"{common}/devs/journal"))  # noqa: PTH208 - as above
    except OSError:
        return False
    return True


def _lock(path: str) -> tuple[int, int] | None:
    """Take the lock as `locks.hold` does: its descriptor, and that of its owner. None if another process has it."""
    import fcntl
    import time

    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    lock, owner = os.open(path, flags, 0o600), os.open(f"{path}.owner", flags, 0o600)
    for one in (lock, *[owner] * _TRIES):
        try:
            fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if one == lock:
                break
            # Another process may test this lock at the moment.
            time.sleep(_PAUSE_SECONDS)
        else:
            if one == owner:
                return lock, owner
    _release(lock, owner)
    return None


def _release(lock: int, owner: int) -> None:
    import fcntl

    # For git, too, if it is still there.
    fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(owner)
    os.close(lock)


def _start(paths: list[str], git_dir: str, common: str, top: str, locked: tuple[int, int]) -> BegunGit:
    ours = {
        "GIT_DIR": git_dir,
        "GIT_WORK_TREE": top,
        "GIT_INDEX_FILE": f"{git_dir}/devs/moments/index",
        "GIT_OBJECT_DIRECTORY": f"{common}/devs/moments.git/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{common}/objects",
    }
    unset = (*git_settings.REPOSITORY_VARIABLES, *git_settings.NEVER)
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    settings = (*git_settings.PRIVATE_INDEX, *git_settings.STAT)
    words = (*git_settings.QUIET, *(word for one in settings for word in ("-c", one)))
    reading, writing = os.pipe()
    # A file, because nobody writes to a pipe while the rest is loaded.
    listed = os.memfd_create("paths")
    try:
        os.write(listed, b"".join(os.fsencode(path) + b"\0" for path in paths))
        os.lseek(listed, 0, os.SEEK_SET)
        # A git that outlives us still holds the lock.
        os.set_inheritable(locked[0], True)
        pid = os.posix_spawnp(
            "sh",
            ["sh", "-c", _SCRIPT, "sh", top, git_settings.OF_FILES, *words],
            {**kept, **git_settings.ALWAYS, **_MEMORY, **ours},
            file_actions=(
                (os.POSIX_SPAWN_DUP2, listed, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ),
            setpgroup=0,
        )
    except OSError:
        os.close(reading)
        raise
    finally:
        os.set_inheritable(locked[0], False)
        os.close(writing)
        os.close(listed)
    return BegunGit(pid, reading, *locked)
