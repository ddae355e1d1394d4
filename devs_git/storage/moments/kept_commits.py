"""Keeps the commits that moments need: HEAD's, and before some commands the tips of branches and the stash entries.

The newest commits are in the store of moments with all that they brought. So no ref of ours shows a commit that was amended
or rebased away, and the user's git can delete its own copy. What came before is too much to copy. It stays in the user's
repository, where refs of ours name the commits at which a copy ended: the base. It shows nothing, because the user's
branches have these commits, too. If they are gone from all branches, `settle` copies them, and the base moves back.

What always holds: all that a commit of a moment reaches is in the store, or the base reaches it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.moments.moment import BASE, COMMITS, TIPS, day_of_ref
from devs_git.errors import DevsError
from devs_git.storage.git import locks, refs
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.program import OBJECTS_ALONE, Git, GitFailed, of_store
from devs_git.storage.moments import moment_store
from devs_git.values import immutable, replace

# A commit, its parents, and the objects that it has and that its first parent has not.
_Row = tuple[str, list[str], set[str]]
_ATTEMPTS: Final = 5
_WORDS: Final = (
    "log",
    "-z",
    "--raw",
    "-t",
    "--no-abbrev",
    "--no-renames",
    "--no-show-signature",
    "--diff-merges=first-parent",
    "--ignore-missing",
    "--format=tformat:%H %T %P",
)
_BEFORE_BASE: Final = (f"--glob={BASE}*",)
# What the user sees without our refs.
_SHOWN: Final = (f"--exclude={BASE}*", f"--exclude={COMMITS}*", "--all")
_EVERY: Final = ("--all",)


@immutable
class Most:
    """How much one copy takes: so many commits, with so many objects and so many bytes of them on disk."""

    commits: int
    objects: int
    bytes: int


# A hook copies what fits into some milliseconds; a process behind it may need a second.
IN_A_HOOK: Final = Most(100, 2_000, 16 << 20)
_SOON: Final = Most(500, 2_000, 16 << 20)
BEHIND: Final = Most(5_000, 200_000, 1 << 30)
# Commits in the store after which the base moves up to the newest ones.
_MANY: Final = 1_000


@immutable
class Walk:
    """The newest commits before some tips. `objects`: they, and what each of them has that its first parent has not.

    `rest`: the commits where the walk ended because it had enough. `parents` of the commits that are not among them.
    `whole`: all commits could be read.
    """

    commits: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    parents: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    whole: bool = True


def keep(git: Git, user: Git, common: Path, tips: Collection[str], known: Collection[str]) -> Walk:
    """Copy what these tips reach, and what neither `known` nor the base does. BUSY, GitFailed, OSError.

    `git` reads both stores, `user` is that of the ledger. `known` are commits of moments that exist.
    """
    found = walk(git, tips, known, _BEFORE_BASE, IN_A_HOOK)
    moment_store.adopt(git, common, found.objects, lenient=True)
    if found.rest:
        _move_base(user, common, lambda base: base | found.rest)
    return found


def walk(
    git: Git, tips: Collection[str], known: Iterable[str], before: tuple[str, ...], most: Most | None = None
) -> Walk:
    """The newest commits that `tips` reach, without those that `known` and the refs `before` reach. GitFailed."""
    if not tips:
        # git would take HEAD.
        return Walk()
    script = "".join(f"{oid}\n" for oid in tips) + "".join(f"^{oid}\n" for oid in known)
    git = git.with_env(**OBJECTS_ALONE).with_config("log.showRoot=true")
    count = (f"-{most.commits}",) if most else ()
    out = git.run(*_WORDS, *count, "--not", *before, "--not", "--stdin", stdin=script.encode())
    every = list(_read(out))
    taken = _most_of(git, every, most) if most else every
    commits = frozenset(commit for commit, _, _ in taken)
    objects = frozenset(oid for _, _, brought in taken for oid in brought)
    parents = frozenset(oid for _, above, _ in taken for oid in above) - commits
    if len(taken) == len(every) and not (most and len(every) == most.commits):
        return Walk(commits, objects, parents)
    # git names a commit after one of its children, but not after all of them.
    return Walk(commits, objects, parents, (parents | {*tips}) - commits)


def _most_of(git: Git, every: Sequence[_Row], most: Most) -> Sequence[_Row]:
    """As many of the newest commits as the bounds allow."""
    common = Path(git.environment()["GIT_OBJECT_DIRECTORY"]).parent.parent.parent
    oids = {oid for _, _, brought in every for oid in brought}
    sizes = moment_store.sizes_of(moment_store.without_remotes(git, common), oids) if oids else {}
    objects = room = 0
    for at, (_, _, brought) in enumerate(every):
        objects += len(brought)
        room += sum(sizes.get(oid, 0) for oid in brought)
        if objects > most.objects or room > most.bytes:
            return every[:at]
    return every


def _read(out: bytes) -> Iterator[_Row]:
    """What git said of each commit."""
    commit, parents, brought = "", [""], set[str]()
    parts = iter(out.split(b"\0"))
    for part in parts:
        # git writes a line feed before the first change of a commit.
        if part.startswith((b":", b"\n:")):
            brought |= moment_store.new_of(part)
            # The path.
            next(parts)
        elif part:
            if commit:
                yield commit, parents, brought
            commit, tree, *parents = part.decode().split()
            brought = {commit, tree}
    if commit:
        yield commit, parents, brought


def independent(git: Git, oids: Collection[str]) -> list[str]:
    """Those of the commits that no other one reaches. All of them if git cannot tell, for example in a shallow clone."""
    if len(oids) < 2:
        return list(oids)
    try:
        return git.text("merge-base", "--independent", *sorted(oids)).split()
    except GitFailed:
        return list(oids)


def _move_base(user: Git, common: Path, change: Callable[[frozenset[str]], frozenset[str]]) -> None:
    """Set the base to what `change` makes of it. BUSY, GitFailed."""
    for _ in range(_ATTEMPTS):
        now = refs.list_refs(user, BASE.rstrip("/"))
        named = change(frozenset(now.values()))
        wanted = set(independent(user, named.difference(moment_store.missing_of(user, sorted(named)))))
        updates = [RefUpdate(f"{BASE}{oid}", oid, NO_OID) for oid in wanted - set(now.values())]
        updates += [RefUpdate(ref, NO_OID, oid) for ref, oid in now.items() if oid not in wanted]
        try:
            if updates:
                refs.transaction(user, updates, "devs: moments")
        except (refs.RefMoved, refs.RefLocked):
            for one in updates:
                moment_store.mend_ref(common, one.ref)
            continue
        return
    raise DevsError("BUSY", "Other processes change the moments of this repository.", hint="Try it again.")


def give_back(objects: Objects, tips: Iterable[str]) -> None:
    """Copy what these commits reach, and what no ref of the user does, into the user's store. What is gone is left out."""
    common = objects.folder.parent
    git = moment_store.with_objects(of_store(common, offline=True), common)
    # A moment of which a commit is gone has its files all the same.
    with contextlib.suppress(GitFailed):
        moment_store.give_back(objects, walk(git, [*filter(None, tips)], (), _EVERY).objects)


def complete(user: Git, common: Path, tips: Collection[str], known: Collection[str] = ()) -> Walk:
    """What the store needs of the commits of moments. Nothing of a commit whose history is damaged. GitFailed, OSError."""
    git = moment_store.with_objects(user, common)
    try:
        found = walk(git, tips, known, _BEFORE_BASE, BEHIND)
    except GitFailed:
        if len(tips) < 2:
            return Walk(whole=False)
        found = _union([complete(user, common, (tip,), known) for tip in tips])
    moment_store.adopt(git, common, found.objects, lenient=True)
    return found


def _union(walks: Sequence[Walk]) -> Walk:
    none = frozenset[str]()
    return Walk(
        none.union(*(one.commits for one in walks)),
        none.union(*(one.objects for one in walks)),
        none.union(*(one.parents for one in walks)),
        none.union(*(one.rest for one in walks)),
        all(one.whole for one in walks),
    )


def renew(user: Git, common: Path, tips: Mapping[str, str]) -> Walk:
    """Complete what the store has of the commits of moments, so that a base that somebody deleted is no loss.

    If there are many, the base moves up. `tips` are the refs of commits in the store. BUSY, GitFailed, OSError.
    """
    found = complete(user, common, set(tips.values()))
    if len(found.commits) <= _MANY and not found.rest:
        return found
    git = moment_store.with_objects(user, common)
    newest = walk(git, _newest(tips), (), (), IN_A_HOOK)
    _move_base(user, common, lambda base: base | newest.rest | found.rest)
    again = complete(user, common, set(tips.values()))
    return replace(again, whole=again.whole and not again.rest)


def _newest(tips: Mapping[str, str]) -> set[str]:
    """The commits of the newest day of each worktree."""
    days = {ref: day_of_ref(ref) or ("", "") for ref in tips}
    last: dict[str, str] = {}
    for worktree, day in days.values():
        last[worktree] = max(day, last.get(worktree, ""))
    return {oid for ref, oid in tips.items() if last[days[ref][0]] == days[ref][1]}


def clear_base(user: Git, common: Path) -> None:
    """Delete the base, where no moment needs a commit any more. The caller lets nobody make a moment. BUSY, GitFailed."""
    _move_base(user, common, lambda _base: frozenset())


def settle_soon(user: Git, common: Path) -> None:
    """Settle from a hook, unless it takes long, or somebody packs the store: then the end of a turn does it."""
    lock = moment_store.folder(common) / moment_store.PACKING
    with (
        contextlib.suppress(DevsError, GitFailed, GitTimedOut, refs.RefMoved, refs.RefLocked, OSError),
        locks.hold(lock, wait=0.0),
    ):
        settle(user, common, _SOON)


def settle(user: Git, common: Path, most: Most = BEHIND) -> None:
    """Copy what only refs of ours show in the user's repository, and move the base below it. BUSY, GitFailed, OSError.

    What an older version kept there for moments goes into the store in the same way. If that is more than `most`, only
    a process behind it goes on. The caller lets nobody pack meanwhile.
    """
    found = refs.list_refs(user, BASE.rstrip("/"), COMMITS.rstrip("/"))
    if not found or not moment_store.exists(common):
        return
    former = {ref: oid for ref, oid in found.items() if ref.startswith(COMMITS)}
    if former:
        tips = [RefUpdate(ref.replace(COMMITS, TIPS, 1), oid, "") for ref, oid in former.items()]
        refs.transaction(moment_store.refs_of(user, common), tips, "devs: moments")
    git = moment_store.with_objects(user, common)
    lone = walk(git, found.values(), (), _SHOWN, most)
    if not (lone.commits or former) or (lone.rest and most is not BEHIND):
        return
    moment_store.adopt(git, common, lone.objects, lenient=True)
    below = (lone.parents | set(former.values())) - lone.commits
    deep = walk(git, below, set(found.values()) - lone.commits - below, (), IN_A_HOOK)
    moment_store.adopt(git, common, deep.objects, lenient=True)
    _move_base(user, common, lambda base: (base - lone.commits - deep.commits) | deep.rest | lone.rest)
    if former:
        gone = [RefUpdate(ref, NO_OID, oid) for ref, oid in former.items()]
        refs.transaction(user, gone, "devs: moments")
