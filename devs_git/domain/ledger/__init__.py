"""The events of a ledger, and what they say of tasks and checkpoints."""
