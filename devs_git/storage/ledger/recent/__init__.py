"""What the newest events and the refs tell of some tasks, for who need not read the whole ledger."""
