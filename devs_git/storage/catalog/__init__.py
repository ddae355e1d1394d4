"""The catalog (`catalog.db`): traces and conversations, found by id and by search. The only importer of sqlite3."""
