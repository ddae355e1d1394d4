"""The tools that agents call, over MCP and HTTP: one table, one way to call, schemas made from the verbs' own types."""
