"""Doors: they parse, call one command through the router, and render."""
