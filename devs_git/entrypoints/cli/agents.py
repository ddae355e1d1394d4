"""agent install: add our hooks and our MCP server to a client's project files, or remove them. agent list: what works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from devs_git.domain.audit.findings import Action
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.verbs import OTHER_COMMANDS
from devs_git.entrypoints import console, router
from devs_git.entrypoints.cli import answer
from devs_git.entrypoints.cli.groups import HELP
from devs_git.storage.git import aliases
from devs_git.storage.hooks import client_files, client_trust
from devs_git.storage.ledger import judged_note
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.clients.trust import Trust
    from devs_git.entrypoints.cli.texts.agent_text import Listed, ListResult

_HELP = f"""{OTHER_COMMANDS["agent install"]}

\b
Example:
  devs-git agent install claude
  devs-git agent install codex --uninstall
"""
_LIST_HELP = f"""{OTHER_COMMANDS["agent list"]}

\b
Example:
  devs-git agent list
"""


@immutable
class Result:
    """What was done with each file, and what a person still has to do."""

    client: str
    actions: tuple[Action, ...]
    advice: tuple[str, ...]


@click.command(name="install", help=_HELP, context_settings=HELP)
@click.argument("client", type=click.Choice(sorted(CLIENTS)))
@click.option("--uninstall", is_flag=True, help="Remove exactly what was added to the client's files.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def agent_install(client: str, *, uninstall: bool, as_json: bool) -> int:
    result = _install(Workspace.open(), client, uninstall=uninstall)
    lines = [f"{a.did:<8} {a.what}" + (f" ({a.detail})" if a.detail else "") for a in result.actions]
    lines += [f"next: {text}" for text in result.advice]
    console.write(answer.as_json(result) if as_json else "\n".join(lines))
    return 0


def _install(workspace: Workspace, name: str, *, uninstall: bool) -> Result:
    client = CLIENTS[name]
    if uninstall:
        # Without the hook, no gate would stop the agent's tools.
        router.require_no_open_gate("agent install --uninstall", workspace)
        return _uninstall(workspace, client)
    workspace.ledger.require()
    router.require_no_open_gate_for_agent("agent install", workspace)
    actions = client_files.install(workspace.places, workspace.top, client)
    changed = any(action.did in {"created", "updated"} for action in actions[1:])
    files = " ".join(action.what for action in actions[1:])
    actions += aliases.install_devs(workspace.git)
    commit = f"Commit them, so that your team's clones have them too: git add {files} && git commit"
    return Result(name, actions, (commit, *client.notes) if changed else ())


def _uninstall(workspace: Workspace, client: Client) -> Result:
    actions = client_files.uninstall(workspace.top, client)
    changed = [action.what for action in actions if action.did in {"updated", "removed"}]
    tracked = (
        workspace.git.run("ls-files", "-z", "--", *changed).decode("utf-8", "surrogateescape")
        if changed
        else ""
    )
    files = " ".join(name for name in changed if name in tracked.split("\0"))
    advice = f"Commit the change, so that your team's clones have it too: git add {files} && git commit"
    return Result(client.name, actions, (advice,) if files else ())


@click.command(name="list", help=_LIST_HELP, context_settings=HELP)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def agent_list(*, as_json: bool) -> int:
    from devs_git.entrypoints.cli.texts import agent_text  # `agent install` needs no list

    result = _list(Workspace.open())
    console.write(answer.as_json(result) if as_json else agent_text.list_text(result))
    return 0


def _list(workspace: Workspace) -> ListResult:
    from devs_git.entrypoints.cli.texts.agent_text import ListResult

    installed = client_files.clients_calling_hook(workspace.top) if workspace.places.top else ()
    found = {one.name: client_trust.of(one, workspace.places, workspace.top) for one in installed}
    clients = tuple(_listed(CLIENTS[name], found.get(name)) for name in sorted(CLIENTS))
    shared = workspace.places.shared
    return ListResult(clients, judged_note.keeps_moments(shared), client_files.has_hook(workspace.places))


def _listed(client: Client, trust: Trust | None) -> Listed:
    from devs_git.entrypoints.cli.texts.agent_text import Listed

    known = client.evidence
    return Listed(
        client.name,
        client.title,
        trust is not None,
        trust,
        known.version,
        known.tried,
        known.documented,
        known.lacks,
    )
