"""A remote: list its refs, fetch from it and push to it, each with one git child that never asks the user.

Objects are fetched by their oids, so no ref of the user is written. A push names the value that the remote must have for
each ref that is moved or deleted: with `--force-with-lease`, never with `+`, which would override it. A new ref is pushed
without force. git compares each lease and each single ref of a push with each ref of the remote, which takes seconds for
hundreds of refs; so new refs have no lease, and thousands of them are pushed by one pattern a folder.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from devs_git.domain.checkpoints.wanted_refs import FOLDERS
from devs_git.domain.ledger.events import LEDGER, NO_OID, RefUpdate
from devs_git.domain.moments.moment import BASE, PREFIX
from devs_git.errors import DevsError, invalid
from devs_git.storage.git import failures, refs
from devs_git.storage.git.children import end_group
from devs_git.storage.git.program import Git, split_lines
from devs_git.values import immutable

HEADS: Final = "refs/heads/"
# Folders of refs that belong to one clone alone: commits of moments, and backups, which have untracked files.
PRIVATE: Final = (PREFIX, refs.BACKUPS, BASE)
# The time limit of one child, which may run a hook of the user.
SECONDS: Final = 300.0
_TICK: Final = 1.0
_FETCH: Final = ("fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-prune", "--no-auto-maintenance",
                 "--no-recurse-submodules", "--refmap=", "--stdin")  # fmt: skip
_PUSH: Final = ("push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")
_GONE: Final = re.compile(r"not our ref|unadvertised object|couldn't find remote ref|remote ref .* not found")
_RACE: Final = re.compile(
    r"stale info|fetch first|non-fast-forward|already exists|needs force|atomic|cannot lock ref"
    r"|failed to update ref|reference already exists|incorrect old value|failed to lock|Unable to create .*\.lock"
)
_IN_THE_WAY: Final = re.compile(r"'(refs/[\w./-]+)' exists; cannot create '(refs/[\w./-]+)'", re.ASCII)
_PLACE: Final = re.compile(r"'[^']*[/\\][^']*'|\w+://\S+|(?<![\w.])/\S+|[\w.-]+@[\w.-]+:\S*")


class RemoteMoved(Exception):
    """Somebody else moved a ref of the remote meanwhile. The caller lists its refs again."""


@immutable
class RemoteRefs:
    """A remote's refs. `printed`: as `git ls-remote` prints those that `sync` asks for."""

    printed: str

    @cached_property
    def _oids(self) -> dict[str, str]:
        rows = (line.partition("\t") for line in split_lines(self.printed))
        return {name: oid for oid, _, name in rows}

    @property
    def ledger(self) -> str:
        """The oid of its ledger; '' for none."""
        return self._oids.get(LEDGER, "")

    @cached_property
    def devs(self) -> Mapping[str, str]:
        """The refs below FOLDERS."""
        return {name: oid for name, oid in self._oids.items() if name.startswith(FOLDERS)}

    @property
    def branches(self) -> Mapping[str, str]:
        return {name: oid for name, oid in self._oids.items() if name.startswith(HEADS)}

    @property
    def has_private(self) -> bool:
        """Whether it has backups or commits of moments, which no clone should have pushed."""
        return any(name.startswith(PRIVATE) for name in self._oids)


@immutable
class Remote:
    """One remote of this repository. `progress` is called while a child runs: with the step, done, total.

    With `only_reads`, `push` does nothing.
    """

    git: Git
    remote: str
    progress: Callable[[str, int, int], None]
    only_reads: bool = False

    @property
    def known_ledger_ref(self) -> str:
        """The ref that has the remote's ledger as `sync` last saw it."""
        return f"refs/devs/remotes/{self.remote}/ledger"

    def look(self) -> RemoteRefs:
        """The remote's refs. BUSY if it cannot be reached."""
        patterns = (f"{HEADS}*", *(f"{folder}*" for folder in (*FOLDERS, *PRIVATE)))
        status, out, err = self._run(
            f"asking {self.remote}",
            "ls-remote",
            "--refs",
            "--quiet",
            "--end-of-options",
            self.remote,
            *patterns,
        )
        if status:
            raise self._unreachable(err)
        return RemoteRefs(out)

    def default(self) -> str:
        """The commit of the remote's default branch, fetched if necessary; '' if it has none. BUSY if it cannot be reached."""
        status, out, err = self._run(
            f"asking {self.remote}", "ls-remote", "--quiet", "--end-of-options", self.remote, "HEAD"
        )
        if status:
            raise self._unreachable(err)
        rows = (line.partition("\t") for line in split_lines(out))
        oid = next((oid for oid, _, name in rows if name == "HEAD"), "")
        if oid and not refs.commit_of(self.git, oid):
            try:
                self.fetch([oid])
            except RemoteMoved as error:
                raise self._unreachable(str(error)) from error
        return oid

    def fetch(self, oids: Iterable[str], *, contents: bool = True) -> None:
        """Fetch these objects and all that they reach. Without `contents`, a partial clone filters them as usual.

        RemoteMoved if the remote no longer has an object.
        """
        script = "".join(f"{oid}\n" for oid in oids)
        # A partial clone would leave out contents that we read without git.
        promisor = (
            contents
            and self.git.text("config", "--get", f"remote.{self.remote}.promisor", ok=(0, 1)) == "true"
        )
        words = (*_FETCH, *(("--no-filter",) if promisor else ()), "--end-of-options", self.remote)
        status, _, err = self._run(f"fetching from {self.remote}", *words, stdin=script)
        if status:
            raise RemoteMoved(err) if _GONE.search(err) else self._unreachable(err)

    def push(
        self, ledger: str, updates: Sequence[RefUpdate], folders: Sequence[str] = (), step: str = ""
    ) -> None:
        """Push the ledger by fast-forward ('' for none) and the refs of `updates`, atomically if the remote can. Of `folders`
        all refs here that the remote does not have. `step`: what the line of progress says.

        Otherwise the ledger goes first: its events decide what the numbers mean, and the next sync pushes refs that are
        missing. Refs without their events would be misleading.
        """
        if self.only_reads:
            return
        spec = [f"{ledger}:{LEDGER}"] if ledger else []
        leases = [f"--force-with-lease={u.ref}:{u.old}" for u in updates if u.old != NO_OID]
        specs = [f"{'' if u.new == NO_OID else u.new}:{u.ref}" for u in updates]
        specs += [f"{folder}*:{folder}*" for folder in folders]
        step = step or f"pushing to {self.remote}"
        if self._push(step, "--atomic", *leases, "--end-of-options", self.remote, *spec, *specs):
            return
        for words in ((spec, ()), (specs, leases)):
            if words[0]:
                self._push(step, *words[1], "--end-of-options", self.remote, *words[0])

    def _push(self, step: str, *words: str) -> bool:
        """Whether it was pushed; False if the remote cannot push atomically. RemoteMoved; CONFLICT if a ref was refused."""
        # With this setting, git would force all refs. The variable is for our hook pre-push.
        git = self.git.with_config(f"remote.{self.remote}.mirror=false").with_env(DEVS_GIT_SYNC="yes")
        status, out, err = self._run(step, *_PUSH, *words, git=git)
        if not status:
            return True
        if "does not support --atomic" in err:
            return False
        if found := _IN_THE_WAY.search(err):
            raise DevsError(
                "CONFLICT",
                f"{self.remote} has the ref {found[1]}. So it cannot have {found[2]}, which sync pushes.",
                hint=f"If nobody needs the first one, delete it: git push {self.remote} :{found[1]}",
                remote=self.remote,
            )
        refused = [line.split("\t") for line in split_lines(out) if line.startswith("!\t")]
        reasons = "\n".join(row[-1] for row in refused)
        if _RACE.search(reasons) or _RACE.search(err):
            raise RemoteMoved(reasons)
        if refused:
            raise DevsError(
                "CONFLICT",
                f"{self.remote} refused {refused[0][1].rpartition(':')[2]}: {self._words(refused[0][-1])}.",
                hint=f"See its full answer: git push {self.remote} {LEDGER}",
                remote=self.remote,
            )
        raise self._unreachable(err)

    def _run(self, what: str, *words: str, stdin: str = "", git: Git | None = None) -> tuple[int, str, str]:
        """Exit status, standard output and standard error of a child that talks to the remote. BUSY after SECONDS."""
        child = (git or self.git).start(*words, piped=True)
        begun = time.monotonic()
        given: bytes | None = stdin.encode()
        while True:
            try:
                out, err = child.communicate(given, timeout=_TICK)
                break
            except subprocess.TimeoutExpired:
                given = None
                waited = time.monotonic() - begun
                self.progress(f"{what}, {waited:.0f} s", 0, 0)
                if waited > SECONDS:
                    end_group(child)
                    raise self._unreachable(f"it did not answer within {SECONDS:.0f} s") from None
            except BaseException:
                end_group(child)
                raise
        self.progress(what, 1, 1)
        return child.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "replace")

    def _unreachable(self, err: str) -> DevsError:
        lines = [line for line in err.splitlines() if line.strip()]
        first = next((line for line in lines if not line.startswith("hint:")), "git gave no reason")
        if failures.DAMAGE.search(err):
            return DevsError(
                "CONFLICT",
                f"git found damage here or at {self.remote}: {self._words(first)}.",
                hint="Find the damage here: devs-git doctor. On both sides: git fsck --full",
                remote=self.remote,
            )
        return DevsError(
            "BUSY",
            f"{self.remote} cannot be reached: {self._words(first)}.",
            hint=f"Nothing is lost. Check the connection: git ls-remote {self.remote}. Then run: devs-git sync {self.remote}",
            remote=self.remote,
        )

    def _words(self, text: str) -> str:
        """git's words without the address, which may be a path of this machine or contain a password."""
        line = re.sub(r"^(fatal|error|remote): ", "", text.strip())
        return _PLACE.sub(self.remote, line).rstrip(".")


def choose(git: Git, name: str) -> str:
    """The remote to sync with: `name` if given, else `origin`, the only remote, or that of the branch's upstream. INVALID_ARGUMENTS."""
    names = [line for line in git.text("remote").split("\n") if line]
    known = ", ".join(names)
    if name:
        if name not in names:
            raise invalid("remote", f"There is no remote {name!r}.", hint=_add(known))
        return name
    if "origin" in names or len(names) == 1:
        return "origin" if "origin" in names else names[0]
    branch = git.text("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1, 128))
    upstream = git.text("config", "--get", f"branch.{branch}.remote", ok=(0, 1)) if branch else ""
    if upstream in names:
        return upstream
    what = (
        "There are several remotes, and none is named origin." if names else "This repository has no remote."
    )
    raise invalid("remote", what, hint=_add(known))


def _add(names: str) -> str:
    return f"Name one of: {names}" if names else "Add one: git remote add origin <url>"


def list_devs_refs(git: Git) -> dict[str, str]:
    """Name and oid of each ref of this repository that events of the ledger may name."""
    return refs.list_refs(git, *(folder.rstrip("/") for folder in FOLDERS))
