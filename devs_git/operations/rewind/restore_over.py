"""A restore from a commit over local changes: these are saved as the person chose, and the files come back all the same.

Changes of other files stay, as in a restore that overwrites nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import Draft
from devs_git.operations.rewind import refusals
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.restore_commit import RestoreJob
from devs_git.operations.rewind.return_to_state import ChangeResult, StateChange, carry_out, movement
from devs_git.storage.git.objects import EXECUTABLE, Entry
from devs_git.storage.git.private_index import DURABLE, add_entries, private
from devs_git.storage.git.program import Git, join_z, split_z
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, capture, footprint, obstacles
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import CapturedState, copy_index
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.modes import default_mode
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.tree_difference import parents
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

_DIFFERENCES: Final = ("diff-index", "--raw", "-z", "--no-renames", "--ignore-submodules=all", "--no-abbrev")


@immutable
class Touched:
    """The files whose index entry or content on the disk is not that of the wanted tree: those that come, those that go."""

    wanted: dict[str, Entry]
    gone: tuple[str, ...]

    def put_into(self, own: Git) -> None:
        """Change the index of `own`. What goes makes room: a file can become a folder."""
        if self.gone:
            own.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(self.gone))
        add_entries(own, self.wanted)


def find_touched(git: Git, found: Survey, tree: str, paths: Sequence[str]) -> Touched:
    """The files to bring, and those of HEAD that leave, at or below `paths`. What neither commit has stays."""
    here, named = list_files(git, found.head), set(paths)
    wanted: dict[str, Entry] = {}
    gone: set[str] = set()
    # Without `--cached` git also lists files of which only the time differs.
    for how, among in (((), {*found.dirty, *found.intended}), (("--cached",), None)):
        out = split_z(git.run(*_DIFFERENCES, *how, tree, "--"))
        for head_words, path in zip(out[::2], out[1::2], strict=True):
            mode, _, oid, *_ = head_words[1:].split(" ")
            if (among is not None and path not in among) or (
                named and named.isdisjoint((path, *parents(path)))
            ):
                continue
            if mode.strip("0"):
                wanted[path] = Entry(int(mode, 8), oid)
            elif path in here:
                gone.add(path)
    return Touched(wanted, tuple(sorted(gone)))


def carry(workspace: Workspace, site: Site, job: RestoreJob) -> tuple[str, ChangeResult]:
    """HEAD afterwards, and what was changed; nothing is written if no file is touched. The caller holds the worktree's lock.

    GIT_RESET_FAILED if a nested repository or something that is no file is in the way.
    """
    found, active = job.found, active_task.read(site.places)
    touched = find_touched(site.git, found, job.tree, job.paths)
    if not (touched.wanted or touched.gone):
        return found.head, ChangeResult()
    plan = _footprint(site, job, touched)
    for error in refusals.of_obstacles(plan, plan.obstacles.files, "save"):
        raise error
    oid = _commit(workspace, site, job, active)
    change = StateChange(
        op_id=job.op_id,
        verb="restore",
        subject=job.subject,
        found=found,
        footprint=plan,
        new=State(oid, found.branch, "", "", active=active),
        effect=Effect(),
        saved=plan.obstacles.files,
        mode=job.way[0] or "",
        name=job.way[1],
        limit=lambda: workspace.policy.backup_limit,
        complete=lambda captured: _complete(site, job, touched, captured, oid),
    )

    make_event = job.maker_of_event(workspace)

    def build(_tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        return Draft(make_event(movement(change, old, kept, backup)))

    return oid, carry_out(site, change, active, build)


def _commit(workspace: Workspace, site: Site, job: RestoreJob, active: str) -> str:
    """The new commit; HEAD itself if its tree is the wanted one, and only local changes were in the way."""
    head = job.found.head
    if job.tree == job.trees[0]:
        return head
    message = f"{job.message}\n\n{active}{TrailerKey.LEDGER}: {workspace.ledger.tip().oid}"
    return capture.commit(site.objects, job.tree, [head], site.ledger.signature(), message)


def _footprint(site: Site, job: RestoreJob, touched: Touched) -> Footprint:
    """The footprint of the files alone: of a move to the index with them in it."""
    copy_index(site.git, job.folder / "index.wanted")
    own = private(site.git, job.folder / "index.wanted")
    touched.put_into(own)
    plan = footprint.compute(job.found, site.top, own.text("write-tree", "--missing-ok"))
    plan = footprint.with_hidden_edits(job.found, site.top, plan)
    blocked = obstacles.find(site.top, touched.wanted, lambda path: path in job.found.entries)
    every = tuple(sorted({*plan.obstacles.files, *blocked.files}))
    return replace(plan, obstacles=replace(blocked, files=every), bytes_only=tuple(touched.wanted))


def _complete(site: Site, job: RestoreJob, touched: Touched, captured: CapturedState, oid: str) -> State:
    """The captured state with the files of the commit, at that commit.

    It is not `exact`: the commit has no bytes of the files on the disk, so git converts what it writes, as its filters say.
    """
    old, every = captured.state, {*touched.wanted, *touched.gone}

    def with_files(name: str, tree: str) -> str:
        own = private(site.git, job.folder / f"index.{name}").with_config(*DURABLE)
        own.run("read-tree", tree)
        touched.put_into(own)
        return own.text("write-tree", "--missing-ok")

    raw = {path: one for path, one in list_files(site.git, old.raw).items() if path not in every}
    apart = private(site.git, job.folder / "index.raw-of-others").with_config(*DURABLE)
    add_entries(apart, raw)
    modes = {path: mode for path, mode in old.modes.items() if path not in every}
    modes |= {
        path: default_mode(executable=entry.mode == EXECUTABLE)
        for path, entry in touched.wanted.items()
        if path in old.modes
    }
    return replace(
        old,
        head=oid,
        index=with_files("new", old.index),
        worktree=with_files("files", old.worktree),
        raw=apart.text("write-tree") if raw else "",
        index_raw=_index_file(site, job, touched, old),
        modes=modes,
        exact=False,
        unkept={path: one for path, one in old.unkept.items() if path not in every},
    )


def _index_file(site: Site, job: RestoreJob, touched: Touched, old: State) -> str:
    """The blob of the index file, if it has more than a tree can: flags, and intents to add."""
    if not old.index_raw:
        return ""
    index = job.folder / "index.flags"
    index.write_bytes(site.objects.read(old.index_raw, "blob"))
    own = private(site.git, index).with_config(*DURABLE)
    touched.put_into(own)
    return own.text("hash-object", "-w", "--no-filters", "--", str(index))
