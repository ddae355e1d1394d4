"""The tool table: what each tool is called, which verb it is, what it takes, and what it means.

Tier, guard and result come from the verb table and the verb's own types. A tool names its parameters as agents know
them. No tool approves, rejects, prunes or adds a directive.
"""

from __future__ import annotations

from typing import Final

from devs_git.entrypoints.tools import gate_tools, task_tools, trace_tools, tree_tools
from devs_git.entrypoints.tools.tool import Tool

_ROWS: Final = (*task_tools.TOOLS, *tree_tools.TOOLS, *gate_tools.TOOLS, *trace_tools.TOOLS)
TOOLS: Final[dict[str, Tool]] = {tool.name: tool for tool in _ROWS}
