"""The only code that touches the world: git, the ledger, files, locks."""
