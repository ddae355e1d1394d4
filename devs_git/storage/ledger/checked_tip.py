"""The tip of the ledger up to which the rule of belief was asked here: `<common git directory>/devs/checked-tip`.

Whoever can push a ledger must not choose the policy that judges him. So a ledger that somebody moved without us (a plain
`git fetch` into the branch) is judged before anything believes it, and compared with what was here. What our own
commands write moves the note along. It may be deleted: then the next command judges the whole ledger, and asks the
branch's reflog and what `sync` saw whether it was set back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.ledger.store import LOCK, Ledger, Tip

if TYPE_CHECKING:
    from devs_git.domain.gates.policy import Policy


def set_back(known: str, tip: str) -> DevsError:
    """LEDGER_ROLLBACK: a gate may have been open in what was here."""
    return DevsError(
        "LEDGER_ROLLBACK",
        f"The ledger was set back to {tip[:12]}: it lacks event {known[:12]}, which this clone had.",
        hint=f"Restore it: git update-ref {LEDGER} {known}",
    )


def require(ledger: Ledger, tip: str, *, note: bool = False, behind: bool = False) -> None:
    """The ledger at `tip` is what the rule allows and goes on from what was here; the code of what is wrong otherwise.

    A clone that has no memory at all, neither a note nor an event of its own, compares it with the tracked policy: LEDGER_FORK, CONFLICT.
    With `behind` it may be an older tip of what was here, as for `sync`, which brings it forward.
    HISTORY_REWRITTEN where what was here is gone: git itself never takes away what a ref or a reflog reaches. With `note`
    what was judged is noted; reads and dry runs write nothing.
    """
    known = ledger.checked_tip
    if not tip or tip == known:
        return
    if known and not ledger.objects.exists(known):
        raise rewritten_commits.of_ledger(known)
    if known and _older(ledger, tip, known):
        # Another process may have written between two looks of this one, which then has an older tip, as it may.
        if not behind and ledger.tip().oid == tip:
            raise set_back(known, tip)
        return
    if known and _forgotten(ledger, known, tip):
        raise rewritten_commits.of_ledger(known)
    if not (known or behind) and (gone := _left_out(ledger, tip)):
        raise set_back(gone, tip)
    unseen = not known and not (ledger.common / LOCK).exists()
    _judge(ledger, known, tip, _first(ledger, tip) if unseen else "")
    if note:
        ledger.note_checked(tip)


def policy_at(tip: Tip) -> Policy:
    """The policy that is in force at `tip`, by the rule of belief; the defaults where it has none. POLICY_INVALID."""
    from devs_git.storage.ledger import gate_files

    require(tip.ledger, tip.oid)
    return gate_files.policy_of(tip)


def _older(ledger: Ledger, tip: str, known: str) -> bool:
    """Whether `tip` is before what was here; HISTORY_REWRITTEN where only the newest of that are still here (`newest_objects.py`)."""
    try:
        return ledger.reader.says("merge-base", "--is-ancestor", tip, known)
    except GitFailed as error:
        raise rewritten_commits.of_ledger(known) from error


def _forgotten(ledger: Ledger, known: str, tip: str) -> bool:
    """Whether what was here is in no reflog any more, and `tip` does not go on from it: so a rewritten history leaves it.

    Its objects may all have second names still. Where git keeps no reflog, this is not known.
    """
    if not (ledger.common / "logs" / LEDGER).is_file() or known in refs.reflog(ledger.common, LEDGER):
        return False
    return not ledger.reader.says("merge-base", "--is-ancestor", known, tip)


def _left_out(ledger: Ledger, tip: str) -> str:
    """The newest tip that was here and that `tip` does not have, by the reflog and what `sync` saw; '' for none.

    What the rule does not allow was never believed here: a plain fetch may have brought it, and a person took it away.
    """
    had = {*refs.reflog(ledger.common, LEDGER), *refs.list_refs(ledger.reader, "refs/devs/remotes").values()}
    here = sorted(oid for oid in had - {tip, NO_OID} if ledger.objects.exists(oid))
    asked = "".join(f"{oid}\n" for oid in (*here, f"^{tip}"))
    words = ("rev-list", "--topo-order", "--stdin")
    gone = ledger.reader.run(*words, stdin=asked.encode()).decode().split() if here else []
    return next((oid for oid in gone if oid in had and not _unsound(ledger, oid)), "")


def _unsound(ledger: Ledger, tip: str) -> bool:
    from devs_git.storage.ledger import received

    return next(received.judge_ledger(ledger, "", tip), None) is not None


def _first(ledger: Ledger, tip: str) -> str:
    from devs_git.storage.ledger import first_sight

    return first_sight.require_known(ledger, tip)


def _judge(ledger: Ledger, known: str, tip: str, first: str) -> None:
    from devs_git.storage.ledger import audit_facts, received

    try:
        found = next(received.judge_ledger(ledger, known, tip, first=first), None)
    except GitFailed as error:
        found = audit_facts.unreadable(error)
    if found:
        person = f"Call a person. See: devs-git verify ledger, and: git show {found.where or tip}"
        raise DevsError(
            found.code,
            f"The ledger in this clone cannot be trusted: {found.message}",
            hint=f"Nothing was changed. {found.fix if found.code == 'FORMAT_TOO_NEW' else person}",
        )
