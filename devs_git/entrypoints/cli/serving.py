"""mcp and serve: the doors for agents and other programs. What they serve needs the extra `devs-git[mcp]`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from devs_git.domain.verbs import DOORS
from devs_git.entrypoints.cli.groups import HELP
from devs_git.errors import invalid
from devs_git.workspace import Workspace

_REPO = click.option(
    "--repo", type=click.Path(path_type=Path), help="Serve the repository there instead of here."
)


def _repository(repo: Path | None) -> Path:
    """The worktree that is served; INVALID_ARGUMENTS without the extra, NOT_A_REPOSITORY."""
    if find_spec("mcp") is None:
        raise invalid(
            "extra",
            "This needs the MCP library, which is not installed.",
            hint="Run: pip install 'devs-git[mcp]'",
        )
    return Workspace.open(repo).top


@click.command(
    name="mcp",
    help=f"{DOORS['mcp']}\n\n\b\nExample:\n  claude mcp add devs-git -- devs-git mcp",
    context_settings=HELP,
)
@_REPO
def mcp(*, repo: Path | None) -> int:
    where = _repository(repo)
    from devs_git.entrypoints.mcp_server import main

    return main(where)
