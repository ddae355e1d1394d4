"""`devs-git`, `git devs` and `python -m devs_git`. What must be quick does without click: git hooks, and what agents call most."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def _fill_streams() -> None:
    """A stream that the caller closed (`>&-`) leads nowhere; a file that is opened later would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for as long as we run


def main() -> int:
    """The exit status of the entry point that was called."""
    _fill_streams()
    # A command imports and ends. To look for cycles every 700 objects would take a tenth of its start.
    gc.set_threshold(50_000)
    if sys.argv[1:3] == ["hook", "moment"]:
        from devs_git.entrypoints.hooks import moment

        return moment.main(sys.argv[3:])
    if sys.argv[1:2] == ["hook"]:
        from devs_git.entrypoints.hooks import git_hook

        return git_hook.main(sys.argv[2:])
    if sys.argv[1:] in (["--help"], ["-h"]):
        from devs_git.entrypoints import console
        from devs_git.entrypoints.cli import overview
        from devs_git.entrypoints.console import exit_on_print_error

        with exit_on_print_error():
            console.write(overview.text())
        return 0
    if sys.argv[1:3] == ["trace", "get"]:
        from devs_git.entrypoints.cli.without_click import trace_get

        status = trace_get.status(sys.argv[3:])
        if status is not None:
            return status
    if sys.argv[1:2] in (["status"], ["log"], ["task"], ["gate"]):
        from devs_git.entrypoints.cli.without_click import often

        status = often.status(sys.argv[1:])
        if status is not None:
            return status
    import devs_git.entrypoints.cli.main

    return devs_git.entrypoints.cli.main.main()


def script() -> None:
    """The installed commands and hooks: `main`, and then the end of the process, without Python's clean-up of modules.

    If a tool still works on another thread, for example when `serve` is ended, Python's own end waits for this thread.
    """
    try:
        status = main()
    except KeyboardInterrupt:  # while the entry point was still being imported
        from devs_git.entrypoints import console
        from devs_git.errors import EXIT_INTERRUPTED

        console.write("The command was interrupted and did nothing more.", err=True)
        status = EXIT_INTERRUPTED
    threads = sys.modules.get("threading")  # most commands do without it
    if threads and threads.active_count() > 1:
        sys.exit(status)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        sys.exit(status)
    atexit._run_exitfuncs()  # noqa: SLF001 - nothing public runs what others asked for, such as the measuring of coverage
    os._exit(status)


if __name__ == "__main__":
    script()
