"""Run the git program: one place for its environment, timeouts and failures.

Children never read our standard input, take no optional lock, start no fsmonitor, and read paths literally. At the end of
a time limit they are ended. A child that writes the working tree inherits the descriptor of the lock, so an orphan
still holds the lock.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

from devs_git.errors import DevsError, invalid
from devs_git.storage.git import children, git_settings
from devs_git.values import TYPE_CHECKING, Any, Final, field, immutable, replace

if TYPE_CHECKING:
    # Loaded late: a command that needs no git does not load it.
    import subprocess
    from typing import IO

# Its module imports nothing.
REPOSITORY_VARIABLES: Final = git_settings.REPOSITORY_VARIABLES
# Variables that name the folder of objects in place of the repository's own, and more folders to read from.
OWN_OBJECTS: Final = "GIT_OBJECT_DIRECTORY"
OTHER_OBJECTS: Final = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
# `verify` and servers judge by objects alone: without replace refs, grafts, commit-graph files or other rules for trailers.
OBJECTS_ALONE: Final = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
OBJECTS_ALONE_CONFIG: Final = (
    "-c",
    "core.commitGraph=false",
    "-c",
    "trailer.separators=:",
    "-c",
    "i18n.logOutputEncoding=UTF-8",
    "-c",
    "advice.graftFileDeprecated=false",
)
# A partial clone fetches no missing objects: a fetch may start programs that the configuration names, and ask the user.
# git knows GIT_NO_LAZY_FETCH since 2.45.
_OFFLINE: Final = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_DIED: Final = 128
_CONFIGURATION: Final = (
    r"^(?:fatal|error): (?P<said>(?:bad (?:(?:boolean |numeric )?config (?:value|variable|line)|(?:zlib|pack) compression)"
    r"|failed to expand user dir|could not expand include path|exceeded maximum include depth|missing value for '"
    r"|malformed value for|invalid value for (?!'extensions)|unknown value for config|unknown style '|Invalid untracked"
    r"|bogus (?:count|format) in GIT_CONFIG|missing config (?:key|value) GIT_CONFIG|problem with core\.|invalid refspec '"
    r"|unknown error occurred while reading the config).*)"
)


class GitFailed(Exception):
    """git failed. Has its exit status and standard error."""

    def __init__(self, args: Sequence[str], status: int, stderr: str) -> None:
        super().__init__(f"git {args[0] if args else ''} exited {status}: {stderr.strip()}")
        self.status = status
        self.stderr = stderr.strip()

    @property
    def lacks_objects(self) -> bool:
        """Whether git needed an object that this partial clone has not fetched."""
        return " from promisor remote" in self.stderr


@immutable
class Git:
    """git in one folder with one environment; `run` returns standard output as bytes."""

    where: Path
    env: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
    keep_open: tuple[int, ...] = ()
    cache: dict[str, Any] | None = field(default=None, compare=False, repr=False)
    offline: bool = False
    # Filters that a command that only reads does not start (see `filters`).
    skipped_filters: tuple[str, ...] = ()
    # As the user runs git: for a commit, whose hooks must not see our settings.
    plain: bool = False

    def with_env(self, **env: str) -> Git:
        return replace(self, env={**self.env, **env})

    def with_config(self, *pairs: str) -> Git:
        """The same git with `-c name=value` for each pair."""
        return replace(self, config=(*self.config, *(part for pair in pairs for part in ("-c", pair))))

    def with_descriptors(self, *descriptors: int) -> Git:
        """The same git, whose children inherit these descriptors (of a lock)."""
        return replace(self, keep_open=(*self.keep_open, *descriptors))

    def with_cache(self) -> Git:
        """The same git with an empty `cache`, for answers that do not change during one operation."""
        return replace(self, cache={})

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        timeout: float | None = None,
    ) -> bytes:
        """Standard output. GitFailed unless the exit status is in `ok`; GitTimedOut after `timeout` seconds."""
        return self.attempt(*args, stdin=stdin, ok=ok, timeout=timeout)[1]

    def text(self, *args: str, ok: tuple[int, ...] = (0,)) -> str:
        return os.fsdecode(self.run(*args, ok=ok)).strip()

    def says(self, *args: str) -> bool:
        """Whether git answers yes (exit status 0) or no (exit status 1). Any other status is GitFailed."""
        return self.attempt(*args, ok=(0, 1))[0] == 0

    def attempt(
        self,
        *args: str,
        stdin: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        timeout: float | None = None,
    ) -> tuple[int, bytes]:
        """Exit status and standard output. GitFailed unless the status is in `ok`; GitTimedOut after `timeout` seconds."""
        child = self.start(*args, piped=stdin is not None)
        out, err = children.output_of(child, args, stdin, timeout)
        if child.returncode not in ok:
            raise self._failure(args, child.returncode, err)
        if child.returncode == _DIED and (found := _of_configuration(self._inside(_text(err)))):
            raise found
        return child.returncode, out

    @contextlib.contextmanager
    def alongside(self, *args: str, stdin: bytes = b"") -> Iterator[Callable[[], bytes]]:
        """Run git while the body does something else. Yields a function that waits and returns standard output."""
        with children.nameless_file(stdin) if stdin else contextlib.nullcontext() as stdin_file:
            child = self.start(*args, stdin_file=stdin_file)

        def output() -> bytes:
            out, err = children.output_of(child, args)
            if child.returncode:
                raise self._failure(args, child.returncode, err)
            return out

        try:
            yield output
        finally:
            if child.returncode is None:
                children.end_group(child)

    def stream(self, *args: str, stdin: bytes = b"") -> Generator[bytes]:
        """Standard output in pieces. git is ended when the caller stops reading.

        GitFailed if git itself fails: its output may be incomplete.
        """
        # Errors go to a file: nobody reads a pipe meanwhile, so some hundred warnings would fill it and git would hang.
        with contextlib.ExitStack() as open_now:
            errors = open_now.enter_context(children.nameless_file())
            stdin_file = open_now.enter_context(children.nameless_file(stdin)) if stdin else None
            child = open_now.enter_context(self.start(*args, errors=errors.fileno(), stdin_file=stdin_file))
            assert child.stdout is not None
            try:
                while data := children.next_piece(child, args):
                    yield data
                child.wait()
            finally:
                child.kill()
            if child.returncode:
                errors.seek(0)
                raise self._failure(args, child.returncode, errors.read())

    def start(
        self, *args: str, piped: bool = False, errors: int | None = None, stdin_file: IO[bytes] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start git in its own process group, so that it can be ended with its children.

        Standard input is the file `stdin_file`, or with `piped` a pipe. `errors`: a descriptor for standard error, else a pipe.
        """
        import subprocess

        if children.seconds_left() == 0:
            raise children.timeout_error(args)
        try:
            return subprocess.Popen(
                ["git", *(() if self.plain else git_settings.QUIET), *self.config, *args],
                cwd=self.where,
                env=self.environment(),
                stdin=stdin_file or (subprocess.PIPE if piped else subprocess.DEVNULL),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if errors is None else errors,
                pass_fds=self.keep_open,
                start_new_session=True,
            )
        except (FileNotFoundError, NotADirectoryError) as error:
            if not self.where.is_dir():
                raise DevsError(
                    "NOT_A_REPOSITORY",
                    "This folder does not exist.",
                    hint="Change to a repository.",
                ) from error
            raise DevsError(
                "GIT_NOT_FOUND", "The git program is not on PATH.", hint="Install git 2.36 or newer."
            ) from error

    def _failure(self, args: Sequence[str], status: int, err: bytes) -> Exception:
        words = self._inside(_text(err))
        return _of_configuration(words) or GitFailed(args, status, words)

    def _inside(self, words: str) -> str:
        """git's words with the paths of the repository made relative, so that they do not show this machine's paths."""
        for place in (*(self.env.get(name) for name in ("GIT_DIR", "GIT_WORK_TREE")), os.fspath(self.where)):
            if place:
                words = words.replace(place + "/", "")
        return words

    def environment(self) -> dict[str, str]:
        unset = (*self.unset, *(() if self.plain else git_settings.NEVER))
        kept = {name: value for name, value in os.environ.items() if name not in unset}
        ours = {**({} if self.plain else git_settings.ALWAYS), **(_OFFLINE if self.offline else {})}
        found = {**kept, **ours, **self.env}
        return {**found, **_off(self.skipped_filters, found)} if self.skipped_filters else found


def _text(err: bytes) -> str:
    return err.decode("utf-8", "replace")


def _of_configuration(words: str) -> DevsError | None:
    """NOT_A_REPOSITORY if git cannot read its configuration, because then every git command fails; else None."""
    found = re.search(_CONFIGURATION, words, re.MULTILINE | re.IGNORECASE)
    return found and DevsError(
        "NOT_A_REPOSITORY",
        f"git cannot read its configuration: {found['said'].rstrip('.')}.",
        hint="Correct the setting. To find its file: git config --list --show-origin",
    )


def of_store(common: Path, *, offline: bool = False) -> Git:
    """git for judging the ledger: without the caller's repository variables, and with objects as they are."""
    env = {"GIT_DIR": os.fspath(common), **OBJECTS_ALONE}
    return Git(common, env, REPOSITORY_VARIABLES, OBJECTS_ALONE_CONFIG, offline=offline)


def require_own_objects(git: Git, common: Path) -> None:
    """INVALID_ARGUMENTS if the environment names another folder of objects: without it, a new commit would be missing.

    In the hooks of a push git itself names one. They judge, and do not write.
    """
    given, own = git.environment(), os.path.realpath(common / "objects")
    if OWN_OBJECTS in given and os.path.realpath(git.where / given[OWN_OBJECTS]) == own:
        del given[OWN_OBJECTS]
    for name in (OWN_OBJECTS, OTHER_OBJECTS):
        if given.get(name):
            raise invalid(
                name,
                f"{name} is set. Without this variable, what the command writes would lack objects.",
                hint=f"Run the command without it: env -u {OWN_OBJECTS} -u {OTHER_OBJECTS} devs-git ...",
            )


def _off(filters: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that add settings, after those of the caller, by which git applies none of these filters.

    `-c` would not do: it cannot name a filter whose name contains an equals sign.
    """
    given = environment.get("GIT_CONFIG_COUNT", "")
    settings = {"clean": "", "smudge": "", "process": "", "required": "false"}
    pairs = [(f"filter.{name}.{key}", value) for name in filters for key, value in settings.items()]
    first = int(given) if given.isdecimal() else 0
    variables = {f"GIT_CONFIG_KEY_{first + at}": key for at, (key, _) in enumerate(pairs)}
    variables |= {f"GIT_CONFIG_VALUE_{first + at}": value for at, (_, value) in enumerate(pairs)}
    return {"GIT_CONFIG_COUNT": str(first + len(pairs)), **variables}


def split_z(data: bytes) -> list[str]:
    """NUL-separated paths, undecodable bytes kept as surrogates."""
    # Decoded at once: there may be a hundred thousand.
    return [part for part in os.fsdecode(data).split("\0") if part]


def split_lines(text: str) -> list[str]:
    r"""Split at \n only. `splitlines()` also splits at characters such as U+2028, which a name or a message may contain."""
    return text.removesuffix("\n").split("\n") if text else []


def join_z(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
