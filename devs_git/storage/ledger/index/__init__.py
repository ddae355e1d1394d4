"""`index.db`: where in the ledger the events of a task are. It is derived, disposable, and decides nothing."""

from devs_git.values import Final

NAME: Final = "devs/index.db"
