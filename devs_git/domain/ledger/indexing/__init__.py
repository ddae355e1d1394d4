"""What the index of the ledger has of each event."""
