"""The newest tip of the ledger that this clone has judged: `<common git directory>/devs/checked-tip`.

Whoever can push a ledger must not choose the policy that judges the push. So if the ledger moved without devs-git (by a
plain `git fetch` into the branch), it is judged before any command uses it, and compared with the earlier tip. Commands of
devs-git update the note. The note may be deleted: then the next command judges the whole ledger, and finds out from the
branch's reflog and from what `sync` saw whether the ledger was set back.
"""

from __future__ import annotations

from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.ledger.store import LOCK, Ledger, Tip
from devs_git.values import TYPE_CHECKING, WithoutCollector

if TYPE_CHECKING:
    from devs_git.domain.gates.policy import Policy


def rollback_error(old_tip: str, tip: str) -> DevsError:
    """LEDGER_ROLLBACK. A gate may have been open in the events that are missing now."""
    return DevsError(
        "LEDGER_ROLLBACK",
        f"The ledger was set back to {tip[:12]}: it lacks event {old_tip[:12]}, which this clone had.",
        hint=f"Restore it: git update-ref {LEDGER} {old_tip}",
    )


def require(ledger: Ledger, tip: str, *, note: bool = False, behind: bool = False) -> None:
    """Raise an error unless the rule of belief accepts the ledger at `tip` and it descends from the checked tip.

    A clone without a note and without an event of its own compares the ledger with the tracked policy: LEDGER_FORK,
    CONFLICT. With `behind`, `tip` may be older than the checked tip; `sync` uses this, because it moves the ledger forward.
    HISTORY_REWRITTEN if the checked tip is missing, because git never deletes what a ref or a reflog reaches. With `note`
    the judged tip is noted, unless it replaces what this clone had: then only a person decides. Dry runs note nothing.
    """
    old_tip = ledger.checked_tip
    if not tip or tip == old_tip:
        return
    if old_tip and not ledger.objects.exists(old_tip):
        raise rewritten_commits.ledger_rewritten(old_tip)
    if old_tip and _is_older(ledger, tip, old_tip):
        # Another process may have written since this one read the tip. Then an older tip is correct.
        if not behind and ledger.tip().oid == tip:
            raise rollback_error(old_tip, tip)
        return
    if old_tip and _is_forgotten(ledger, old_tip, tip):
        raise rewritten_commits.ledger_rewritten(old_tip)
    if not (old_tip or behind) and (gone := _missing_tip(ledger, tip)):
        raise rollback_error(gone, tip)
    unseen = not old_tip and not (ledger.common / LOCK).exists()
    _judge(ledger, old_tip, tip, _first_policy(ledger, tip) if unseen else "")
    # Another process may have noted a newer tip meanwhile, which must not be forgotten.
    if note and not (behind and _replaces(ledger, old_tip, tip)) and ledger.checked_tip == old_tip:
        ledger.note_checked(tip)


def policy_at(tip: Tip) -> Policy:
    """The policy in force at `tip`, by the rule of belief; the defaults if there is none. POLICY_INVALID."""
    from devs_git.storage.ledger import gate_files

    require(tip.ledger, tip.oid)
    return gate_files.policy_of(tip)


def _replaces(ledger: Ledger, old_tip: str, tip: str) -> bool:
    """Whether `tip` lacks an event that this clone had. With `behind` this is not refused, and has to stay known."""
    if not old_tip:
        return bool(_missing_tip(ledger, tip))
    return not ledger.reader.says("merge-base", "--is-ancestor", old_tip, tip)


def _is_older(ledger: Ledger, tip: str, old_tip: str) -> bool:
    """Whether `tip` is an ancestor of `old_tip`. HISTORY_REWRITTEN if older objects of it are missing (see `newest_objects`)."""
    try:
        return ledger.reader.says("merge-base", "--is-ancestor", tip, old_tip)
    except GitFailed as error:
        raise rewritten_commits.ledger_rewritten(old_tip) from error


def _is_forgotten(ledger: Ledger, old_tip: str, tip: str) -> bool:
    """Whether no reflog has `old_tip` any longer and `tip` does not descend from it, as after a rewritten history.

    Its objects may still exist in `newest_objects`. Without a reflog the answer is False.
    """
    if not (ledger.common / "logs" / LEDGER).is_file() or old_tip in refs.reflog(ledger.common, LEDGER):
        return False
    return not ledger.reader.says("merge-base", "--is-ancestor", old_tip, tip)


def _missing_tip(ledger: Ledger, tip: str) -> str:
    """The newest earlier tip, from the reflog and from what `sync` saw, that `tip` does not contain; '' if there is none.

    Tips that the rule of belief does not accept are ignored: a plain fetch may have brought one, which a person removed.
    """
    had = {*refs.reflog(ledger.common, LEDGER), *refs.list_refs(ledger.reader, "refs/devs/remotes").values()}
    here = sorted(oid for oid in had - {tip, NO_OID} if ledger.objects.exists(oid))
    asked = "".join(f"{oid}\n" for oid in (*here, f"^{tip}"))
    words = ("rev-list", "--topo-order", "--stdin")
    gone = ledger.reader.run(*words, stdin=asked.encode()).decode().split() if here else []
    return next((oid for oid in gone if oid in had and not _is_unsound(ledger, oid)), "")


def _is_unsound(ledger: Ledger, tip: str) -> bool:
    from devs_git.storage.ledger import received

    return next(received.judge_ledger(ledger, "", tip), None) is not None


def _first_policy(ledger: Ledger, tip: str) -> str:
    from devs_git.storage.ledger import unknown_ledger

    return unknown_ledger.require_known(ledger, tip)


def _judge(ledger: Ledger, old_tip: str, tip: str, first: str) -> None:
    from devs_git.storage.ledger import audit_facts, received

    try:
        with WithoutCollector():
            found = next(received.judge_ledger(ledger, old_tip, tip, first=first), None)
    except GitFailed as error:
        found = audit_facts.unreadable(error)
    if found:
        person = f"Call a person. See: devs-git verify ledger, and: git log -1 {found.where or tip}"
        raise DevsError(
            found.code,
            f"The ledger in this clone cannot be trusted: {found.message}",
            hint=f"Nothing was changed. {found.fix if found.code == 'FORMAT_TOO_NEW' else person}",
        )
