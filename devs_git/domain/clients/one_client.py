"""One client by its name, without the modules of the others: the hook of a client has no time for them."""

from __future__ import annotations

from importlib import import_module

from devs_git.domain.clients.client import Client


def find_client(name: str) -> Client:
    """The client of the table with this name. KeyError if there is none."""
    if not (name.isascii() and name.isidentifier()):
        raise KeyError(name)
    try:
        found = getattr(import_module(f"devs_git.domain.clients.{name}"), name.upper(), None)
    except ImportError as error:
        raise KeyError(name) from error
    if not isinstance(found, Client):
        raise KeyError(name)
    return found
