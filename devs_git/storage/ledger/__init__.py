"""The ledger branch, what is read from it, and whether it is believed."""
