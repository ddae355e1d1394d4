"""Marks of what rewinds undid, and the events of the ledger that say so."""
