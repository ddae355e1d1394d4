"""Keep a moment: `hook moment <client> <event> <common git directory> <git directory> <worktree> <file of the payload>`,
then what the shell saw ('' for nothing), and `directed` if a directive may wait for this prompt.

The agent's hook starts this if the worktree is not as in the newest moment, if a command may destroy something, or if there
is something to tell. The moment is made by a process of its own, because a prompt waits for it only a moment. What was not
made in time is told to the agent in the client's JSON on standard output. The exit status is always 0.

To load the program takes longer than to make a moment. So this module imports nothing that takes time: git begins first, and
only the process that makes the moment loads the rest.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time

from devs_git.storage.git.git_settings import REPOSITORY_VARIABLES
from devs_git.storage.moments import behind, seen_changes
from devs_git.storage.moments.behind import Caller
from devs_git.storage.moments.seen_changes import Seen

# Seconds that a prompt, or the end of a session, waits from the beginning of the hook, and that the shell needed before it
# could write the payload.
_PROMPT = 0.2
_BEFORE_FILE = 0.01
_CALL = 5.0
# Seconds after which a moment that nobody waits for is given up.
_BEHIND = 120.0
# The client waits a little longer than the process, so that this one can say why it gave up.
_GRACE = 0.2
# What the process answers if the agent need not know anything.
_NOTHING = "[]"
# The files of a worktree that have something to tell.
_TOLD = ("gap", "unsaid", "note", "elsewhere")
# The word of the shell for a prompt for which a directive may wait.
_DIRECTED = "directed"
# Its word for a command with a word that may destroy something.
_DESTROYS = "destroys"
# Bytes of a payload, as in `limits`, which takes time to load.
_PAYLOAD = 64 << 20
# How each client's event after a call of a tool begins, and our events whose payload is not of the spool.
_AFTER = ("PostToolUse", "AfterTool")
_OURS = ("before", "prompt")
# How commands begin that may only read; what they do else decides `MomentCall.may_write`.
_READERS = frozenset(
    b"cat find grep head ls rg tail wc devs-git".split()
    + [b"git " + verb for verb in b"blame devs diff grep log ls-files show status".split()]
)
# What a word consists of that every shell reads in the same way, beside letters and digits.
_SIGNS = bytes.maketrans(b"-_./", b"aaaa")


def main(arguments: list[str]) -> int:
    """Return 0. What cannot be kept stops nothing."""
    # The payload may have any form, and a disk may be full.
    with contextlib.suppress(Exception):
        *words, file = arguments[:6]
        data, begun = _read(file, words[1])
        # The client's own repository must not be taken for that of the worktree.
        for variable in REPOSITORY_VARIABLES:
            os.environ.pop(variable, None)
        waits, folder = _waits(words[1]), f"{words[3]}/devs/moments"
        left = max(0.0, (_CALL if waits else _PROMPT) - max(0.0, time.time() - begun))
        seconds = left if waits else _BEHIND
        directed = arguments[7:] == [_DIRECTED]
        said: str | None = _NOTHING
        # Without moments, a prompt comes here only because of a directive.
        if not directed or os.path.lexists(f"{words[2]}/devs/moments-on"):
            seen = _begin(words, data, *arguments[6:8]) if arguments[6:] else None

            def work(caller: Caller) -> str:
                return _work(words, data, seconds, seen, caller)

            held = seen.begun.descriptors if seen and seen.begun else ()
            said = behind.run(work, folder, left + (_GRACE if waits else 0.0), held)
        tells = directed or any(os.path.lexists(f"{folder}/{name}") for name in _TOLD)
        if tells or (said != _NOTHING and (said or waits)):
            from devs_git.entrypoints.hooks import moment_answer

            sys.stdout.write(moment_answer.text(words, data, said, directed=directed))
            sys.stdout.flush()
    return 0


def _waits(event: str) -> bool:
    """Whether the client waits until the moment is made: before and after a call of a tool."""
    return event == "before" or event.startswith(_AFTER)


def _read(file: str, event: str) -> tuple[bytes, float]:
    """The payload, and when the hook began. The file is deleted, unless it belongs to the spool."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        facts = os.fstat(descriptor)
        data = os.read(descriptor, min(facts.st_size, _PAYLOAD) + 1)
    finally:
        os.close(descriptor)
        if event in _OURS:
            os.unlink(file)  # noqa: PTH108 - pathlib takes time to load
    if len(data) > _PAYLOAD:
        raise ValueError("the payload is too large")
    return data, facts.st_mtime - _BEFORE_FILE


def _begin(words: list[str], data: bytes, looked: str, why: str = "") -> Seen | None:
    """What the hook saw. If a moment is made in any case, git begins, before there is a process for the rest."""
    _, event, common, git_dir, top = words
    seen = seen_changes.take(looked)
    if seen:
        seen.may_destroy = why == _DESTROYS
    if seen and (not _waits(event) or _surely_writes(data)):
        seen_changes.begin(seen, git_dir, common, top)
    return seen


def _work(words: list[str], data: bytes, seconds: float, seen: Seen | None, caller: Caller) -> str:
    """In the process of its own: make the moment; what it says to the agent, in the form of `moment_answer`."""
    _, _, common, git_dir, top = words
    try:
        from devs_git.entrypoints.hooks import moment_answer

        call, places = moment_answer.call_of(words, data)
        if not (seen and seen.begun) and not call.may_write:
            return moment_answer.wait(call, places, seconds)
        caller.let_go()
        if seen and not seen.begun:
            seen_changes.begin(seen, git_dir, common, top)
        return moment_answer.keep(call, places, seconds, seen, caller)
    finally:
        if seen and seen.begun:
            seen.begun.close()


def _surely_writes(data: bytes) -> bool:
    """Whether the command in a payload does not begin as one that may only read. If nobody can tell that quickly: False.

    A payload of an unknown form may deceive us. Then one moment more is made.
    """
    said = data.partition(b'"tool_input"')[2].partition(b'"command"')[2].lstrip(b" :")
    words = said[1:].partition(b'"')[0].split(b" ", 2)[:2]
    if words[0] != b"git":
        words = words[:1]
    is_plain = said[:1] == b'"' and all(word.translate(_SIGNS).isalnum() for word in words)
    # git may have an option before its verb.
    return is_plain and not words[-1].startswith(b"-") and b" ".join(words) not in _READERS
