"""The ledger's files of a task, one for each event of it (see `ids.task_folders`), and the history since its first.

The files never change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import Event, parse
from devs_git.domain.ledger.ids import checkpoint_ref, completed_tag
from devs_git.domain.text import limits
from devs_git.errors import invalid
from devs_git.storage.documents import yaml_documents
from devs_git.storage.git import object_graph, refs
from devs_git.storage.git.program import Git, split_z
from devs_git.storage.ledger import clone_history
from devs_git.storage.ledger.store import Tip, require_complete
from devs_git.values import TYPE_CHECKING

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import History


def file(op_id: str, event: Event, work: Work, texts: Mapping[str, str], *, tip: Tip) -> tuple[str, bytes]:
    """Path and bytes of the file for an event of a task that is written after `tip`. Empty values are left out. INVALID_ARGUMENTS if it is too large."""
    values = {
        "task_id": work.task,
        "event": event.type,
        "created_at": event.finished,
        "agent": work.agent,
        "client": work.client,
        "phase": work.phase,
        **texts,
    }
    data = yaml_documents.dump({key: value for key, value in values.items() if value}, "task")
    if len(data) > yaml_documents.MAX_BYTES:
        longest = max(texts, key=lambda key: len(texts[key]))
        raise invalid(longest, f"The {longest} is too long to be stored with the task.")
    return ids.task_file(work.task, op_id, _format(tip)), data


def _format(tip: Tip) -> int:
    """The format of the event at the tip."""
    message = tip.ledger.objects.read(tip.oid, "commit").partition(b"\n\n")[2]
    return parse(tip.oid, (), message.decode("utf-8", "replace")).format


def newest(tip: Tip, task_id: str) -> dict[str, str]:
    """The values of all files of a task. For each key the newest file wins. LEDGER_MISSING, LEDGER_MUTATED, INVALID_ARGUMENTS."""
    files = [yaml_documents.load(data, path, "task") for path, data in _contents(tip, task_id)]
    found: dict[str, str] = {}
    for values in sorted(files, key=lambda values: str(values.get("created_at", ""))):
        if values.get("event") == "task.started":
            # The task was started again: older plans and results do not count.
            found = {}
        found |= {key: str(value) for key, value in values.items()}
    return found


def _contents(tip: Tip, task_id: str) -> list[tuple[str, bytes]]:
    """Path and bytes of each file of the task. git reads the folders and the files with one child each."""
    rows = [line.split(maxsplit=4) for line in _listed(tip, [task_id], "-l")]
    small = [oid for _, _, oid, size, _ in rows if size.isdigit() and int(size) <= limits.DOCUMENT.most]
    known = dict(object_graph.contents(tip.ledger.reader, small))
    # Of any other entry this raises what is wrong with it.
    return [(path, known[oid] if oid in known else tip.ledger.file(oid)) for _, _, oid, _, path in rows]


def history_of(tip: Tip, task_id: str) -> History:
    """The history at `tip` in which all about this task is right, and others may be missing."""
    return _since_begin(tip, task_id) or tip.history


def history_here(tip: Tip, task_id: str) -> History:
    """The same for this clone, by its branches and those of the remotes."""
    found = _since_begin(tip, task_id)
    return clone_history.view_here(tip.ledger.reader, tip.ledger.common, found) if found else tip.here


def history_for_start(tip: Tip, task_id: str) -> History:
    """The same for a task that an event will start. Most ids are new: then neither the ledger's tree nor a ref has them.

    The caller holds the ledger's lock. A checkpoint that was recorded without a start has no file, but a ref or an archive.
    """
    git = tip.ledger.reader
    names = (completed_tag(task_id), checkpoint_ref(task_id, 0).rpartition("/")[0])
    if operations(tip, [task_id])[task_id] or refs.list_refs(git, *names) or _is_archived(git, task_id):
        return history_here(tip, task_id)
    from devs_git.domain.ledger.history import History

    return History(tip.oid)


def _is_archived(git: Git, task_id: str) -> bool:
    from devs_git.storage.git import ref_files

    if not ref_files.has_below(git, ids.ARCHIVES):
        return False
    # Few repositories have an archive.
    from devs_git.storage.ledger.archived import archived_points

    return bool(archived_points.here(git, {task_id}))


def _since_begin(tip: Tip, task_id: str) -> History | None:
    from devs_git.domain.ledger.newest_events import NewestEvents

    wrote = operations(tip, [task_id])
    with closing(tip.ledger.events(tip.oid)) as events:
        newest = NewestEvents(events)
        return newest.history_of({task_id}) if newest.reach(wrote) else None


def operations(tip: Tip, tasks: Collection[str]) -> dict[str, set[str]]:
    """For each of the tasks, the operations that wrote its files."""
    found: dict[str, set[str]] = {task: set() for task in tasks}
    for path in _listed(tip, tasks, "--name-only"):
        *_, task, name = path.split("/")
        found[task].add(name.removesuffix(".yaml"))
    return found


def _listed(tip: Tip, tasks: Collection[str], form: str) -> list[str]:
    """What `git ls-tree` says of each file of the tasks. git finds a name in a folder of 25,000 faster than Python."""
    folders = (f"{folder}/" for task in tasks for folder in ids.task_folders(task))
    with require_complete():
        return split_z(tip.ledger.reader.run("ls-tree", "--full-tree", form, "-z", tip.oid, *folders))
