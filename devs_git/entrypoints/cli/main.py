"""The `devs-git` command: the click group, and how an error that nobody caught is reported."""

from __future__ import annotations

import io
import sys

import click

import devs_git
from devs_git.entrypoints import console
from devs_git.entrypoints.cli.groups import Root, TableGroup, screen_options
from devs_git.entrypoints.cli.overview import ABOUT, top_level
from devs_git.entrypoints.cli.terminal import Declined, report
from devs_git.entrypoints.console import exit_on_print_error
from devs_git.errors import EXIT_INTERRUPTED, EXIT_USAGE, DevsError, invalid

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
    # Characters that the encoding of the output lacks are written as escapes.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return cli.main(prog_name="devs-git", standalone_mode=False) or 0
    except DevsError as error:
        return report(error, as_json=as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        with exit_on_print_error():
            console.write(error.format_message())
        return EXIT_USAGE
    except click.UsageError as error:
        if as_json:
            param = getattr(error, "param", None)
            report(invalid(param.name if param else "arguments", error.format_message()), as_json=True)
        else:
            with exit_on_print_error():
                usage = io.StringIO()
                error.show(usage)
                console.write(usage.getvalue(), err=True, end="")
        return EXIT_USAGE
    except Declined:
        console.write("You did not answer yes. Nothing was done.", err=True)
        return EXIT_INTERRUPTED
    except (click.Abort, KeyboardInterrupt):
        console.write("The command was interrupted.", err=True)
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - an error that nobody caught becomes one line
        from devs_git.entrypoints.bugs import as_devs_error

        return report(as_devs_error(error), as_json=as_json)
