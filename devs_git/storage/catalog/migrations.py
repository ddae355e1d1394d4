"""The catalog's tables, as numbered steps that only go forward (schemas/README.md lists the columns).

A step that has been released is never edited: what comes later is a step of its own.
"""

from __future__ import annotations

from typing import Final

# A trace's row is small, so that lists and filters read little; its bytes stand apart, the output in compressed parts.
# body_id names the bytes, and their text in the full-text index: unlike a rowid it survives VACUUM. A trace that is
# put again gets a new body, and the triggers take the old one away.
_TRACES: Final = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bodies (
  body_id INTEGER PRIMARY KEY AUTOINCREMENT,
  input BLOB NOT NULL,
  raw BLOB NOT NULL
);
CREATE TABLE parts (
  body_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  output BLOB NOT NULL,
  PRIMARY KEY (body_id, number)
);
CREATE TABLE traces (
  trace_id TEXT PRIMARY KEY NOT NULL CHECK (trace_id <> ''),
  body_id INTEGER NOT NULL UNIQUE,
  task_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  client TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  duration_ms INTEGER,
  "commit" TEXT NOT NULL,
  tool_use_id TEXT NOT NULL,
  event TEXT NOT NULL,
  created_at TEXT NOT NULL,
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  rewound_by TEXT NOT NULL DEFAULT ''
);
CREATE INDEX traces_by_task ON traces (task_id, created_at);
CREATE INDEX traces_by_age ON traces (created_at, body_id);
CREATE INDEX traces_rewound ON traces (rewound_by, body_id) WHERE rewound_by <> '';
CREATE VIEW trace_texts (rowid, text) AS SELECT b.body_id, devs_text(
  b.input, (SELECT devs_join(output) FROM (SELECT output FROM parts p WHERE p.body_id = b.body_id ORDER BY number))
) FROM bodies b;
CREATE TRIGGER trace_has_another_body AFTER UPDATE OF body_id ON traces WHEN old.body_id <> new.body_id BEGIN
  DELETE FROM bodies WHERE body_id = old.body_id;
END;
CREATE TRIGGER trace_is_gone AFTER DELETE ON traces BEGIN
  DELETE FROM bodies WHERE body_id = old.body_id;
END;
CREATE TRIGGER body_is_gone AFTER DELETE ON bodies BEGIN
  DELETE FROM parts WHERE body_id = old.body_id;
END
"""

STEPS: Final[tuple[str, ...]] = (_TRACES,)
