"""The stream of everything that was recorded: events of the ledger, files that tasks changed, and messages."""
