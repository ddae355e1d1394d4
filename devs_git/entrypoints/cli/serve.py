"""mcp and serve: servers for agents and other programs. `serve` needs the extra `devs-git[mcp]`."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import click

from devs_git.domain.verbs import OTHER_COMMANDS
from devs_git.entrypoints.cli.groups import HELP
from devs_git.errors import invalid
from devs_git.workspace import Workspace

_REPO = click.option("--repo", type=click.Path(path_type=Path), help="The repository to serve.")


def _repository(repo: Path | None) -> Path:
    """The worktree to serve. INVALID_ARGUMENTS if the extra is not installed; NOT_A_REPOSITORY outside a repository."""
    if find_spec("mcp") is None:
        raise invalid(
            "extra",
            "This command needs the MCP library, which is not installed.",
            hint="Run: pip install 'devs-git[mcp]'",
        )
    return Workspace.open(repo).top


@click.command(
    name="mcp",
    help=f"{OTHER_COMMANDS['mcp']}\n\n\b\nExample:\n  claude mcp add devs-git -- devs-git mcp",
    context_settings=HELP,
)
@_REPO
def mcp(*, repo: Path | None) -> int:
    where = Workspace.open(repo).top
    from devs_git.entrypoints.mcp.stdio import main

    return main(where)


@click.command(
    name="serve",
    help=f"{OTHER_COMMANDS['serve']}\n\nIt accepts connections from this machine only, unless --host names another address. Then, and with "
    "--require-token, each request needs the bearer token in DEVS_GIT_TOKEN. Other accounts of this machine can reach the "
    "port, too.\n\n\b\nExample:\n  devs-git serve --port 3001\n"
    "  DEVS_GIT_TOKEN=$(openssl rand -hex 32) devs-git serve --host 0.0.0.0",
    context_settings=HELP,
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=3001,
    show_default=True,
    help="The port; 0 means any free port.",
)
@click.option("--require-token", is_flag=True, help="Require the token from this machine, too.")
@_REPO
def serve(*, host: str, port: int, require_token: bool, repo: Path | None) -> int:
    where = _repository(repo)
    from devs_git.entrypoints.http import border, listener

    token = os.environ.pop("DEVS_GIT_TOKEN", "")  # hooks of the repository must not see it
    needs_token = require_token or not border.is_loopback(host)
    if needs_token and not token.strip():
        raise invalid(
            "DEVS_GIT_TOKEN",
            "Without a token, the server accepts connections from this machine only.",
            hint="Run: DEVS_GIT_TOKEN=$(openssl rand -hex 32) devs-git serve …",
        )
    return listener.main(where, border.Rules(host, token.strip() if needs_token else ""), port)
