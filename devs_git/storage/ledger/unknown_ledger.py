"""Check a ledger that this clone has never had, by `devs-policy.yaml` of the default branch.

Changes to the default branch are reviewed, but many people may be able to push the ledger's branch. So the genesis and the
first policy must be those that the tracked policy names. If the policy in force differs from the tracked policy, a person
must accept it before the ledger is taken over, and before any command of that policy runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from devs_git.domain.gates.policy import PROPOSED, Policy, first, parse
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.git.remotes import remote_repository
from devs_git.storage.ledger import policy_file
from devs_git.storage.ledger.policy_file import NamedLedger
from devs_git.storage.ledger.store import Ledger

_MOST: Final = 50  # branches in which the policy is looked for


def accept_any(_before: str, _after: str) -> None:
    """Accept any policy, for a remote that was seen before: its ledger is compared with what was seen."""


def read_named_ledger(git: Git, remote: str = "", *, ask: Git | None = None) -> tuple[str, NamedLedger]:
    """The branch with the tracked policy, and the ledger that the policy names.

    The branch is the remote's default branch, or HEAD if there is none. Without a name, the remote is the one that `sync`
    would use. If this clone does not know the default branch, the git `ask` asks the remote: HEAD may have a change that
    nobody reviewed.
    """
    if not remote:
        # Errors are ignored: if git cannot read its refs, another check reports that.
        with contextlib.suppress(DevsError, GitFailed):
            remote = remote_repository.choose(git, "")
    if remote:
        commit = refs.commit_of(git, f"refs/remotes/{remote}/HEAD")
        if not commit and ask:
            commit = remote_repository.Remote(ask, remote, lambda _what, _done, _total: None).default()
        if commit:
            # Even if it tracks no policy.
            return f"{remote}/HEAD", policy_file.named_ledger(git, commit)
    commit = refs.commit_of(git, "HEAD")
    return "HEAD", policy_file.named_ledger(git, commit) if commit else NamedLedger()


def require_named(ledger: Ledger, remote: str, tip: str, ask: Git | None) -> str:
    """The first policy that the tracked policy names, '' for none. LEDGER_FORK if the ledger has another beginning. BUSY.

    `remote` is '' for a ledger that is in this clone already but was never checked.
    """
    git = ledger.reader
    where, tracked = read_named_ledger(git, remote, ask=ask)
    root = git.text("rev-list", "--max-parents=0", tip, "--")
    # Status 128: that event does not exist here.
    asked = ("merge-base", "--is-ancestor", tracked.first_policy, tip)
    has_first = bool(tracked.first_policy) and git.attempt(*asked, ok=(0, 1, 128))[0] == 0
    if (tracked.genesis and root != tracked.genesis) or (tracked.first_policy and not has_first):
        if git.text("rev-parse", "--is-shallow-repository") == "true":
            text = "This clone is shallow and lacks the first events of the ledger."
            raise DevsError("CONFLICT", text, hint="Fetch the rest: git fetch --unshallow", remote=remote)
        raise DevsError(
            "LEDGER_FORK",
            f"The ledger {_of(remote)} is not the one that {PROPOSED} in {where} names.",
            hint="Call a person: there are two ledgers, and only one belongs to this repository. Nothing was changed.",
            genesis=tracked.genesis,
            remote=remote,
        )
    return tracked.first_policy


def require_known(ledger: Ledger, tip: str) -> str:
    """Like `require_named` for a ledger in this clone, which was fetched by hand and without `init`.

    CONFLICT if its policy differs from the tracked one. `init` takes the ledger over, or asks a person.
    """
    _require_default(ledger.reader)
    first = require_named(ledger, "", tip, None)
    entry = ledger.list_path(ledger.tree_of(tip), "").get(IN_FORCE)
    if entry and (found := policy_difference(ledger, "", "", entry.oid, None)):
        raise DevsError(found.code, found.message, hint="Run: devs-git init", **found.details)
    return first


def _of(remote: str) -> str:
    return f"of {remote}" if remote else "in this clone"


def require_remote(git: Git) -> str:
    """The remote of this clone, '' if there is none. CONFLICT if there are several and it is not clear which."""
    try:
        return remote_repository.choose(git, "")
    except DevsError as error:
        if not git.text("remote"):
            return ""
        raise DevsError(
            "CONFLICT",
            "devs-git cannot check the ledger in this clone: it does not know from which remote the clone was made.",
            hint="Name the remote: git branch --set-upstream-to=REMOTE/BRANCH. Then run: devs-git init",
        ) from error


def _require_default(git: Git) -> None:
    """Raise CONFLICT if there is a remote whose default branch is not known here. `init` asks the remote."""
    remote = require_remote(git)
    if not remote or git.text("rev-parse", "--is-bare-repository") == "true":
        # In a bare clone HEAD is the default branch.
        return
    if not refs.commit_of(git, f"refs/remotes/{remote}/HEAD"):
        raise DevsError(
            "CONFLICT",
            f"devs-git cannot check the ledger in this clone: it does not know the default branch of {remote}.",
            hint="Run: devs-git init",
            remote=remote,
        )


def policy_difference(
    ledger: Ledger, remote: str, before: str, after: str, ask: Git | None
) -> DevsError | None:
    """CONFLICT if the policy `after`, which would be in force, is neither the tracked one nor `before`; else None.

    Both are oids of blobs. `before` is the policy in force, '' for none.
    """
    where, named = read_named_ledger(ledger.reader, remote, ask=ask)
    now = _read(ledger, after)
    # If no policy is tracked yet, the policy that `init` itself would put into force is accepted.
    tracked = parse(named.record or first(now.genesis))
    if after == before or tracked == now:
        return None
    what = f"{PROPOSED} in {where} differs" if named.record else f"{where} has no {PROPOSED}"
    return DevsError(
        "CONFLICT",
        f"The policy of the ledger {_of(remote)} cannot be checked: {what}, and this clone has never checked that ledger.",
        hint=f"Nothing was changed. {_way_to_policy(ledger.reader, where, named, remote)}",
        remote=remote,
        policy=after,
    )


def _way_to_policy(git: Git, where: str, named: NamedLedger, fetched: str) -> str:
    """What to try before a person accepts the policy: most often another branch has the file, or a newer commit of `fetched`.

    `fetched` is the remote whose default branch counts as it was last fetched.
    """
    if named.record and fetched and where != "HEAD":
        return f"Fetch {where} and run the command again: git fetch {fetched}. If it still differs: "
    if named.record or where != "HEAD":
        return ""
    branch = next(_branches_with_policy(git), "BRANCH")
    return f"Check out a branch that has {PROPOSED}, and run the command again: git switch {branch}. If there is none: "


def _branches_with_policy(git: Git) -> Iterator[str]:
    """Short names of branches here and of remotes whose newest commit has the file."""
    for name, oid in list(refs.list_refs(git, "refs/heads", "refs/remotes").items())[:_MOST]:
        if git.attempt("cat-file", "-e", f"{oid}:{PROPOSED}", ok=(0, 1, 128))[0] == 0:
            yield name.split("/", 2 if name.startswith("refs/heads/") else 3)[-1]


def _read(ledger: Ledger, blob: str) -> Policy:
    data = ledger.file(blob)
    return parse(yaml_documents.load(data, IN_FORCE, "policy", code="POLICY_INVALID"))
