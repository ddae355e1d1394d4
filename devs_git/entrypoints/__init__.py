"""Entry points: they parse a request, call one command through the router, and show the result."""
