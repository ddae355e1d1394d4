"""Steps with moments that several commands and hooks share."""
