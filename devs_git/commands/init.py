"""`init`: set up a repository, or repair what an earlier `init` installed. A second run changes nothing.

A new repository gets a ledger: its genesis (README.md only) and the first policy, which names the genesis, in one
reference transaction. A clone whose policy names a genesis adopts that ledger, and never makes a second root. An `init`
that changes a repository with a ledger writes one event. `--server` only installs the hook that checks pushes into a bare
repository: the ledger comes with the first push, and has no event of the server.
"""

from __future__ import annotations

from typing import Final

from devs_git.domain.audit.findings import Action
from devs_git.domain.gates.policy import PROPOSED, first
from devs_git.domain.ledger.event_setup import (
    FirstPolicy,
    LedgerCreated,
    RepositoryPrepared,
    RepositoryReleased,
)
from devs_git.domain.ledger.events import IN_FORCE, Draft, Event
from devs_git.domain.text.plain_text import printable
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.gates import check_tas_lock
from devs_git.operations.setup import adopt_ledger, suitability, take_out
from devs_git.operations.sync import consent
from devs_git.operations.sync.consent import Consent
from devs_git.storage.git import aliases, exclude_file, locks
from devs_git.storage.git.places import worktrees
from devs_git.storage.hooks import client_files, installation
from devs_git.storage.ledger import devs_folder, known_tips, policy_file, received, unknown_ledger
from devs_git.storage.ledger.store import LOCK, Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

README: Final = """# The devs-git ledger

This branch is the history of governance of this repository, kept by devs-git: each commit is one event, made by the
program, never by hand. It shares no history with the code and is not meant to be merged, rebased or force-pushed.

Read it with: git log refs/heads/devs/ledger
"""
_COMMIT_IT: Final = f'Commit the policy, so that clones find the ledger: git add {PROPOSED} && git commit -m "Set up devs-git"'
_WAIT: Final = 60.0  # seconds to wait for another `init` of this repository


@immutable
class Request(VerbRequest):
    """`uninstall`: remove what `init` installed, and keep ledger, tags and policy. `strict`: check every move of a ref.

    `server`: this is a bare repository that others push to. `accept_policy`: the blob of the policy that a person accepts
    with a ledger that this clone never saw. `at_terminal`: a person may be there.
    """

    uninstall: bool = False
    strict: bool = False
    server: bool = False
    accept_policy: str = ""
    at_terminal: bool = False

    @property
    def frozen_option(self) -> str:
        """Whoever removes hooks waits while a gate is open, as with every write command."""
        return "--uninstall" if self.uninstall and not self.server else ""

    @property
    def person(self) -> Consent:
        return Consent(self.accept_policy, self.at_terminal)

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{strict, accept_policy}."""
        _ = self.person
        if self.strict and (self.uninstall or self.server):
            raise invalid(
                "strict", f"--strict and --{'uninstall' if self.uninstall else 'server'} exclude each other."
            )


@immutable
class Result:
    """What `init` did. `advice`: what only a person can do. `to_delete`: after an uninstallation, the commands that delete
    what stays.
    """

    ledger: str
    genesis: str
    actions: tuple[Action, ...]
    advice: tuple[str, ...]
    to_delete: tuple[str, ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """Install or uninstall. INVALID_ARGUMENTS{repository}, LEDGER_MISSING, LEDGER_FORK, POLICY_INVALID, BUSY."""
    places = workspace.places
    if request.server:
        return _serve(workspace, request)
    if not request.uninstall:
        suitability.check(places, workspace.git, workspace.store_git)
    try:
        with locks.hold(places.shared / "init.lock", wait=_WAIT):
            _require_not_gone(workspace)
            return _uninstall(workspace) if request.uninstall else _install(workspace, request)
    except OSError as error:
        what = error.strerror or "it cannot be written"
        raise suitability.refusal(
            f"A part of this repository cannot be written: {what}.",
            "Free some space or make the folder writable, then run the command again.",
        ) from error


def _require_not_gone(workspace: Workspace) -> None:
    """LEDGER_MISSING if this clone had a ledger: another one, or an older one of a remote, may lack an open gate."""
    if workspace.ledger.tip().oid:
        return
    known = known_tips.newest(workspace.store_git, workspace.objects, workspace.places.common, own=True)
    if known:
        found = known_tips.ledger_gone(known, workspace.places.common)
        raise DevsError(found.code, found.message, hint=f"Restore it: {found.fix}")


def _serve(workspace: Workspace, request: Request) -> Result:
    places, git = workspace.places, workspace.git
    suitability.check_server(places, git)
    change = installation.uninstall if request.uninstall else installation.install
    actions = change(places, git, server=True)
    tip = workspace.ledger.tip().oid
    roots = adopt_ledger.roots(workspace.store_git) if tip else ("",)
    advice = () if tip or request.uninstall else ("The ledger arrives with the first push of devs/ledger.",)
    return Result(tip, roots[0], actions, advice)


def _install(workspace: Workspace, request: Request) -> Result:
    if devs_folder.is_foreign(workspace.places):
        raise suitability.refusal(
            "The path .devs has a file or folder that devs-git did not make; the view needs this path.",
            "Run: mv .devs <other>",
        )
    proposed = policy_file.read(workspace.top, workspace.git)
    ledger, fresh = _ledger(workspace, policy_file.genesis(proposed), request.person)
    genesis = _genesis(workspace, policy_file.genesis(proposed))
    actions = [ledger, _policy(workspace, genesis, fresh=fresh)]
    actions.append(_write_proposed_policy(workspace, proposed is not None))
    actions.append(exclude_file.add(workspace.places))
    actions.extend(installation.install(workspace.places, workspace.git, strict=request.strict))
    called = client_files.refresh(workspace.places, workspace.top)
    actions.extend((*called, *(aliases.install_devs(workspace.git) if called else ())))
    changed = [action for action in actions if action.did in {"created", "updated"}]
    if changed and not fresh:
        _record(workspace, RepositoryPrepared, "init: prepare this repository", changed)
    did = devs_folder.refresh(workspace.places, workspace.ledger, full=True)
    actions.append(Action(devs_folder.WHAT, did))
    check_tas_lock.write_path_note(workspace.places, workspace.ledger.tip())
    return Result(workspace.ledger.tip().oid, genesis, tuple(actions), _advice(workspace, actions))


def _ledger(workspace: Workspace, named: str, person: Consent) -> tuple[Action, bool]:
    """Create, adopt or keep the ledger. Returns what was done, and whether the genesis is new."""
    ledger = workspace.ledger
    if tip := ledger.tip().oid:
        if not ledger.checked_tip and not (ledger.common / LOCK).exists():
            # Somebody fetched it by hand: this clone never checked it.
            unknown_ledger.require_remote(workspace.store_git)
            _require_known(workspace, "", tip, person)
            ledger.note_checked(tip)
        workspace.require_believed()
        return Action("ledger", "kept"), False
    if named or adopt_ledger.remote_has_ledger(workspace.store_git):
        remote = adopt_ledger.adopt(
            workspace.with_identity(workspace.store_git),
            named,
            lambda remote, tip: _require_known(workspace, remote, tip, person),
        )
        ledger.note_checked(ledger.tip().oid)
        from devs_git.operations.archive import adopted_archives  # few clones adopt a ledger

        wrong = adopted_archives.drop_wrong(workspace)
        without = f", without {wrong} archives that are not what the ledger names" if wrong else ""
        return Action("ledger", "created", f"adopted from {remote}{without}"), False
    begin = workspace.event_of(LedgerCreated(), "ledger: begin", verb_name="init")

    def policy(genesis: str) -> Draft:
        return Draft(_first_event(workspace, genesis), ((IN_FORCE, policy_file.in_force(first(genesis))),))

    policy_file.begin_ledger(ledger, Draft(begin, (("README.md", README.encode()),)), policy)
    return Action("ledger", "created"), True


def _require_known(workspace: Workspace, remote: str, tip: str, person: Consent) -> None:
    """Check a ledger that this clone never saw: it is sound, it is the one that the tracked policy names, and has its policy.

    `remote` is '' for a ledger that is here.
    """
    named = unknown_ledger.require_named(workspace.ledger, remote, tip, workspace.git)
    received.require_sound(workspace.ledger, remote or "this clone", tip, first=named)
    entry = workspace.ledger.list_path(workspace.ledger.tree_of(tip), "").get(IN_FORCE)
    if entry:
        consent.policy_check(workspace, remote, person)("", entry.oid)


def _genesis(workspace: Workspace, named: str) -> str:
    roots = adopt_ledger.roots(workspace.store_git)
    if len(roots) != 1 or (named and roots[0] != named):
        raise adopt_ledger.ledger_fork(roots, named)
    return roots[0]


def _policy(workspace: Workspace, genesis: str, *, fresh: bool) -> Action:
    """The policy in force. An interrupted `init` of version 0.1 left none."""
    if workspace.ledger.tip().read(IN_FORCE) is not None:
        return Action("policy in force", "created" if fresh else "kept")
    data = policy_file.in_force(first(genesis))
    event = _first_event(workspace, genesis)

    def build(tip: Tip) -> Draft:
        return Draft(event, ((IN_FORCE, data),) if tip.read(IN_FORCE) is None else ())

    workspace.append(build)
    return Action("policy in force", "created")


def _first_event(workspace: Workspace, genesis: str) -> Event:
    return workspace.event_of(FirstPolicy(genesis), "policy: the first", verb_name="init")


def _write_proposed_policy(workspace: Workspace, there: bool) -> Action:
    data = workspace.ledger.tip().read(IN_FORCE)
    if there or data is None:
        return Action(PROPOSED, "kept")
    begun = policy_file.first_event(workspace.store_git, workspace.ledger.tip().oid)
    return policy_file.write(workspace.top, data, begun)


def _uninstall(workspace: Workspace) -> Result:
    actions = list(installation.uninstall(workspace.places, workspace.git))
    actions.extend((*client_files.remove_hook(workspace.places), *aliases.uninstall_devs(workspace.git)))
    actions.append(exclude_file.remove(workspace.places))
    trees = worktrees(workspace.store_git, workspace.places.common)
    views = [devs_folder.remove(places, workspace.ledger) for places in trees]
    actions.extend([action for action in views if action.did == "removed"] or views[:1])
    removed = [action for action in actions if action.did == "removed"]
    tip = workspace.ledger.tip()
    if removed and tip.oid:
        _record(workspace, RepositoryReleased, "init: remove the hooks and the view", removed)
    roots = adopt_ledger.roots(workspace.store_git) if tip.oid else ("",)
    return Result(
        workspace.ledger.tip().oid,
        roots[0],
        tuple(actions),
        (take_out.STAYS, *_clients_left(workspace)),
        take_out.commands(workspace),
    )


def _clients_left(workspace: Workspace) -> list[str]:
    """What removes the lines in the files of clients: they are the project's, and do nothing without the hook."""
    names = [one.name for one in client_files.clients_calling_hook(workspace.top)] if workspace.top else []
    return [
        f"The files of {name} in this project stay, too: devs-git agent install {name} --uninstall"
        for name in names
    ]


def _record(
    workspace: Workspace, kind: type[RepositoryPrepared], subject: str, actions: list[Action]
) -> None:
    content = kind(tuple((action.did, action.what) for action in actions))
    event = workspace.event_of(content, subject, verb_name="init")
    workspace.append(lambda _tip: Draft(event))


def _advice(workspace: Workspace, actions: list[Action]) -> tuple[str, ...]:
    found = [action.detail for action in actions if action.did == "skipped" and action.detail]
    if not workspace.git.run("ls-files", "-z", "--", PROPOSED):
        found.append(_COMMIT_IT)
    command = workspace.policy.notify if actions[0].detail else ""  # only of a ledger that was just adopted
    if command:
        found.append(
            f"Check the command that the policy runs here when a gate opens (notify): {printable(command, '')}"
        )
    return tuple(found)
