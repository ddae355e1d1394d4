"""The values of moments, and how they are named in refs and trees.

A moment is a git tree, and its id is the oid of that tree. Moments of one worktree and day are entries of the trees below
one ref: an entry's folder is its hour, and its name has minute, second, millisecond and kind.
"""

from __future__ import annotations

from collections.abc import Mapping

from devs_git.values import Any, Final, Literal, as_mapping, field, get_args, immutable

Kind = Literal["prompt", "call", "after", "stop", "snapshot", "worktree"]
KINDS: Final[tuple[str, ...]] = get_args(Kind)

PREFIX: Final = "refs/devs/moments/"
STATES: Final = f"{PREFIX}states/"
# In the store of moments, beside the states: the commits that the moments of a day need.
TIPS: Final = f"{PREFIX}tips/"
# In the user's repository. It sorts after refs/heads, refs/remotes and refs/tags, whose names git then prefers.
BASE: Final = "refs/zdevs/moments/"
# In the user's repository: what older versions had in place of TIPS and BASE.
COMMITS: Final = f"{PREFIX}commits/"
# Characters of a prompt or of a command that a moment keeps.
WORDS: Final = 200
_MAIN: Final = "."
# The form of a time. It is compared without a pattern, which would take a hook longer to compile than to use.
_TIME: Final = "0000-00-00T00:00:00.000Z"


@immutable
class Moment:
    """One moment, as lists know it. `worktree` is git's name of the worktree, `.` for the main one.

    `created_at` is in UTC, with milliseconds: `2026-11-23T14:32:05.123Z`.
    """

    id: str
    worktree: str
    created_at: str
    kind: str


@immutable
class Occasion:
    """Why a moment is made. `call_id` is the client's id of the tool call. `words`: the beginning of prompt or command."""

    kind: Kind
    session: str = ""
    client: str = ""
    call_id: str = ""
    words: str = ""


@immutable
class Details:
    """What a moment says besides the state: why and where it was made, and what it does not have.

    `top` is the worktree's folder, relative to the folder in which the common git directory is. `unmerged`: the index had conflicts. `under_way`: git's operation that was in progress,
    such as `a merge`; '' for none. `left_out`: nested repositories (with a slash at the end) and files that are too large.
    `umask` is the one under which the permissions that the state does not list are the usual ones.
    `branches` (full name and oid) and `stashes` are recorded only before a command that may drop refs. `ignored` is the
    tree of the ignored files that the moment has, '' for none.
    """

    occasion: Occasion
    created_at: str
    top: str
    unmerged: bool = False
    under_way: str = ""
    left_out: tuple[str, ...] = ()
    branches: Mapping[str, str] = field(default_factory=dict)
    stashes: tuple[str, ...] = ()
    ignored: str = ""
    umask: int = 0o022

    def record(self) -> dict[str, Any]:
        """The details as JSON has them."""
        return as_mapping(self)


def details_of(record: Mapping[str, Any]) -> Details:
    """The details from their mapping. Fields of a newer version are ignored."""
    known = {
        name: record[name]
        for name in ("created_at", "top", "unmerged", "under_way", "ignored", "umask")
        if name in record
    }
    occasion = {name: value for name, value in record["occasion"].items() if name in _OCCASION}
    return Details(
        Occasion(**occasion),
        left_out=tuple(record.get("left_out", ())),
        branches=dict(record.get("branches", {})),
        stashes=tuple(record.get("stashes", ())),
        **known,
    )


_OCCASION: Final = frozenset(("kind", "session", "client", "call_id", "words"))


def path_of(worktree: str) -> str:
    """The part of a ref's name for a worktree."""
    return "main" if worktree == _MAIN else f"worktrees/{worktree}"


def states_ref(worktree: str, day: str) -> str:
    """The ref of the moments of one worktree and day (`2026-11-23`, UTC)."""
    return f"{STATES}{path_of(worktree)}/{day}"


def tip_ref(worktree: str, day: str, commit: str) -> str:
    """The ref in the store that keeps a commit as long as the moments of that day."""
    return f"{TIPS}{path_of(worktree)}/{day}/{commit}"


def day_of_ref(ref: str) -> tuple[str, str] | None:
    """Worktree and day of a ref below `STATES`, `TIPS` or `COMMITS`; None for another ref."""
    if not ref.startswith((STATES, TIPS, COMMITS)):
        return None
    parts = ref.removeprefix(PREFIX).split("/")
    at = 2 if parts[1] == "main" else 3
    if len(parts) <= at or (at == 3 and parts[1] != "worktrees"):
        return None
    return (_MAIN if at == 2 else parts[2]), parts[at]


def day_of(created_at: str) -> str:
    """The day of a time, as refs have it."""
    return created_at[:10]


def entry_of(created_at: str, kind: str) -> tuple[str, str]:
    """Folder and name of a moment's entry. ValueError for a time in another form."""
    form = "".join("0" if letter.isdecimal() else letter for letter in created_at)
    if form != _TIME:
        raise ValueError(f"{created_at!r} is not a time in UTC with milliseconds")
    return created_at[11:13], f"{created_at[14:16]}{created_at[17:19]}{created_at[20:23]}-{kind}"


def time_of_entry(day: str, hour: str, name: str) -> tuple[str, str] | None:
    """Time and kind of an entry; None if the entry is not one of ours."""
    digits, dash, kind = name.partition("-")
    if not (dash and digits.isdecimal() and len(digits) == len("MMSSmmm")):
        return None
    return f"{day}T{hour}:{digits[:2]}:{digits[2:4]}.{digits[4:]}Z", kind
