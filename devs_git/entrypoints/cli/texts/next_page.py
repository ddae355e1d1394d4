"""The command line of a list's next page: that of this page, with the cursor. So it has the same filters."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click

# A cursor is another one on each page. `--follow` prints no pages.
_NOT_REPEATED: Final = ("cursor", "follow")
# The options of a command that was read without click, while its answer is made.
_typed: list[Sequence[str]] = []


@contextmanager
def read_without_click(options: Sequence[str]) -> Iterator[None]:
    """Around the text of a command that was read without click, and had these options."""
    _typed.append(options)
    try:
        yield
    finally:
        _typed.pop()


def line(command: str, cursor: str, usual: Sequence[str] = ()) -> str:
    """`There are more: devs-git <command> … --cursor …`, with the options that the person has given.

    `usual`: the options where no command line was read.
    """
    options = _typed[-1] if _typed else _read_by_click(usual)
    return f"\nThere are more: {shlex.join(['devs-git', *command.split(), *options, '--cursor', cursor])}"


def _read_by_click(usual: Sequence[str]) -> Sequence[str]:
    import click  # a door without click has remembered its options

    context = click.get_current_context(silent=True)
    return _given(context) if context else usual


def _given(context: click.Context) -> list[str]:
    from click.core import ParameterSource

    words: list[str] = []
    for param in context.command.params:
        name = param.name or ""
        if not param.expose_value:  # how it is shown, such as --color, which is no argument of the command
            continue
        if name not in _NOT_REPEATED and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += _words(max(param.opts, key=len), context.params[name])
    return words


def _words(option: str, value: object) -> list[str]:
    if value is True:
        return [option]
    values = value if isinstance(value, tuple) else (value,)
    return [word for one in values for word in (option, str(one))]
