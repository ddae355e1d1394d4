"""The HTTP door: MCP, a plain form of calling tools, REST and a stream of events, in front of the one tool table.

The only importer of starlette and uvicorn. What a tool is and does is `tools/`; here is who may come in, in which form.
"""
