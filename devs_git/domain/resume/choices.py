"""What a caller of `resume` may choose: the modes, and how much a bundle may hold. Apart, because lists of tools need no more."""

from __future__ import annotations

from typing import Final

# They go on from an earlier state, to which the code is brought first.
FROM_EARLIER: Final = ("clean_restart", "restart_phase", "from_checkpoint")
MODES: Final = ("with_context", "continue", *FROM_EARLIER)
# Tokens of a bundle. The most is what fits into one argument of a program, which has 128 KiB.
LEAST: Final = 2_000
BUDGET: Final = 20_000
MOST: Final = 30_000
# Characters that a caller adds.
LONGEST: Final = 4_000
# Rows of the list.
ROWS: Final = 1_000
