"""`agent list` for people: a table of the clients on a terminal, and below it what is known of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devs_git.entrypoints.cli.texts.render import fold, table
from devs_git.entrypoints.console import on_terminal, paint
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.domain.clients.trust import Trust

_FILES_ONLY: Final = "the files of the project call our hook, and this clone does not have it: devs-git init"


@immutable
class Listed:
    """One client: what is known of it (see `client.Evidence`), and whether this worktree's files call our hook.

    `trust` is None where it is not installed: then nobody is asked.
    """

    name: str
    title: str
    installed: bool
    trust: Trust | None
    version: str
    tried: tuple[str, ...]
    documented: tuple[str, ...]
    lacks: tuple[str, ...]


@immutable
class ListResult:
    """Every client that devs-git knows, in the order of their names.

    `moments`: whether the hook of an installed client keeps moments in this clone. `hook`: whether this clone has the hook that
    the files of installed clients call.
    """

    clients: tuple[Listed, ...]
    moments: bool
    hook: bool


def list_text(result: ListResult) -> str:
    parts = [_overview(result)] if on_terminal() else []
    parts += [_client(one, hook=result.hook) for one in result.clients]
    return "\n\n".join((*parts, fold(_moments(result))))


def _overview(result: ListResult) -> str:
    here = paint("installed", "green") if result.hook else paint("only in the files of the project", "yellow")
    rows = [(one.name, here if one.installed else "not installed", one.version) for one in result.clients]
    return table(rows, ("CLIENT", "OUR HOOKS", "TRIED WITH"))


def _moments(result: ListResult) -> str:
    """Whether moments are kept; if not, the one reason and what to type."""
    if result.moments:
        return "moments: kept in this clone"
    if not any(one.installed for one in result.clients):
        return "moments: not kept, because no client has our hooks in this repository: devs-git agent install CLIENT"
    if not result.hook:
        return "moments: not kept, because this clone does not have our hook: devs-git init"
    return "moments: not kept, because the policy says recording: {moments: false}"


def _client(one: Listed, *, hook: bool) -> str:
    here = "our hooks are installed in this repository" if hook else _FILES_ONLY
    missing = f"our hooks are not installed in this repository: devs-git agent install {one.name}"
    lines = [f"{one.name}: {one.title}, {here if one.installed else missing}"]
    if one.trust:
        lines.append(f"  {one.trust.state}: {one.trust.text}")
        lines += [f"  fix: {one.trust.fix}"] if one.trust.fix else []
    for title, texts in (
        (f"tried with {one.version}", one.tried),
        ("from documents only", one.documented),
        ("what it lacks", one.lacks),
    ):
        lines += [f"  {title}:" if texts else f"  {title}: nothing", *(f"    - {text}" for text in texts)]
    return "\n".join(lines)
