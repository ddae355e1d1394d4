"""The `devs-git` command: the click group, and how an error that nobody caught is reported."""

from __future__ import annotations

import io
import sys

import click

import devs_git
from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.groups import Root, TableGroup, screen_options
from devs_git.entrypoints.cli.overview import ABOUT, top_level
from devs_git.entrypoints.console import exit_on_print_error
from devs_git.errors import EXIT_USAGE, invalid

cli = Root(name="devs-git", help=ABOUT, summaries=top_level(), params=list(screen_options()))
click.version_option(devs_git.__version__, prog_name="devs-git", message="%(prog)s %(version)s")(cli)


def command(name: str) -> click.Command | None:
    """The click command of a verb; None if there is none."""
    found: click.Command | None = cli
    for word in name.split():
        if not isinstance(found, TableGroup):
            return None
        try:
            found = found.get_command(click.Context(found), word)
        except (ImportError, AttributeError, KeyError):
            return None
    return found


def main() -> int:
    """Run the command line and return the exit status; errors.py has the list."""
    words = sys.argv[1:]
    ours = words[: words.index("--")] if "--" in words else words
    as_json = "--json" in ours or "--format json" in " ".join(ours).replace("=", " ")
    console.escape_what_the_encoding_lacks()
    return terminal.exit_status(lambda: _status(as_json=as_json), as_json=as_json)


def _status(*, as_json: bool) -> int:
    """The exit status of the command; wrong usage is printed. Raises what `terminal.exit_status` reports."""
    try:
        return cli.main(prog_name="devs-git", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        with exit_on_print_error():
            console.write(error.format_message())
    except click.UsageError as error:
        if as_json:
            param = getattr(error, "param", None)
            refusal = invalid(param.name if param else "arguments", error.format_message())
            terminal.report(refusal, as_json=True)
        else:
            with exit_on_print_error():
                usage = io.StringIO()
                error.show(usage)
                console.write(usage.getvalue(), err=True, end="")
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return EXIT_USAGE
