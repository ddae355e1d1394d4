"""The commands that agents and prompts call most, without click: `status`, `log`, `task status` and `gate list`.

The import of click takes more than a bare Python. These commands answer with the same code as behind click, if their words are
the simple ones: `--json`, a limit, the id of a task. All other words are left to the command line.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence

from devs_git.errors import DevsError
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.verbs import VerbRequest

_COMPLETION: Final = "_DEVS_GIT_COMPLETE"  # set while a shell completes words
_LIMIT: Final = ("-n", "--limit")


def status(words: Sequence[str]) -> int | None:
    """Run the command that `words` name and return its exit status; None if the command line has to do it."""
    name = next((one for one in _DOORS if list(words[: len(one.split())]) == one.split()), "")
    if not name or _COMPLETION in os.environ:
        return None
    given = [word for word in words[len(name.split()) :] if word != "--json"]
    as_json = len(given) < len(words) - len(name.split())
    try:
        found = _DOORS[name](given)
    except DevsError:  # the command line refuses it with the names of its options
        return None
    return _answer(name, *found, as_json=as_json) if found else None


def _answer(name: str, request: VerbRequest, text: Callable[[Any], str], *, as_json: bool) -> int:
    from devs_git.entrypoints import console
    from devs_git.entrypoints.cli import answer, terminal

    def work() -> int:
        with console.ignore_closed_pipe():
            answer.give(name, answer.workspace_of(name), request, answer.as_json if as_json else text)
        return 0

    console.escape_what_the_encoding_lacks()
    return terminal.exit_status(work, as_json=as_json)


_Found = tuple["VerbRequest", Callable[[Any], str]]


def _status(given: list[str]) -> _Found | None:
    if given:
        return None
    from devs_git.commands.status import Request
    from devs_git.entrypoints.cli.texts import log_text

    return Request(), log_text.status_text


def _task_status(given: list[str]) -> _Found | None:
    if len(given) > 1 or any(word.startswith("-") for word in given):
        return None
    from devs_git.commands.task_status import Request
    from devs_git.entrypoints.cli.texts import task_text

    return Request(*given), task_text.status_text


def _log(given: list[str]) -> _Found | None:
    limit = _limit(given)
    if limit is None:
        return None
    from devs_git.commands.log import Request
    from devs_git.entrypoints.cli.texts import log_list_text

    return Request(**limit), _paged(log_list_text.checkpoints_text, limit)


def _gate_list(given: list[str]) -> _Found | None:
    limit = _limit(given)
    if limit is None:
        return None
    from devs_git.commands.gate_list import Request
    from devs_git.entrypoints.cli.texts import gate_text

    return Request(**limit), _paged(gate_text.list_text, limit)


_DOORS: Final[dict[str, Callable[[list[str]], _Found | None]]] = {
    "status": _status,
    "log": _log,
    "task status": _task_status,
    "gate list": _gate_list,
}


def _limit(given: list[str]) -> dict[str, Any] | None:
    """The argument of a request: none for no words, `limit` for `-n 5`; None for other words."""
    if not given:
        return {}
    is_limit = (
        len(given) == 2
        and given[0] in _LIMIT
        and given[1].isascii()
        and given[1].isdigit()
        and len(given[1]) < 10
    )
    return {"limit": int(given[1])} if is_limit else None


def _paged(text: Callable[[Any], str], limit: dict[str, Any]) -> Callable[[Any], str]:
    """The text whose line of the next page repeats the limit."""
    return functools.partial(
        _page, text, [word for value in limit.values() for word in (_LIMIT[1], str(value))]
    )


def _page(text: Callable[..., str], options: Sequence[str], result: object) -> str:
    from devs_git.entrypoints.cli.texts import next_page

    with next_page.read_without_click(options):
        return text(result)
