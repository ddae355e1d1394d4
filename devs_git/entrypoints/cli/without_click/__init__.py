"""Commands that are answered without the import of click."""
