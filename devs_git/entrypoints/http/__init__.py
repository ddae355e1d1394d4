"""The HTTP server: MCP, a plain form of tool calls, REST and a stream of events, in front of the tool table.

Only this folder imports starlette and uvicorn. It decides which requests are let in and how they are read; `tools/` does
the work.
"""
