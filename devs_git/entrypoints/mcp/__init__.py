"""The MCP server: over standard input and output in our own words, over HTTP with the library `mcp`."""
