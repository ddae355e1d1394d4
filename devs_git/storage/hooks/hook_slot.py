"""One git hook in one folder: ours goes into its slot, and what stood there before is kept beside it and comes back.

The slot is `<name>`, or `<name>.legacy` where pre-commit or prek stands at `<name>`: they call it, and would move ours
there anyway. Their script is never kept under `<name>.before-devs`, for it would call ours in a circle.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from devs_git.domain.text.hook_script import KEPT, LEGACY, Owner, owner
from devs_git.storage.git.files import replace_file
from devs_git.values import immutable

MODE: Final = 0o755


@immutable
class HookSlot:
    """The hook `name` in `folder`."""

    folder: Path
    name: str

    @property
    def path(self) -> Path:
        """Where ours belongs."""
        top = self.folder / self.name
        return self.folder / (self.name + LEGACY) if owner_of(top) == "framework" else top

    @property
    def kept(self) -> Path:
        """Where the hook that stood in the slot is kept, for ours to call it."""
        return self.folder / (self.name + KEPT)

    @property
    def shelved(self) -> Path:
        """Where a framework's script that another framework had put into the slot is kept, not to be called."""
        return self.folder / (self.name + LEGACY + KEPT)

    @property
    def owner(self) -> Owner | None:
        return owner_of(self.path)

    def content(self) -> bytes:
        return self.path.read_bytes()

    def put(self, content: bytes) -> None:
        """Make `content` stand in the slot, executable, in one step."""
        replace_file(self.path, content, mode=MODE, exact=True)

    def keep(self) -> str:
        """Move what stands in the slot out of our way; says what is odd about it."""
        path, kept = self.path, self.kept
        if owner_of(path) == "framework":
            path.rename(self.shelved)
            return f"{path.name} would be called in a circle; it is now {self.shelved.name} and not called"
        if not os.path.lexists(kept) or _same(path, kept):
            path.rename(kept)
            return f"the hook that stood there is now {kept.name} and called first"
        spare = next(
            p for n in range(1, 1000) if not os.path.lexists(p := kept.with_name(f"{kept.name}.{n}"))
        )
        kept.rename(spare)
        path.rename(kept)
        return f"a newer hook took its place and is now called; the one before is {spare.name} and not called"

    def give_back(self) -> str:
        """Put the kept hook back where it stood; says what is odd about it."""
        path = self.path
        for kept in (self.kept, self.shelved):
            if not os.path.lexists(kept):
                continue
            if not os.path.lexists(path):
                kept.rename(path)
                return "the hook that stood there before is back"
            if _same(path, kept):
                kept.unlink()
                continue
            return f"{kept.name} is left: another hook stands in its place"
        return ""

    def strays(self) -> tuple[Path, ...]:
        """Ours that others moved out of the slot; they would run twice or for nothing."""
        here = self.path
        found = sorted(self.folder.glob(f"{self.name}*"))
        named = (p for p in found if p.name.split(".")[0] == self.name and p != here)
        return tuple(p for p in named if owner_of(p) == "ours")


def owner_of(path: Path) -> Owner | None:
    """Whose hook stands at `path`, None where there is nothing; what cannot be read is foreign."""
    if not os.path.lexists(path):
        return None
    try:
        found = owner(path.read_bytes())
    except OSError:
        return "foreign"
    # Ours are files. A link to one is somebody's arrangement; kept and called, it would call itself.
    return "edited" if path.is_symlink() and found == "ours" else found


def names(folder: Path) -> tuple[str, ...]:
    """The hooks in `folder` that we installed or kept something for."""
    if not folder.is_dir():
        return ()
    found = {
        p.name.split(".")[0] for p in folder.iterdir() if KEPT in p.name or owner_of(p) in {"ours", "edited"}
    }
    return tuple(sorted(found - {""}))


def _same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return (
        one.is_file()
        and other.is_file()
        and one.stat().st_mode == other.stat().st_mode
        and one.read_bytes() == other.read_bytes()
    )
