"""Which directives wait for an agent, and the note of their tasks that the client's hook reads.

The note, `<common git directory>/devs/directed`, has one task a line. It saves the start of Python at each prompt of all
other tasks. It follows from ledger and catalog, decides nothing, and may be deleted: the next change writes it again.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from devs_git.operations.directives.judge import Judge, JudgedDirective
from devs_git.storage.catalog import directives
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog

NOTE: Final = "directed"


def find(workspace: Workspace, catalog: Catalog, task_id: str = "") -> list[JudgedDirective]:
    """The directives that the next prompt of their task hands over, oldest first. `task_id`: '' for all tasks.

    The catalog is caught up with the ledger, and the ledger is believed.
    """
    left = [one for one in directives.standings(catalog, task_id) if one.waits]
    judge = Judge(workspace) if left else None
    judged = [judge.judge(one) for one in left] if judge else []
    return [one for one in judged if not one.refused]


def look(workspace: Workspace) -> list[JudgedDirective]:
    """The same for a command that only reads, without those of rewound and dropped tasks, which no agent gets.

    Nothing is written. An empty list if the catalog cannot be read.
    """
    from devs_git.domain.ledger.task_standing import LIVE
    from devs_git.operations.directives import delivery_proofs
    from devs_git.storage.catalog.database import TROUBLE, Catalog

    with contextlib.suppress(*TROUBLE), Catalog.look(workspace.places.shared) as catalog:
        shown = {one.directive_id for one in delivery_proofs.find(workspace, catalog)}
        left = [one for one in find(workspace, catalog) if one.standing.directive_id not in shown]
        tip = workspace.ledger.tip()
        return [one for one in left if tip.standing_of_task(one.standing.task_id).status in LIVE]
    return []


def refresh(workspace: Workspace) -> None:
    """After a change of the ledger: bring the catalog's directives and the note up to date.

    If this fails, the command has succeeded all the same. Then a prompt may hand over nothing until the next change.
    """
    from devs_git.storage.catalog.database import TROUBLE, Catalog
    from devs_git.storage.catalog.rewound import ledger_marks

    with (
        contextlib.suppress(GitFailed, *TROUBLE),
        Catalog.open(workspace.places.shared) as catalog,
    ):
        ledger_marks.catch_up(catalog, workspace.ledger)
        write_note(workspace, catalog)


def write_note(workspace: Workspace, catalog: Catalog) -> None:
    """Note the tasks for which a directive waits; without one the note goes. OSError.

    It looks and writes in one transaction, because another process may add a directive at the same time.
    """
    note = workspace.places.shared / NOTE
    with catalog.transaction():
        tasks = dict.fromkeys(one.standing.task_id for one in find(workspace, catalog))
        if tasks:
            replace_file(note, "".join(f"{task}\n" for task in tasks).encode())
        else:
            note.unlink(missing_ok=True)


def announce(workspace: Workspace, task_id: str) -> None:
    """Add a task to the note before its directive is written. If this process is killed in between, the next prompt corrects it."""
    with (workspace.places.shared / NOTE).open("a", encoding="utf-8") as note:
        note.write(f"{task_id}\n")
