"""What this clone knows of a remote from earlier runs of `sync`: its ledger, and its URL."""

from __future__ import annotations

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.remotes import remote_repository, remote_urls
from devs_git.storage.git.remotes.remote_repository import Remote
from devs_git.workspace import Workspace


def is_new(workspace: Workspace, name: str) -> bool:
    """Whether this clone never ran `sync` with the remote `name` ('' for the default), or its URL changed since.

    INVALID_ARGUMENTS{remote}.
    """
    remote = remote_repository.choose(workspace.git, name)
    seen = refs.read(workspace.store_git, Remote(workspace.git, remote, workspace.progress).known_ledger_ref)
    return not seen or bool(changed_url(workspace, remote))


def changed_url(workspace: Workspace, remote: str) -> str:
    """The URL that the remote had when `sync` last ran, if it has another one now; else ''."""
    before = remote_urls.last_used(workspace.places.shared, remote)
    return before if before and before != remote_urls.current(workspace.git, remote) else ""


def require_same_ledger(
    workspace: Workspace, other: Remote, there: remote_repository.RemoteRefs, seen: str
) -> None:
    """LEDGER_FORK for another root, LEDGER_ROLLBACK where the remote's ledger does not continue `seen`.

    If the URL of the remote changed, the refusal says so: then it is another repository, and nothing was set back.
    """
    from devs_git.operations.sync.merge_ledgers import is_descendant

    tip = there.ledger
    if tip:
        _require_same_root(workspace, other, tip, seen)
    if seen and not (tip and is_descendant(workspace.ledger.git, tip, seen)):
        what = "has no devs-git ledger" if there.branches else "is empty"
        if tip:
            what = (
                f"has another state of the ledger, without the event {seen[:12]}, which the earlier one had"
            )
        now = f"is at {tip[:12]}, which does not contain" if tip else "is gone; it was at"
        raise _moved(workspace, other, "LEDGER_ROLLBACK", what) or DevsError(
            "LEDGER_ROLLBACK",
            f"The ledger of {other.remote} {now} {seen[:12]}, the newest event that this clone saw there.",
            hint=f"Nothing was changed. Call a person. If the remote is right: {_forget(other)}",
            remote=other.remote,
            seen=seen,
        )


def _require_same_root(workspace: Workspace, other: Remote, tip: str, seen: str) -> None:
    """LEDGER_FORK if the remote's ledger at `tip` has another root than that of this clone."""
    from devs_git.operations.setup import adopt_ledger
    from devs_git.storage.ledger import unknown_ledger

    git = workspace.ledger.git
    if not seen:
        unknown_ledger.require_named(workspace.ledger, other.remote, tip, workspace.git)
    # The same tip has the same root: two walks of the whole ledger less where nothing changed.
    if tip == workspace.ledger.tip().oid:
        return
    ours, roots = adopt_ledger.roots(git), adopt_ledger.roots(git, tip)
    if len(roots) == 1 and roots == ours:
        return
    begins = f"begins with {', '.join(roots)}, and the ledger here with {', '.join(ours)}"
    raise _moved(
        workspace, other, "LEDGER_FORK", f"has the ledger of another repository: it {begins}"
    ) or DevsError(
        "LEDGER_FORK",
        f"The ledger of {other.remote} {begins}.",
        hint="Nothing was changed. Call a person: only one of the two ledgers belongs to this repository.",
        genesis=ours[0],
        remote=other.remote,
    )


def remember(workspace: Workspace, other: Remote, tip: str, seen: str) -> str:
    """Store `tip` as the remote's last known ledger. Returns the stored tip: another `sync` may store a newer one."""
    if not tip or tip == seen:
        return seen
    update = RefUpdate(other.known_ledger_ref, tip, seen or NO_OID)
    try:
        refs.transaction(workspace.ledger.git, [update], "devs: seen by sync")
    except (refs.RefMoved, refs.RefLocked):
        return refs.read(workspace.ledger.git, other.known_ledger_ref)
    return tip


def _moved(workspace: Workspace, other: Remote, code: str, what: str) -> DevsError | None:
    """The refusal if the remote's URL changed; else None."""
    before = changed_url(workspace, other.remote)
    if not before:
        return None
    now = remote_urls.current(workspace.git, other.remote)
    old, new = (printable(remote_urls.in_message(url), "") for url in (before, now))
    urls = f" from {old} to {new}" if old != new else ""
    back = f"If the new URL is wrong, set it back: git remote set-url {other.remote} {old if old == before else 'URL'}."
    right = (
        f" If it is right, start again there: {_forget(other)}"
        if code == "LEDGER_ROLLBACK"
        else (
            " If it is right, do not run sync with it: only one of the two ledgers belongs to this repository."
        )
    )
    return DevsError(
        code,
        f"The URL of {other.remote} changed{urls} since this clone last ran sync with it, and the new one {what}.",
        hint=f"Nothing was changed. {back}{right}",
        reason="url_changed",
        remote=other.remote,
    )


def _forget(other: Remote) -> str:
    return f"git update-ref -d {other.known_ledger_ref} && devs-git sync {other.remote}"
