"""The table of clients; each has a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from devs_git.domain.clients.client import Client
from devs_git.values import Final

_NAMES: Final = ("claude", "codex", "gemini", "opencode")


class _Clients(Mapping[str, Client]):
    """The clients by name. The module of each is imported when it is asked for: a hook has no time for the others."""

    def __init__(self) -> None:
        self._imported: dict[str, Client] = {}

    def __getitem__(self, name: str) -> Client:
        if name not in self._imported:
            if name not in _NAMES:
                raise KeyError(name)
            module = import_module(f"devs_git.domain.clients.{name}")
            self._imported[name] = getattr(module, name.upper())
        return self._imported[name]

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


CLIENTS: Final = _Clients()
