"""Adopt the ledger that a clone's policy names from a remote: its root must be the genesis that the policy names.

The ledger is fetched to a separate ref and checked before it gets its name. Nothing is overwritten, and a second root is
never made. If no remote has the ledger: LEDGER_MISSING, with the command that fetches it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from devs_git.domain.gates.policy import PROPOSED
from devs_git.domain.ledger.event_setup import LedgerCreated
from devs_git.domain.ledger.events import LEDGER, NO_OID, RefUpdate
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.program import Git, GitFailed

_INCOMING: Final = "refs/devs/incoming/ledger"
_WITH_IT: Final = (
    "refs/devs/checkpoints/*:refs/devs/checkpoints/*",
    "refs/tags/devs/task-*:refs/tags/devs/task-*",
)
_FETCH: Final = ("fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-prune", "--no-auto-maintenance",
                 "--no-recurse-submodules", "--refmap=")  # fmt: skip
_SECONDS: Final = 300.0
_ALL_DEPTH: Final = "2147483647"


def roots(git: Git, ref: str = LEDGER, *, genuine: bool = False) -> tuple[str, ...]:
    """The root commits of a ledger; a sound one has one. With `genuine` only those whose event is `ledger.created`."""
    said = (f"--grep=^{LedgerCreated.LINE}$",) if genuine else ()
    return tuple(git.text("rev-list", "--max-parents=0", *said, ref, "--").split())


def remote_has_ledger(git: Git) -> bool:
    """Whether a tracking branch has a ledger: then this repository must not create one."""
    names = [name for name in refs.list_refs(git, "refs/remotes") if name.endswith("/devs/ledger")]
    return any(roots(git, name, genuine=True) for name in names) or (bool(names) and _shallow(git))


def adopt(git: Git, genesis: str, require_sound: Callable[[str, str], None]) -> str:
    """Make the ledger with the root `genesis` ('' for any root) this repository's; returns the remote's name.

    `require_sound` takes the tip of a remote's ledger and raises if this repository may not adopt it.
    """
    names = sorted(git.text("remote").split("\n"), key=lambda name: name != "origin")
    remotes = [name for name in names if name]
    seen = []
    try:
        for remote in remotes:
            found = _fetch(git, remote, genesis)
            if found == (genesis,) or (not genesis and len(found) == 1 == len(_genuine(git))):
                require_sound(remote, refs.read(git, _INCOMING))
                whole = _checkpoints(git, remote)  # first: after an interruption the next `init` adopts again
                _name(git)
                return remote if whole else f"{remote}, without its checkpoints"
            if found:
                seen.append(f"the ledger of {remote} begins with {found[0]}")
    finally:
        now = refs.read(git, _INCOMING)
        if now:
            refs.transaction(git, [RefUpdate(_INCOMING, NO_OID, now)], "devs: looked at")
    raise missing_ledger(genesis, remotes[0] if remotes else "", "; ".join(seen))


def missing_ledger(genesis: str, remote: str, seen: str = "") -> DevsError:
    """LEDGER_MISSING for a ledger that the policy names, or that only a remote has."""
    what = f"The policy names the ledger that begins with {genesis}" if genesis else "A remote has a ledger"
    where = f"; {seen}" if seen else "" if remote else "; there is no remote to ask"
    fetch = f"git fetch {remote} {LEDGER}:{LEDGER} && devs-git init"
    return DevsError(
        "LEDGER_MISSING",
        f"{what}, and it is not here{where}.",
        hint=f"Fetch it from where it is: {fetch if remote else 'git remote add origin <url> && devs-git init'}",
        genesis=genesis,
    )


def ledger_fork(found: tuple[str, ...], named: str) -> DevsError:
    """LEDGER_FORK for a ledger with several roots, or with another root than the policy names."""
    return DevsError(
        "LEDGER_FORK",
        f"The ledger here begins with {', '.join(found)}, and {PROPOSED} names {named or 'none of them'}.",
        hint=f"Call a person: only one ledger belongs to this repository. See: git log {PROPOSED}",
        genesis=named,
    )


def _fetch(git: Git, remote: str, genesis: str) -> tuple[str, ...]:
    """Fetch the ledger of `remote` to `_INCOMING` and return its roots; none if the remote has no ledger or does not answer."""
    tracking = f"refs/remotes/{remote}/devs/ledger"
    spec = f"+{LEDGER}:{_INCOMING}"
    whole: tuple[str, ...] = ()
    if git.text("config", "--get", f"remote.{remote}.promisor", ok=(0, 1)) == "true":
        whole = ("--refetch", "--no-filter")  # a partial clone lacks contents that we read without git
    try:
        git.run(*_FETCH, *whole, "--end-of-options", remote, spec, timeout=_SECONDS)
        if _shallow(git) and genesis not in roots(git, _INCOMING):
            git.run(*_FETCH, f"--depth={_ALL_DEPTH}", "--end-of-options", remote, spec, timeout=_SECONDS)
    except (GitFailed, GitTimedOut):
        known = refs.read(git, tracking)
        if not known:
            return ()
        refs.transaction(
            git, [RefUpdate(_INCOMING, known, refs.read(git, _INCOMING) or NO_OID)], "devs: look at"
        )
    return roots(git, _INCOMING)


def _name(git: Git) -> None:
    tip = refs.read(git, _INCOMING)
    refs.transaction(git, [RefUpdate(LEDGER, tip, NO_OID)], "devs: adopt the ledger")


def _checkpoints(git: Git, remote: str) -> bool:
    """Fetch the refs of checkpoints. If the remote does not answer now, the next `sync` fetches them."""
    try:
        git.run(*_FETCH, "--end-of-options", remote, *_WITH_IT, timeout=_SECONDS)
    except (GitFailed, GitTimedOut):
        return False
    return True


def _genuine(git: Git) -> tuple[str, ...]:
    return roots(git, _INCOMING, genuine=True)


def _shallow(git: Git) -> bool:
    return git.text("rev-parse", "--is-shallow-repository") == "true"
