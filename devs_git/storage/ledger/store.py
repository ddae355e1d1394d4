"""The ledger: a branch with one root that only grows. One commit is one event.

To write, `append` takes `ledger.lock`, reads the tip and calls the caller's function with *this tip*. Then it moves the
ledger and all other refs of the operation in one ref transaction, the ledger last. If another was faster, it starts again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import cached_property
from pathlib import Path

from devs_git.domain.ledger.events import IN_FORCE, LEDGER, NO_OID, Draft, Event, RefUpdate, parse
from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.git import bounded, newest_objects, refs
from devs_git.storage.git.objects import EMPTY_TREE, TREE, Entry, Objects
from devs_git.storage.git.program import Git, GitFailed, split_z
from devs_git.values import TYPE_CHECKING, Final, field, immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import History
    from devs_git.domain.ledger.task_standing import Standing

LOCK_SECONDS: Final = 30.0
ATTEMPTS: Final = 60
# A running git holds the lock of a ref for milliseconds only.
REF_LOCK_SECONDS: Final = 2.0
LOCK: Final = "devs/ledger.lock"
CHECKED: Final = "devs/checked-tip"


@immutable
class Tip:
    """The ledger at one commit. `oid` is '' before the genesis."""

    ledger: Ledger
    oid: str

    @cached_property
    def history(self) -> History:
        return self.ledger.history_at(self.oid)

    @cached_property
    def here(self) -> History:
        """The history for this clone, by its branches and those of the remotes."""
        from devs_git.storage.ledger import clone_history

        return clone_history.view_here(self.ledger.reader, self.ledger.common, self.history)

    def standing_of_task(self, task_id: str) -> Standing:
        """The standing of a task for this clone. The newest events are enough if it is live; else it depends on the branches here."""
        from devs_git.domain.ledger.task_standing import LIVE, Standing, find_standing, standing_in

        if not self.oid:
            return Standing("", 1)
        found = find_standing(self.ledger.newest_first(self.oid), task_id)
        return found if found and found.status in ("", *LIVE) else standing_in(self.here, task_id)

    @cached_property
    def tree(self) -> str:
        return self.ledger.tree_of(self.oid) if self.oid else EMPTY_TREE

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the ledger; None if there is none."""
        return self.ledger.read_path(self.tree, path)

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder of the ledger, sorted; empty if the folder is missing."""
        return tuple(sorted(self.ledger.list_path(self.tree, folder)))


def _parts_missing() -> DevsError:
    text = "Parts of the ledger are missing from the object store."
    return DevsError("LEDGER_MISSING", text, hint="See: devs-git doctor")


@contextmanager
def require_complete() -> Iterator[None]:
    """Raise LEDGER_MISSING if git fails while it reads: a shorter history would be a different history."""
    try:
        yield
    except GitFailed as error:
        # A killed git says nothing about the ledger, and neither does a partial clone.
        if error.status < 0 or error.lacks_objects:
            raise
        raise _parts_missing() from error


@immutable
class Ledger:
    """The ledger of the repository whose common git directory is `common`."""

    reader: Git
    objects: Objects
    common: Path
    signature: Callable[[], str]  # "Name <mail> <seconds> +0000"
    now: Callable[[], str]  # the current time in the form of events
    with_identity: Callable[[Git], Git] = lambda git: git
    keeps_index: bool = True  # a dry run writes none
    parse: Callable[[str, tuple[str, ...], str], Event] = parse
    # The tips that have a policy: a commit never changes, so nobody asks again.
    _governed: set[str] = field(default_factory=set, compare=False, repr=False)
    # The last history that was folded, if any.
    _folded: list[History] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def git(self) -> Git:
        """The git that may write. Reflogs need an identity, which takes a child; commands that only read do not need it."""
        return self.with_identity(self.reader)

    def tip(self) -> Tip:
        newest_objects.restore(self.reader, self.common)
        return Tip(self, refs.loose(self.common, LEDGER) or refs.read(self.reader, LEDGER))

    def history_at(self, oid: str, watch: Callable[[Iterable[Event]], Iterable[Event]] = iter) -> History:
        """The history at one commit, an empty one for ''. The last one is cached. If all events are read, `watch` sees each one."""
        from devs_git.domain.ledger.history import fold

        if not self._folded or self._folded[0].tip != oid:
            base = self._folded[0] if self._folded else None
            newer = self._newer_events(base, oid) if base else []
            events = newer or watch(self.events(oid, oldest_first=True) if oid else ())
            self._folded[:] = [fold(events, base if newer else None)]
        return self._folded[0]

    def _newer_events(self, base: History, oid: str) -> list[Event]:
        """The events after the cached history; none if these are not one line from its tip."""
        since = list(self.events(oid, since=base.tip, oldest_first=True)) if oid and base.tip else []
        before = [base.tip, *(event.oid for event in since)]
        linear = all(event.parents == (parent,) for event, parent in zip(since, before, strict=False))
        return since if linear else []

    def open_gates(self) -> tuple[str, ...]:
        """Ids of the open gates, with one git child and without the object store. It also answers what `require` asks."""
        tip = self.tip().oid
        words = ("ls-tree", "--name-only", "-z", tip or LEDGER, "open/", IN_FORCE)
        status, out = self.reader.attempt(*words, ok=(0, 1, 128))
        # A missing object must not unfreeze the repository.
        if status and self.tip().oid:
            raise _parts_missing()
        names = split_z(out)
        self._governed.update((tip,) if IN_FORCE in names else ())
        return tuple(sorted(name.removeprefix("open/") for name in names if name != IN_FORCE))

    def require(self) -> Tip:
        """The tip. NOT_INITIALIZED if there is no ledger; LEDGER_MISSING if there was one."""
        tip = self.tip()
        # A git child is cheaper than opening the object store.
        if tip.oid and (tip.oid in self._governed or refs.read(self.reader, f"{tip.oid}:{IN_FORCE}")):
            self._governed.add(tip.oid)
            return tip
        if tip.oid:
            # Raises if the ledger cannot be read.
            tip.names("")
        # The lock shows that a command wrote to a ledger here.
        if not tip.oid and (self.common / LOCK).exists():
            text = "This repository is frozen, because its ledger, the branch devs/ledger, is missing."
            raise DevsError("LEDGER_MISSING", text, hint="Restore it. See: devs-git doctor")
        raise DevsError(
            "NOT_INITIALIZED",
            "The ledger of this repository has no policy yet."
            if tip.oid
            else "This repository has no devs-git ledger.",
            hint="Run: devs-git init",
        )

    def newest_first(self, tip: str = LEDGER) -> Generator[Event]:
        """All events in exactly the reverse of the fold's order, read as they are needed.

        With `--topo-order` git reads every commit before it prints the first. So it is used only from the newest merge of
        two ledgers on: above that the ledger is one line, and every order is the same.
        """
        for event in self.events(tip):
            if len(event.parents) > 1:
                yield from self.events(event.oid, order=("--topo-order",))
                return
            yield event

    def events(
        self, *tips: str, since: str = "", oldest_first: bool = False, order: tuple[str, ...] = ()
    ) -> Generator[Event]:
        """Events reachable from `tips` (default: the ledger) and not from `since`, read as they are needed. Newest first by default."""
        order = ("--topo-order", "--reverse") if oldest_first else order
        bound = (f"^{since}",) if since else ()
        return self.read_events(*order, *(tips or (LEDGER,)), *bound, "--")

    def read_events(self, *what: str, stdin: bytes = b"") -> Generator[Event]:
        return (event for event, _tree in self.read_with_trees(*what, stdin=stdin))

    def read_with_trees(self, *what: str, stdin: bytes = b"") -> Generator[tuple[Event, str]]:
        # `what`: words for `git rev-list`.
        words = ("--no-commit-header", "--encoding=UTF-8", "--format=%H%x1f%P%x1f%T%x1f%B%x00")
        output = self.reader.stream("rev-list", *words, *what, stdin=stdin)
        with closing(output), require_complete():
            for record in bounded.records(output, limits.COMMIT):
                oid, parents, tree, message = record.decode("utf-8", "replace").lstrip("\n").split("\x1f", 3)
                yield self.parse(oid, tuple(parents.split()), message), tree

    def tree_of(self, commit: str) -> str:
        return self.objects.read(commit, "commit")[5:45].decode()

    def list_path(self, tree: str, folder: str) -> dict[str, Entry]:
        entries = self.objects.read_tree(tree) if tree != EMPTY_TREE else {}
        for part in folder.split("/") if folder else ():
            entry = entries.get(part)
            if entry is None or entry.mode != TREE:
                return {}
            entries = self.objects.read_tree(entry.oid)
        return entries

    def read_path(self, tree: str, path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        entry = self.list_path(tree, folder).get(name)
        return self.file(entry.oid) if entry and entry.mode != TREE else None

    def file(self, oid: str) -> bytes:
        """The bytes of a file of the ledger. LEDGER_MISSING; LEDGER_MUTATED if it is larger than any of ours."""
        return self.objects.read(oid, "blob", limits.DOCUMENT.most)

    def append(self, build: Callable[[Tip], Draft], *, git: Git | None = None, lock: bool = True) -> Event:
        """Write the event that `build` makes for the tip, with its files and refs. Returns the event with its oid.

        `build` is called again if another writer was faster. If it raises DevsError, nothing is written. `git` is the git
        of the worktree, if its HEAD is among the refs. RefMoved if another ref than the ledger did not have its expected
        value; BUSY after too many attempts.
        """
        from devs_git.storage.git import locks

        with locks.hold(self.common / LOCK, wait=LOCK_SECONDS) if lock else nullcontext():
            until = time.monotonic() + REF_LOCK_SECONDS
            for attempt in range(ATTEMPTS):
                tip = self.tip()
                checked = self.checked_tip == tip.oid
                with self.objects.record_writes() as notes:
                    draft = build(tip)
                    event = self.write_commit(tip, draft)
                if not newest_objects.keep(self.common, notes):
                    continue
                self.announce(event.oid, tip.oid if draft.first_parent or draft.second_parent else "")
                update = RefUpdate(LEDGER, event.oid, tip.oid or NO_OID)
                try:
                    refs.transaction(git or self.git, (*draft.updates, update), f"devs: {event.subject}")
                except (refs.RefMoved, refs.RefLocked) as error:
                    if isinstance(error, refs.RefMoved) and self.tip().oid == tip.oid:
                        raise
                    if isinstance(error, refs.RefLocked) and time.monotonic() > until:
                        raise refs.lock_refusal(error) from error
                    import random

                    time.sleep(random.uniform(0.001, 0.01 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
                    continue
                except GitFailed as error:
                    if refs.missing_object(error) in notes:
                        # A git prune deleted a new object.
                        continue
                    # git may have been killed after its work was done.
                    if self.tip().oid != event.oid or refs.any_unmoved(self.reader, draft.updates):
                        raise
                newest_objects.restore(self.reader, self.common)
                if checked:
                    self.note_checked(event.oid)
                return event
        raise DevsError("BUSY", "Other processes keep writing to the ledger.", hint="Run the command again.")

    @property
    def checked_tip(self) -> str:
        """The newest tip that this clone has judged by the rule of belief (see `checked_tip`); '' if it noted none."""
        words: list[str] = []
        with suppress(OSError), (self.common / CHECKED).open("rb") as note:
            words = [word for word in note.read(2 * 41).decode("ascii", "replace").split() if is_oid(word)]
        # While a merge is written there are two. The second counts until the ledger is at the first.
        return words[-1 if words[1:] and self.tip().oid != words[0] else 0] if words else ""

    def announce(self, tip: str, before: str) -> None:
        """Note the next tip before the ledger moves. If this process is killed then, the move is still known as our own."""
        if before and self.checked_tip == before:
            self.note_checked(tip, before)

    def note_checked(self, *tips: str) -> None:
        """Note that the ledger was judged up to here. If the note cannot be written, the ledger is judged again."""
        from devs_git.storage.ledger import judged_note

        with suppress(OSError, DevsError, GitFailed):
            judged_note.write(self.common / CHECKED, tips, lambda: Tip(self, tips[0]).read(IN_FORCE))

    def write_commit(self, tip: Tip, draft: Draft) -> Event:
        """Store the commit of an event with the current time as its end. No ref moves."""
        tree = self.tree_of(draft.first_parent) if draft.first_parent else tip.tree
        tree = self.objects.edit_tree(tree, draft.files) if draft.files else tree
        parents = tuple(oid for oid in (draft.first_parent, tip.oid, draft.second_parent) if oid)
        head = f"tree {tree}\n" + "".join(f"parent {oid}\n" for oid in parents)
        sign, ended = self.signature(), draft.event.finished_at(self.now())
        text = f"{head}author {sign}\ncommitter {sign}\n\n{ended.message()}"
        oid = self.objects.write("commit", text.encode("utf-8", "surrogateescape"))
        return replace(ended, oid=oid, parents=parents)
