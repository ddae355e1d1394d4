"""The tables of the catalog, as a list of migrations (schemas/README.md lists the columns).

A migration that has been released is never edited. Each later change is a new migration.
"""

from __future__ import annotations

from devs_git.values import Final

# The row of a trace is small, so that lists and filters read little. Its bytes are in other tables, the output in compressed
# parts. body_id identifies the bytes, and their text in the full-text index: unlike a rowid it does not change with VACUUM.
# A trace that is stored again gets a new body, and the triggers delete the old one.
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

# Of a message only the mark changes. Its position, digest and sums are those of the prefix that ends with it, so a prefix
# needs one row only. `rewinds` has what was rewound, for messages that are read after the rewind. It and the snapshots of
# checkpoints come from the ledger: the last statement makes the catalog read the ledger again.
_CONVERSATIONS: Final = """
CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY NOT NULL CHECK (session_id <> ''),
  client TEXT NOT NULL,
  worktree TEXT NOT NULL,
  task_id TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  digest TEXT NOT NULL,
  token_count INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  seen_at TEXT NOT NULL
);
CREATE INDEX sessions_by_age ON sessions (seen_at);
CREATE TABLE messages (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  role TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at TEXT NOT NULL,
  digest TEXT NOT NULL,
  token_count INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  rewound_by TEXT NOT NULL DEFAULT '',
  UNIQUE (session_id, position),
  UNIQUE (session_id, message_id)
);
CREATE INDEX messages_by_task ON messages (task_id, created_at);
CREATE INDEX messages_by_age ON messages (created_at, number);
CREATE INDEX messages_by_id ON messages (message_id);
CREATE INDEX messages_rewound ON messages (rewound_by, number) WHERE rewound_by <> '';
CREATE VIEW message_texts (rowid, text) AS SELECT number, devs_message(body) FROM messages;
CREATE TABLE snapshots (
  snapshot_id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  tag TEXT NOT NULL,
  live INTEGER NOT NULL,
  snapshot_type TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  digest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX snapshots_by_task ON snapshots (task_id, created_at);
CREATE INDEX snapshots_by_age ON snapshots (created_at);
CREATE INDEX snapshots_by_tag ON snapshots (tag) WHERE tag <> '';
CREATE UNIQUE INDEX snapshots_once ON snapshots (session_id, message_count) WHERE snapshot_type = 'auto';
CREATE TABLE transcripts (
  path BLOB PRIMARY KEY NOT NULL,
  client TEXT NOT NULL,
  session_id TEXT NOT NULL,
  read INTEGER NOT NULL,
  digest TEXT NOT NULL,
  memory TEXT NOT NULL
);
CREATE TABLE heard (
  path BLOB PRIMARY KEY NOT NULL,
  client TEXT NOT NULL,
  session_id TEXT NOT NULL,
  cwd TEXT NOT NULL,
  task_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  at TEXT NOT NULL,
  snapshot INTEGER NOT NULL
);
CREATE TABLE rewinds (operation TEXT NOT NULL, task_id TEXT NOT NULL, upto TEXT NOT NULL, PRIMARY KEY (operation, task_id));
CREATE INDEX rewinds_by_task ON rewinds (task_id, upto);
CREATE INDEX traces_by_session ON traces (session_id, created_at);
DELETE FROM settings WHERE key = 'ledger'
"""

# Outputs that a client cut before we got them were stored as if they were whole. The client's payload says which they are
# (see `cut_before`).
_CUT: Final = """
ALTER TABLE traces ADD COLUMN cut_by_client INTEGER NOT NULL DEFAULT 0;
ALTER TABLE traces ADD COLUMN full_bytes INTEGER;
UPDATE traces SET full_bytes = (
  SELECT devs_cut_before(client, event, b.raw, p.output) FROM bodies b JOIN parts p USING (body_id)
  WHERE b.body_id = traces.body_id AND p.number = 0
) WHERE client <> '' AND size >= 2000;
UPDATE traces SET cut_by_client = 1, full_bytes = nullif(full_bytes, -1) WHERE full_bytes IS NOT NULL
"""

# Forks of a session share its messages: a message is stored once, and `paths` says which messages a session has, in its
# order. Digest and sums of a path's row are those of the prefix that ends with it. A catalog that has a fork's messages
# twice keeps the older ones. `ordinal` and `turn_id` are the client's own names of a place. The index of messages has another
# name since then, so it is built again.
_FORKS: Final = """
CREATE TABLE doubled AS SELECT * FROM messages;
CREATE INDEX doubled_by_id ON doubled (message_id);
DROP VIEW message_texts;
DROP TABLE messages;
CREATE TABLE messages (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  ordinal INTEGER,
  task_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  role TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at TEXT NOT NULL,
  rewound_by TEXT NOT NULL DEFAULT ''
);
CREATE TABLE paths (
  session_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  token_count INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  PRIMARY KEY (session_id, position)
) WITHOUT ROWID;
INSERT INTO paths SELECT m.session_id, m.position, (
  SELECT min(number) FROM doubled d WHERE d.message_id = m.message_id AND d.created_at = m.created_at AND d.role = m.role
), m.digest, m.token_count, m.cost_usd FROM doubled m;
CREATE UNIQUE INDEX paths_by_number ON paths (number, session_id);
INSERT INTO messages SELECT number, session_id, message_id, '', NULL, task_id, agent, role, tool_name, is_error, body,
  created_at, rewound_by FROM doubled WHERE number IN (SELECT number FROM paths);
DROP TABLE doubled;
CREATE INDEX messages_by_task ON messages (task_id, created_at);
CREATE INDEX messages_by_age ON messages (created_at, number);
CREATE INDEX messages_by_id ON messages (message_id);
CREATE INDEX messages_rewound ON messages (rewound_by, number) WHERE rewound_by <> '';
CREATE VIEW message_texts (rowid, text) AS SELECT number, devs_message(body) FROM messages;
ALTER TABLE sessions ADD COLUMN forked_from TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN fork_ordinal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN forked_at TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN inherited INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_forked ON sessions (forked_from) WHERE forked_from <> ''
"""

# A session that has told its end. Those of clients that tell none, and those that were killed, are not in it.
_ENDED: Final = """
CREATE TABLE ended (session_id TEXT PRIMARY KEY NOT NULL CHECK (session_id <> ''), at TEXT NOT NULL) WITHOUT ROWID
"""

# When a message was recorded, which may be long after it was said; of older ones only the latter is known. `steering` has
# what the ledger says of contracts and phases, one row for an event, so that a reader of messages need not read the ledger:
# the last statement makes the catalog read it once.
_RECORDED: Final = """
ALTER TABLE messages ADD COLUMN recorded_at TEXT NOT NULL DEFAULT '';
UPDATE messages SET recorded_at = created_at;
CREATE TABLE steering (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL UNIQUE,
  task_id TEXT NOT NULL,
  contract TEXT NOT NULL,
  phase TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX steering_by_task ON steering (task_id, at, number);
CREATE INDEX steering_by_contract ON steering (contract, task_id, at, number);
DELETE FROM settings WHERE key = 'ledger'
"""

# Traces of an export that masked secrets. Earlier exports masked nothing.
_MASKED: Final = "ALTER TABLE traces ADD COLUMN masked INTEGER NOT NULL DEFAULT 0"

# What the client's own form of a message has beside its content, so that a session can be written for the client again.
# Of older messages it is unknown, until somebody reads their transcript again.
_NATIVE: Final = "ALTER TABLE messages ADD COLUMN native BLOB"

# Directives of the ledger, those that were written in this clone, and how each was handed over. The last statement makes the
# catalog read the ledger again.
_DIRECTIVES: Final = """
CREATE TABLE directives (
  directive_id TEXT PRIMARY KEY NOT NULL,
  task_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  withdrawn_at TEXT NOT NULL DEFAULT '',
  rewound_by TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX directives_by_task ON directives (task_id, created_at);
CREATE TABLE own_directives (directive_id TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE handovers (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  directive_id TEXT NOT NULL,
  way TEXT NOT NULL,
  client TEXT NOT NULL,
  session_id TEXT NOT NULL,
  transcript BLOB NOT NULL,
  start INTEGER NOT NULL,
  provable INTEGER NOT NULL,
  at TEXT NOT NULL,
  seen_at TEXT NOT NULL DEFAULT ''
);
CREATE INDEX handovers_by_directive ON handovers (directive_id, number);
DELETE FROM settings WHERE key = 'ledger'
"""

# The files of sessions that devs-git wrote for clients. `size`: bytes when it was written, -1 before.
_WRITTEN: Final = """
CREATE TABLE written (
  path BLOB PRIMARY KEY NOT NULL,
  client TEXT NOT NULL,
  session_id TEXT NOT NULL,
  source TEXT NOT NULL,
  at TEXT NOT NULL,
  size INTEGER NOT NULL
) WITHOUT ROWID
"""

# What rewinds of conversations took back, and which messages of a session's path that is.
_REWOUND_MESSAGES: Final = """
ALTER TABLE paths ADD COLUMN cut_by TEXT NOT NULL DEFAULT '';
CREATE INDEX paths_cut ON paths (cut_by) WHERE cut_by <> '';
CREATE TABLE cuts (
  mark TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kept TEXT NOT NULL,
  last TEXT NOT NULL,
  PRIMARY KEY (mark, session_id, kept, last)
) WITHOUT ROWID
"""

# Which event records each checkpoint (`tag`), and which say something of recorded ones (NULL). It reads the ledger again.
_NOTED: Final = """
CREATE TABLE noted_events (number INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, tag TEXT);
CREATE INDEX noted_events_by_tag ON noted_events (tag);
DELETE FROM settings WHERE key = 'ledger'
"""

STEPS: Final[tuple[str, ...]] = (
    *(_TRACES, _CONVERSATIONS, _CUT, _FORKS, _ENDED, _RECORDED, _MASKED, _NATIVE),
    *(_DIRECTIVES, _WRITTEN, _REWOUND_MESSAGES, _NOTED),
)
