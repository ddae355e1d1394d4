"""Make the bundle of a task or of a contract. It only reads. Whoever opens the catalog stores what hooks have captured."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.domain.resume import assemble_bundle, bundle_text
from devs_git.domain.resume.assemble_bundle import Facts, LazyMessage
from devs_git.domain.resume.bundle import Bundle, BundleMessage
from devs_git.errors import DevsError
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import newest_messages
from devs_git.storage.catalog.sessions.newest_messages import Span, StoredMessage
from devs_git.values import replace

# So many bytes are a token. It is an estimate.
_BYTES = 4


def make(catalog: Catalog, facts: Facts, span: Span | None, budget: int) -> Bundle:
    """The bundle of these facts, with the conversation of this span; None for none."""
    messages = _messages(catalog, span) if span else iter(())
    bundle = assemble_bundle.assemble(facts, messages, budget)
    return replace(bundle, holds_secret=_holds_secret(bundle_text.as_markdown(bundle)))


def _messages(catalog: Catalog, span: Span) -> Iterator[LazyMessage]:
    for stored in newest_messages.read(catalog, span):
        yield LazyMessage(stored.size // _BYTES, lambda stored=stored: _message(stored))  # type: ignore[misc]


def _message(stored: StoredMessage) -> BundleMessage:
    return assemble_bundle.message_of(
        stored.message, stored.session_id, stored.client, rewound=stored.rewound
    )


def _holds_secret(text: str) -> bool | None:
    """Whether something in it looks like a secret; None without the detector, which is an extra."""
    from devs_git.storage.documents import secrets

    try:
        return secrets.holds_secret(text)
    except DevsError:
        return None
