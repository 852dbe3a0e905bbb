-- Times are UTC in RFC 3339, costs are millionths of a US dollar. NULL is not known.

CREATE TABLE tasks (
    task_id      TEXT PRIMARY KEY,
    status       TEXT NOT NULL DEFAULT 'pending', -- pending running completed failed blocked cancelled skipped
    started_at   TEXT,
    completed_at TEXT,
    generation   INTEGER NOT NULL DEFAULT 1       -- each reset adds 1; earlier attempts stay
) STRICT;
CREATE INDEX tasks_by_status ON tasks (status);

-- A row for each run. The column state is the whole run, and the only one that a resume reads.
CREATE TABLE runs (
    run            TEXT PRIMARY KEY,
    task_id        TEXT NOT NULL REFERENCES tasks (task_id),
    generation     INTEGER NOT NULL,
    begun_at       TEXT NOT NULL,
    updated_at     TEXT NOT NULL,
    ended_at       TEXT,                          -- NULL: the run can be resumed
    end_reason     TEXT,
    question       TEXT,                          -- of a run that ended with one
    phase          TEXT NOT NULL,
    iteration      INTEGER NOT NULL,
    tier           INTEGER NOT NULL,
    failures       INTEGER NOT NULL,              -- in a row
    counted        INTEGER NOT NULL,
    not_before     TEXT,
    deadline       TEXT,
    dir            TEXT,
    calls          INTEGER NOT NULL,
    input_tokens   INTEGER NOT NULL,              -- sums of the known numbers
    output_tokens  INTEGER NOT NULL,
    cost_microusd  INTEGER NOT NULL,
    unknown_tokens INTEGER NOT NULL,              -- calls whose tokens are unknown
    unknown_cost   INTEGER NOT NULL,
    saves          INTEGER NOT NULL,
    state          TEXT NOT NULL                  -- JSON
) STRICT;
CREATE INDEX runs_by_task ON runs (task_id, begun_at);
CREATE INDEX runs_unfinished ON runs (begun_at) WHERE ended_at IS NULL;

CREATE TABLE attempts (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id          TEXT NOT NULL REFERENCES tasks (task_id),
    timestamp        TEXT NOT NULL,               -- when it ended
    success          INTEGER NOT NULL CHECK (success IN (0, 1)),
    duration_seconds REAL NOT NULL,
    error            TEXT,
    error_code       TEXT,                        -- as recorded; the taxonomy may not have it any more
    claude_output    TEXT,                        -- the end of the provider's answer
    generation       INTEGER NOT NULL DEFAULT 1,
    run              TEXT REFERENCES runs (run),  -- NULL: recorded by a program, or imported
    iteration        INTEGER,
    outcome          TEXT NOT NULL,               -- clean failed cancelled interrupted question
    category         TEXT,
    reaction         TEXT,
    action           TEXT,
    counted          INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
    provider         TEXT,
    tier             INTEGER,
    calls            INTEGER NOT NULL DEFAULT 0,
    input_tokens     INTEGER,
    output_tokens    INTEGER,
    cost_microusd    INTEGER,
    feedback         TEXT,                        -- for the next attempt
    changed_files    TEXT,                        -- a JSON array
    UNIQUE (run, iteration)
) STRICT;
CREATE INDEX attempts_by_task ON attempts (task_id, generation, id);
CREATE INDEX attempts_clean ON attempts (id) WHERE success = 1;
CREATE INDEX attempts_failed ON attempts (task_id, generation, id) WHERE counted = 1;
CREATE INDEX attempts_paid ON attempts (task_id, calls, input_tokens, output_tokens, cost_microusd)
    WHERE run IS NULL AND calls > 0;

CREATE TABLE IF NOT EXISTS executor_meta (
    key   TEXT PRIMARY KEY,
    value TEXT
);

CREATE TABLE errors (
    run         TEXT NOT NULL REFERENCES runs (run),
    iteration   INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    tier        INTEGER NOT NULL,
    op          TEXT NOT NULL,
    source      TEXT NOT NULL,
    code        TEXT,
    category    TEXT,
    message     TEXT NOT NULL,
    rule        TEXT,                             -- that gave the error its code
    reaction    TEXT,
    action      TEXT,
    counted     INTEGER NOT NULL,
    retried     INTEGER NOT NULL,                 -- a retry replaced it
    fingerprint TEXT,
    details     TEXT,                             -- a JSON object
    PRIMARY KEY (run, iteration, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
    run           TEXT NOT NULL REFERENCES runs (run),
    iteration     INTEGER NOT NULL,
    call          INTEGER NOT NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT,                           -- NULL: in progress, or its process died
    provider      TEXT,
    tier          INTEGER NOT NULL,
    lane          TEXT,
    input_tokens  INTEGER,
    output_tokens INTEGER,
    cost_microusd INTEGER,
    code          TEXT,                           -- of its failure
    retry_of      TEXT,                           -- the code of the failure that it retries
    policy        TEXT,
    attempt       INTEGER,
    wait_seconds  REAL,
    PRIMARY KEY (run, iteration, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_end ON calls (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE commits (
    run       TEXT NOT NULL REFERENCES runs (run),
    id        TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    paths     TEXT NOT NULL,                      -- a JSON array
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE waits (
    run       TEXT NOT NULL REFERENCES runs (run),
    seq       INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    reason    TEXT NOT NULL,
    seconds   REAL NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE refs (
    run TEXT NOT NULL REFERENCES runs (run),
    ref TEXT NOT NULL,
    PRIMARY KEY (run, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE lanes (
    lane  TEXT PRIMARY KEY,                       -- a hash of its name
    until TEXT NOT NULL,
    body  TEXT NOT NULL                           -- JSON
) STRICT;

-- Each limit that was ever set; the last row of a scope holds.
CREATE TABLE budgets (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    at            TEXT NOT NULL,
    scope         TEXT NOT NULL,                  -- attempt, task, all, or task:ID
    tokens        INTEGER,                        -- NULL: no limit
    cost_microusd INTEGER,
    note          TEXT
) STRICT;
CREATE INDEX budgets_by_scope ON budgets (scope, id);
