"""The tool table: the name, verb, parameters and description of each tool.

Tier, guard and result come from the verb table and the verb's classes. No tool approves, rejects, prunes or purges.
"""

from __future__ import annotations

from typing import Final

from devs_git.entrypoints.tools import gate_tools, task_tools, trace_tools, tree_tools
from devs_git.entrypoints.tools.tool import Tool

_ROWS: Final = (*task_tools.TOOLS, *tree_tools.TOOLS, *gate_tools.TOOLS, *trace_tools.TOOLS)
TOOLS: Final[dict[str, Tool]] = {tool.name: tool for tool in _ROWS}
