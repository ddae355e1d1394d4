"""The slot of one git hook in one folder. We put our hook there, keep the hook of before next to it, and put that back.

The slot is `<name>`, or `<name>.legacy` if pre-commit or prek has its script at `<name>`: this script calls
`<name>.legacy`, and their installation would move our hook there anyway. We never keep their script as
`<name>.before-devs`, because it would call our hook, and ours would call it again, without end.
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
        """The place of our hook."""
        top = self.folder / self.name
        return self.folder / (self.name + LEGACY) if owner_of(top) == "framework" else top

    @property
    def kept(self) -> Path:
        """The place of the hook that was in the slot before. Our hook calls it."""
        return self.folder / (self.name + KEPT)

    @property
    def shelved(self) -> Path:
        """The place of a framework's script that another framework had moved into the slot. Nothing calls it."""
        return self.folder / (self.name + LEGACY + KEPT)

    @property
    def owner(self) -> Owner | None:
        return owner_of(self.path)

    def content(self) -> bytes:
        return self.path.read_bytes()

    def put(self, content: bytes) -> None:
        """Write `content` into the slot, executable, in one step."""
        replace_file(self.path, content, mode=MODE, exact=True)

    def keep(self) -> str:
        """Move the hook in the slot to another name. Returns what the user should know."""
        path, kept = self.path, self.kept
        if owner_of(path) == "framework":
            path.rename(self.shelved)
            return f"{path.name} and our hook would call each other; it is now {self.shelved.name} and is not called"
        if not os.path.lexists(kept) or _same(path, kept):
            path.rename(kept)
            return f"the hook that was there is now {kept.name} and is called first"
        spare = next(
            p for n in range(1, 1000) if not os.path.lexists(p := kept.with_name(f"{kept.name}.{n}"))
        )
        kept.rename(spare)
        path.rename(kept)
        return (
            f"a newer hook had replaced it and is now called; the older one is {spare.name} and is not called"
        )

    def give_back(self) -> str:
        """Put the kept hook back into its place. Returns what the user should know."""
        path = self.path
        for kept in (self.kept, self.shelved):
            if not os.path.lexists(kept):
                continue
            if not os.path.lexists(path):
                kept.rename(path)
                return "the hook that was there before is restored"
            if _same(path, kept):
                kept.unlink()
                continue
            return f"{kept.name} stays, because another hook is in its place"
        return ""

    def strays(self) -> tuple[Path, ...]:
        """Copies of our hook that other programs moved out of the slot. They would run twice, or never."""
        here = self.path
        found = sorted(self.folder.glob(f"{self.name}*"))
        named = (p for p in found if p.name.split(".")[0] == self.name and p != here)
        return tuple(p for p in named if owner_of(p) == "ours")


def owner_of(path: Path) -> Owner | None:
    """Whose hook is at `path`; None if there is nothing. A file that cannot be read is foreign."""
    if not os.path.lexists(path):
        return None
    try:
        found = owner(path.read_bytes())
    except OSError:
        return "foreign"
    # Our hooks are files. If a person links to one and we kept and called the link, it would call itself.
    return "edited" if path.is_symlink() and found == "ours" else found


def names(folder: Path) -> tuple[str, ...]:
    """The names of the hooks in `folder` that we installed, or for which we keep another hook."""
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
