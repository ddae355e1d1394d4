"""Our line in `info/exclude`. It hides the view `.devs/` from `git status` in every worktree."""

from __future__ import annotations

from devs_git.storage.git.places import Places
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.domain.audit.findings import Action

LINE: Final = b"/.devs/\n"
_MARK: Final = b"# devs-git: the ledger's read-only view\n"
_MARK_AFTER_OPEN_LINE: Final = b"\n# devs-git: the ledger's read-only view (the line above had no end)\n"
WHAT: Final = "exclude of .devs/"


def _read(places: Places) -> bytes:
    try:
        return (places.common / "info" / "exclude").read_bytes()
    except FileNotFoundError:
        return b""


def is_present(places: Places) -> bool:
    """Whether our line is there. It shows that `init` has set up this repository."""
    data = _read(places)
    return _MARK + LINE in data or _MARK_AFTER_OPEN_LINE + LINE in data


def add(places: Places) -> Action:
    """Add our line if it is missing."""
    from devs_git.domain.audit.findings import Action

    if is_present(places):
        return Action(WHAT, "kept")
    data = _read(places)
    mark = _MARK if not data or data.endswith(b"\n") else _MARK_AFTER_OPEN_LINE
    _write(places, data + mark + LINE)
    return Action(WHAT, "created")


def remove(places: Places) -> Action:
    """Remove exactly what `add` wrote."""
    from devs_git.domain.audit.findings import Action

    if not is_present(places):
        return Action(WHAT, "skipped", "it was not there")
    _write(places, _read(places).replace(_MARK_AFTER_OPEN_LINE + LINE, b"").replace(_MARK + LINE, b""))
    return Action(WHAT, "removed")


def _write(places: Places, data: bytes) -> None:
    from devs_git.storage.git.files import replace_file

    path = places.common / "info" / "exclude"
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    path.parent.mkdir(exist_ok=True)
    replace_file(path, data, mode=mode, exact=True)
