"""Install our git hooks, uninstall them, and find what is wrong with them.

The hooks themselves are in `hooks/`. `hooks_folder` says where they go, and `hook_slot` what happens to a hook that was
there before.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Action, Finding, Severity
from devs_git.domain.text.hook_script import is_chained, python_of, render
from devs_git.errors import DevsError
from devs_git.storage.documents import package_files
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import exclude_lines, foreign_lines, hook_slot, hooks_folder
from devs_git.storage.hooks.hook_slot import HookSlot
from devs_git.storage.hooks.hooks_folder import HookFolder
from devs_git.values import immutable, replace

INIT: Final = "devs-git init"
SERVE: Final = "devs-git init --server"
# Hooks of earlier versions wrote these notes below `devs/`.
NOTES_OF_EARLIER_HOOKS: Final = ("calm", "nothing-open")
# The suffix of the files in `hooks/` that only `init --strict` installs.
STRICT: Final = ".strict"


def hook_sources(*, strict: bool = False) -> dict[str, bytes]:
    """The hooks of this version: name and complete source. `strict`: also those that only `init --strict` installs."""
    wanted = ("", STRICT) if strict else ("",)
    files = (p for p in package_files.folder("hooks").iterdir() if p.is_file() and p.suffix in wanted)
    return {p.stem: resolve_includes(p.read_bytes()) for p in sorted(files)}


def server_hook_sources() -> dict[str, bytes]:
    """The hooks that `init --server` installs in a bare repository: name and complete source."""
    files = (path for path in (package_files.folder("hooks") / "server").iterdir() if path.is_file())
    return {path.name: resolve_includes(path.read_bytes()) for path in sorted(files)}


def has_server_hooks(places: Places, git: Git) -> bool:
    """Whether an earlier `init --server` installed its hooks here."""
    folder = hooks_folder.find(places, git)
    return any(HookSlot(folder.ours, name).owner in {"ours", "edited"} for name in server_hook_sources())


def has_strict_hooks(folder: HookFolder) -> bool:
    """Whether an earlier `init --strict` installed its hooks. They stay until `init --uninstall`."""
    names = (file.stem for file in package_files.folder("hooks").iterdir() if file.suffix == STRICT)
    return any(HookSlot(folder.ours, name).owner in {"ours", "edited"} for name in names)


def resolve_includes(source: bytes) -> bytes:
    """The source of a hook, with each line `# include FILE` replaced by that file of `hooks/`."""

    def part(line: re.Match[bytes]) -> bytes:
        return resolve_includes(package_files.read("hooks", line[1].decode()))

    return re.sub(rb"^# include (\S+)\n", part, source, flags=re.MULTILINE)


def install(
    places: Places, git: Git, python: str = sys.executable, *, strict: bool = False, server: bool = False
) -> tuple[Action, ...]:
    """Install all hooks. A hook that was there before is kept and called.

    INVALID_ARGUMENTS if the folder cannot be written.
    """
    folder = hooks_folder.find(places, git)
    sources = server_hook_sources() if server else hook_sources(strict=strict or has_strict_hooks(folder))
    others = (
        () if server else (name for name in hook_slot.names(folder.ours) if name not in server_hook_sources())
    )
    with _clear_refusal(folder):
        folder.ours.mkdir(parents=True, exist_ok=True)
        for note in NOTES_OF_EARLIER_HOOKS:
            (places.shared / note).unlink(missing_ok=True)
        retired = (name for name in others if name not in sources)
        gone = [_take_out(HookSlot(folder.ours, name)) for name in retired]
        done = [_put_in(HookSlot(folder.ours, name), source, python) for name, source in sources.items()]
        if folder.kind == "untracked":
            exclude_lines.hide(places, (HookSlot(folder.ours, name).path for name in sources))
        done += (
            _for_husky(folder, hooks_folder.fallback_folder(places), sources, python) if folder.husky else ()
        )
    return (
        *gone,
        *done,
        *(foreign_lines.line_to_add(folder, name) for name in foreign_lines.find_uncalled(folder, sources)),
    )


def uninstall(places: Places, git: Git, *, server: bool = False) -> tuple[Action, ...]:
    """Remove exactly what `install` installed, also in the folder of before, if core.hooksPath has changed."""
    served = server_hook_sources()
    asked = hooks_folder.find(places, git)
    folders = dict.fromkeys(
        (asked.ours, hooks_folder.default_folder(places), hooks_folder.fallback_folder(places))
    )
    with _clear_refusal(asked):
        slots = [HookSlot(folder, name) for folder in folders for name in hook_slot.names(folder)]
        done = [_take_out(slot) for slot in slots if (slot.name in served) is server]
        for folder in folders:
            # The folder may have other files, or not exist.
            with contextlib.suppress(OSError):
                folder.rmdir()
        exclude_lines.show(places)
    return tuple(done)


def status(
    places: Places, git: Git, *, server: bool = False, one_by_one: bool = False
) -> tuple[Finding, ...]:
    """What is wrong with the hooks, and the command that repairs it; nothing if all is well.

    Hooks with the same problem share a finding, unless `one_by_one`.
    """
    folder = hooks_folder.find(places, git)
    found: list[_Problem] = []
    sources = server_hook_sources() if server else hook_sources(strict=has_strict_hooks(folder))
    # Where git runs no hooks at all, nobody knows which ones it would miss.
    for name, source in () if folder.kind == "none" else sources.items():
        slot, at = HookSlot(folder.ours, name), folder
        if slot.owner == "foreign" and foreign_lines.in_husky(folder, name):
            slot, at = (
                HookSlot(hooks_folder.fallback_folder(places), name),
                replace(folder, name="devs/hooks"),
            )
        found += _HookCheck(at, slot, source, SERVE if server else INIT).problems()
    return (
        *(each for some in ([[one] for one in found] if one_by_one else [found]) for each in _findings(some)),
        *(foreign_lines.finding(folder, name) for name in foreign_lines.find_uncalled(folder, sources)),
    )


def _for_husky(folder: HookFolder, aside: Path, sources: dict[str, bytes], python: str) -> Iterator[Action]:
    """Install our hooks a second time, where the lines in husky's tracked files call them. Missing lines are listed."""
    aside.mkdir(parents=True, exist_ok=True)
    names = [name for name in sources if HookSlot(folder.asked, name).kept.exists()]
    did = {_put_in(HookSlot(aside, name), sources[name], python).did for name in names}
    yield Action("hooks for husky", next((one for one in ("created", "updated") if one in did), "kept"))
    missing = [name for name in names if not foreign_lines.in_husky(folder, name)]
    if missing:
        yield foreign_lines.husky_advice(folder, missing)


def _put_in(slot: HookSlot, source: bytes, python: str) -> Action:
    found, what, odd = slot.owner, f"hook {slot.name}", ""
    if found == "edited":
        return Action(what, "skipped", _edited_message(slot))
    if slot.path.is_dir():
        return Action(what, "skipped", f"There is a folder in the place of the git hook {slot.name}.")
    for stray in slot.strays():
        stray.unlink()
    if found in {"foreign", "framework"}:
        odd = slot.keep()
    wanted = render(source, python, chained=os.path.lexists(slot.kept))
    if found == "ours" and slot.content() == wanted and slot.path.stat().st_mode & 0o777 == hook_slot.MODE:
        return Action(what, "kept")
    slot.put(wanted)
    return Action(what, "updated" if found == "ours" else "created", odd)


def _take_out(slot: HookSlot) -> Action:
    what = f"hook {slot.name}"
    if slot.owner == "edited":
        return Action(what, "skipped", _edited_message(slot))
    ours = [*slot.strays(), *([slot.path] if slot.owner == "ours" else [])]
    for path in ours:
        path.unlink()
    odd = slot.give_back()
    return Action(what, "removed" if ours or odd else "kept", odd)


_EDITED: Final = "The git hook {} was changed after it was installed, so it is not replaced or removed."


def _edited_message(slot: HookSlot) -> str:
    return _EDITED.format(slot.path.name)


@immutable
class _Problem:
    """What is wrong with one hook. `one` is the message for the hook `where`, and `many` the message for several hooks.

    If `many` is '', each hook gets its own finding.
    """

    code: str
    where: str
    one: str
    many: str
    fix: str
    severity: Severity


def _findings(found: Iterable[_Problem]) -> Iterator[Finding]:
    """One finding for all hooks with the same problem."""
    alike: dict[tuple[str, ...], list[_Problem]] = {}
    for one in found:
        alike.setdefault((one.code, one.one, one.fix, "" if one.many else one.where), []).append(one)
    for first, *more in alike.values():
        names = ", ".join(one.where for one in (first, *more))
        yield Finding(
            first.code, first.severity, (first.many if more else first.one).format(names), first.fix
        )


@immutable
class _HookCheck:
    """The check of one hook."""

    folder: HookFolder
    slot: HookSlot
    source: bytes
    init: str

    def problems(self) -> Iterator[_Problem]:
        found, where = self.slot.owner, f"{self.folder.name}/{self.slot.path.name}"
        if found is None:
            one, many = "The git hook {} is not installed.", "The git hooks {} are not installed."
            husky = self.folder.husky_command
            if husky:
                one = many = (
                    f"This worktree has no {self.folder.name}, so git calls no hook here, not even husky's."
                )
            init = f"{husky} && {self.init}" if husky else self.init
            yield _Problem("HOOK_MISSING", self.slot.name, one, many, init, "error")
        elif found == "edited":
            path = f'"$(git rev-parse --git-path hooks)"/{self.slot.path.name}'
            fix = f"mv {path} {path}.edited && {self.init}"
            yield _Problem("HOOK_EDITED", self.slot.path.name, _EDITED, "", fix, "warning")
        elif found != "ours":
            one = "Another hook is at {}, and ours is not called."
            yield self._problem("HOOK_MISSING", where, one, "Other hooks are at {}, and ours are not called.")
        else:
            yield from self._problems_of_ours(where)

    def _problems_of_ours(self, where: str) -> Iterator[_Problem]:
        content, kept = self.slot.content(), os.path.lexists(self.slot.kept)
        if not os.access(self.slot.path, os.X_OK):
            one = "The git hook {} is not executable, and git ignores it."
            many = "The git hooks {} are not executable, and git ignores them."
            yield self._problem("HOOK_MISSING", where, one, many)
        if is_chained(content) and not kept:
            text = f"The hook that {{}} should call, {self.slot.kept.name}, does not exist."
            yield self._problem("HOOK_KEPT_MISSING", where, text, "", "warning")
        if kept and not is_chained(content):
            text = f"{{}} calls {self.slot.kept.name}, which devs-git did not put there. Look at it first."
            yield self._problem("HOOK_ADDED", where, text, "", "warning")
        python = python_of(content, self.source)
        if python is None:
            one = "The git hook {} was installed by another version."
            many = "The git hooks {} were installed by another version."
            yield self._problem("HOOK_OUTDATED", where, one, many, "warning")
        elif python and not os.access(python, os.X_OK):
            one = "The Python that the git hook {} starts does not exist."
            yield self._problem(
                "HOOK_OUTDATED", where, one, "The Python that the git hooks {} start does not exist."
            )

    def _problem(
        self, code: str, where: str, one: str, many: str = "", severity: Severity = "error"
    ) -> _Problem:
        return _Problem(code, where, one, many, self.init, severity)


@contextlib.contextmanager
def _clear_refusal(folder: HookFolder) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DevsError(
            "INVALID_ARGUMENTS",
            f"The folder for git hooks ({folder.name}) cannot be written: {error.strerror}.",
            hint=f"Make it a folder that you may write to, then run: {INIT}",
            field="repository",
        ) from error


__all__ = ["has_server_hooks", "hook_sources", "install", "server_hook_sources", "status", "uninstall"]
