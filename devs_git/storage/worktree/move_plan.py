"""The work of a move, computed before its journal is written, and the check of its result.

The work says which files git writes, and which files we write with captured bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from devs_git.errors import immovable
from devs_git.storage.git.objects import Entry
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import Git, split_z
from devs_git.storage.worktree import attributes, file_state, modes, tree_difference
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.journal import WrittenFile
from devs_git.storage.worktree.modes import Modes
from devs_git.storage.worktree.place_files import Folders
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.values import field, immutable


@immutable
class Known:
    """What the caller knows about files: how they looked at the capture (`file_states`), and their `blobs`.

    `exact`: paths whose bytes in the new state were captured. They are in its raw tree, or else are those of the blob.
    `listed`: the paths of the index for `attributes.may_convert`. `listing`: the difference of the two worktree trees, in
    git's raw format. `merged` waits until git has written the private index after the merge, and returns it. `entries`: mode
    and oid of each path that the merge changes in the index, if git can take the files over from the disk. Then `few` waits
    for a private index of only the new files. Each is None if the caller does not have it.
    """

    file_states: FileStates
    blobs: Mapping[str, str]
    exact: frozenset[str] = frozenset()
    listed: bytes | None = field(default=None, repr=False)
    listing: bytes | None = field(default=None, repr=False)
    merged: Callable[[], Path] | None = field(default=None, repr=False)
    entries: Mapping[str, tuple[str, str]] | None = field(default=None, repr=False)
    few: Callable[[], Path] | None = field(default=None, repr=False)


@immutable
class Work:
    """The work of a move.

    `listing` has the differences of the two trees in git's raw format. `touched` files differ between the states. We write
    the `exact` ones ourselves. The `rewritten` ones get other bytes although their blob stays the same: they map to the
    oid of their bytes before. `modes` are applied after the move. `converts`: attributes may apply to the touched files.
    `fallbacks` are attributes files that the new state has in its index and not on its disk. `plain`: git writes all files
    as they are, and then takes them over into the index.
    """

    listing: bytes = field(repr=False)
    touched: tuple[tree_difference.Change, ...]
    folders: Folders
    exact: Mapping[str, Entry]
    rewritten: Mapping[str, str]
    modes: Modes
    converts: bool
    fallbacks: Mapping[str, Entry] = field(default_factory=dict)
    plain: bool = False

    def bytes_before(self, known: Known) -> dict[str, str]:
        """The oids of the bytes of touched files whose bytes are not those of their blobs."""
        seen = ((change, known.file_states.get(change.path)) for change in self.touched if change.old)
        return {change.path: one.oid for change, one in seen if one and one.oid != change.old}

    @property
    def written_files(self) -> dict[str, WrittenFile]:
        """The files that we write ourselves, for the journal."""
        return {
            path: WrittenFile(entry.mode, entry.oid, self.rewritten.get(path, ""))
            for path, entry in self.exact.items()
        }

    @property
    def taken(self) -> tuple[str, ...]:
        """The paths whose files are taken aside."""
        return (*(change.path for change in self.touched if change.old), *self.rewritten)

    @property
    def by_git(self) -> tuple[str, ...]:
        """The paths that git writes."""
        return tuple(c.path for c in self.touched if c.new and c.path not in self.exact)


def work_out(site: Site, index: Path, old: State, new: State, known: Known) -> Work:
    """Compute the work between two states. The private index has the old state."""
    listing = known.listing
    if listing is None:
        listing = tree_difference.listing(site.git, old.worktree, new.worktree)
    touched, folders = tree_difference.read_listing(listing)
    fallbacks = tree_difference.attributes_fallbacks(site.git, new)
    paths = [change.path for change in touched]
    converts = bool(paths) and (
        bool(fallbacks)
        or attributes.may_convert(site.git, site.top, paths, lambda: _listed(site, index, known))
    )
    exact, rewritten = _bytes(site, touched, new, known, converts=converts)
    # Where the new state has a link on its disk and an attributes file in its index, git would write the attributes file.
    exact |= {c.path: Entry(c.new_mode, c.new) for c in touched if c.new and c.path in fallbacks}
    given: Modes = new.modes
    if not modes.are_default(old.modes):
        given = modes.modes_after_move(
            old.modes, new.modes, {change.path: change.new_mode for change in touched}
        )
    plain = known.entries is not None and not (converts or exact or fallbacks)
    return Work(listing, tuple(touched), folders, exact, rewritten, given, converts, fallbacks, plain)


def _listed(site: Site, index: Path, known: Known) -> bytes:
    return attributes.list_index(private(site.git, index), index) if known.listed is None else known.listed


def _bytes(
    site: Site, touched: list[tree_difference.Change], new: State, known: Known, *, converts: bool
) -> tuple[dict[str, Entry], dict[str, str]]:
    """The files that we write ourselves, and those of them whose blob stays the same, with the oid of their bytes before."""
    raw = list_files(site.git, new.raw)
    changed = {change.path: change for change in touched}
    exact = {path: entry for path, entry in raw.items() if path in changed}
    exactly = known.exact | (changed.keys() if new.exact else set()) - new.unkept.keys()
    if converts:
        for path in exactly - raw.keys():
            if path in changed and changed[path].new:
                exact[path] = Entry(changed[path].new_mode, changed[path].new)
    rewritten = {}
    stay = known.exact | raw.keys() | (known.file_states.keys() if new.exact else set()) - new.unkept.keys()
    for path in stay - changed.keys():
        seen, wanted = known.file_states.get(path), raw.get(path)
        oid = wanted.oid if wanted else known.blobs.get(path, "")
        if seen is not None and oid and seen.oid != oid:
            rewritten[path] = seen.oid
            exact[path] = wanted or Entry(tree_difference.mode_of(seen.mode), oid)
    return exact, rewritten


def find_edited(site: Site, work: Work, known: Known) -> list[str]:
    """Find the paths that changed after the capture: somebody has written to them."""
    top = os.fspath(site.top)
    there = file_state.look(top, (change.path for change in work.touched if not change.old)).files
    unseen = file_state.look(top, (path for path in work.taken if path not in known.file_states)).files
    written = [
        p
        for p in work.taken
        if p in known.file_states and not file_state.is_same(f"{top}/{p}", known.file_states[p])
    ]
    return sorted({*written, *there, *unseen})


def verify(
    git: Git, index: Path, state: State, work: Work, known: Known
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Check that the private index has the state's worktree tree, and look at each touched file.

    Returns the paths that do not round-trip through their filters, and those that somebody wrote to after we had placed
    them. Raises GIT_RESET_FAILED if the index has another tree.
    """
    own = private(git, index)
    # `write-tree` would say the same, and write the index once more.
    words = (*tree_difference.CACHED, "--ita-invisible-in-index", state.worktree, "--")
    with own.alongside(*words) as unlike:
        found = _not_exact(own, work), _edited(own, work)
        off = unlike()
        if off and work.plain and known.entries:
            # git took over what somebody wrote meanwhile, or left out what it is told to call unchanged.
            tree_difference.enter(own, known.entries)
            off = own.run(*words)
        if off and {c.path for c in tree_difference.read_listing(off)[0]} != set(work.fallbacks):
            raise immovable("not_as_written", "After the move, the index does not match the checkpoint.")
    return found


def _not_exact(own: Git, work: Work) -> tuple[str, ...]:
    if not work.converts:
        return ()
    there = {path for path in work.by_git if (Path(own.where) / path).is_file()}
    blobs = {change.path: change.new for change in work.touched if change.path in there}
    paths = attributes.paths_with_conversion(own, list(blobs))
    looked_at = {path: blobs[path] for path in paths}
    if any(change.path.rpartition("/")[2] == attributes.ATTRIBUTES for change in work.touched):
        # git may have written an untouched file earlier, with the attributes from before the move.
        touched = {change.path for change in work.touched}
        looked_at |= {path: oid for path, oid in _files(own).items() if path not in touched}
    return tuple(sorted(looked_at.keys() - tree_difference.paths_matching_blobs(own, looked_at)))


def _files(own: Git) -> dict[str, str]:
    """The files of the index that exist as files, with their blobs."""
    found = {}
    for line in split_z(own.run("ls-files", "-s", "-z")):
        head, path = line.split("\t", 1)
        place = f"{own.where}/{path}"
        if head.startswith("100") and os.path.isfile(place) and not os.path.islink(place):  # noqa: PTH113, PTH114 - there may be thousands
            found[path] = head.split(" ")[1]
    return found


def _edited(own: Git, work: Work) -> tuple[str, ...]:
    """The touched paths that do not have what we put there, or that have a file where there should be none."""
    top = Path(own.where)
    edited = {change.path for change in work.touched if not change.new and _is_there(top, change.path)}
    seen = file_state.look(os.fspath(top), work.exact).files
    edited |= {p for p, entry in work.exact.items() if p not in seen or seen[p].oid != entry.oid}
    git_wrote = set(work.by_git)
    if work.plain:
        seen = file_state.look(os.fspath(top), git_wrote).files
        new = {change.path: change.new for change in work.touched}
        return tuple(sorted(edited | {p for p in git_wrote if p not in seen or seen[p].oid != new[p]}))
    off = (
        {
            path: oid
            for path, oid in tree_difference.paths_unlike_index(own, git_wrote).items()
            if path in git_wrote
        }
        if git_wrote
        else {}
    )
    wrong = off.keys() - tree_difference.paths_matching_blobs(own, off)
    return tuple(
        sorted(edited | (wrong - attributes.find_inexact(own, top, {path: off[path] for path in wrong})))
    )


def _is_there(top: Path, path: str) -> bool:
    """Whether `path` is something other than a folder. A path behind a link or a file does not count."""
    at = path.rfind("/")
    whole = top / path
    if not os.path.lexists(whole) or (whole.is_dir() and not whole.is_symlink()):
        return False
    return at == -1 or os.path.realpath(whole.parent) == os.path.join(os.path.realpath(top), path[:at])  # noqa: PTH118
