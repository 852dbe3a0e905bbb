-- The first three tables have the columns that runners of this kind have had from the beginning, and behind them what a
-- decision needs to be understood later. Times are UTC in RFC 3339, costs millionths of a US dollar. What is not known is NULL.

CREATE TABLE tasks (
    task_id        TEXT PRIMARY KEY,
    status         TEXT NOT NULL DEFAULT 'pending', -- pending, running, completed, failed, blocked, cancelled, skipped
    started_at     TEXT,
    completed_at   TEXT,
    generation     INTEGER NOT NULL DEFAULT 1,    -- rises when the task is begun anew; attempts of earlier ones stay
    -- What the task has cost, over all generations: the sums of its runs, and of its attempts without a run that say
    -- who was called or what it cost, each one call. None is more than 90 million million, which is 90 million dollars.
    calls          INTEGER NOT NULL DEFAULT 0,
    input_tokens   INTEGER NOT NULL DEFAULT 0,    -- sums of what is known
    output_tokens  INTEGER NOT NULL DEFAULT 0,
    cost_microusd  INTEGER NOT NULL DEFAULT 0,
    unknown_tokens INTEGER NOT NULL DEFAULT 0,    -- calls of which nobody knows
    unknown_cost   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tasks_by_status ON tasks (status);

CREATE TABLE runs (
    run            TEXT PRIMARY KEY,
    task_id        TEXT NOT NULL REFERENCES tasks (task_id),
    generation     INTEGER NOT NULL,
    begun_at       TEXT NOT NULL,
    ended_at       TEXT,                          -- NULL: it can be gone on with
    status         TEXT,
    end_reason     TEXT,
    dir            TEXT,
    taxonomy       TEXT NOT NULL,                 -- fingerprint
    calls          INTEGER NOT NULL DEFAULT 0,    -- what is added to these is added to those of the task
    input_tokens   INTEGER NOT NULL DEFAULT 0,
    output_tokens  INTEGER NOT NULL DEFAULT 0,
    cost_microusd  INTEGER NOT NULL DEFAULT 0,
    unknown_tokens INTEGER NOT NULL DEFAULT 0,
    unknown_cost   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_task ON runs (task_id, generation);
CREATE INDEX runs_unfinished ON runs (begun_at) WHERE ended_at IS NULL;
CREATE INDEX runs_open ON runs (task_id) WHERE ended_at IS NULL;

CREATE TABLE attempts (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id          TEXT NOT NULL REFERENCES tasks (task_id),
    timestamp        TEXT NOT NULL,               -- when it ended
    success          INTEGER NOT NULL CHECK (success IN (0, 1)),
    duration_seconds REAL NOT NULL,
    error            TEXT,
    error_code       TEXT,                        -- as it was written
    claude_output    TEXT,                        -- the end of what the provider answered
    generation       INTEGER NOT NULL DEFAULT 1,
    run              TEXT REFERENCES runs (run),  -- NULL: it was recorded by hand, or converted
    iteration        INTEGER,
    category         TEXT,
    understood_code  TEXT,                        -- what the code was taken for, where that is another one
    rule             TEXT,                        -- what gave it the code
    reaction         TEXT,
    action           TEXT,
    counted          INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
    not_before       TEXT,                        -- when the next attempt could begin
    provider         TEXT,
    tier             INTEGER,
    input_tokens     INTEGER,
    output_tokens    INTEGER,
    cost_microusd    INTEGER,
    fingerprint      TEXT,                        -- of the evidence
    feedback         TEXT,                        -- what the next attempt is told
    changed_files    TEXT,                        -- a JSON array
    UNIQUE (run, iteration)
) STRICT;
CREATE INDEX attempts_by_task ON attempts (task_id, generation, id);
CREATE INDEX attempts_clean ON attempts (id) WHERE success = 1;
CREATE INDEX attempts_counted ON attempts (id) WHERE counted = 1;
CREATE INDEX attempts_failed ON attempts (task_id, generation, id) WHERE counted = 1 AND success = 0;

CREATE TABLE executor_meta (
    key   TEXT PRIMARY KEY,
    value TEXT
) STRICT;

-- Every error of an attempt; the one that decided is in attempts, too.
CREATE TABLE errors (
    attempt_id      INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
    seq             INTEGER NOT NULL,
    op              TEXT,
    source          TEXT,
    code            TEXT,
    understood_code TEXT,
    category        TEXT,
    message         TEXT NOT NULL,
    rule            TEXT,
    reaction        TEXT,
    action          TEXT,
    counted         INTEGER NOT NULL DEFAULT 0,
    overcome        INTEGER NOT NULL DEFAULT 0,   -- another try took its place
    fingerprint     TEXT,
    details         TEXT,                         -- its context, a JSON object
    PRIMARY KEY (attempt_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
    run       TEXT NOT NULL REFERENCES runs (run),
    seq       INTEGER NOT NULL,
    at        TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    point     TEXT NOT NULL,
    body      TEXT NOT NULL,                      -- JSON, as the executor wrote it
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
    run           TEXT NOT NULL REFERENCES runs (run),
    iteration     INTEGER NOT NULL,
    call          INTEGER NOT NULL,
    provider      TEXT NOT NULL,
    tier          INTEGER NOT NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT,                           -- NULL: under way, or nobody saw its end
    input_tokens  INTEGER,
    output_tokens INTEGER,
    cost_microusd INTEGER,
    PRIMARY KEY (run, iteration, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_open ON calls (run) WHERE ended_at IS NULL;

CREATE TABLE lanes (
    lane  TEXT PRIMARY KEY,                       -- a fingerprint of its name
    until TEXT NOT NULL,
    body  TEXT NOT NULL                           -- JSON
) STRICT;

-- What may be spent, as it was set; the last row of a scope holds.
CREATE TABLE budgets (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    at            TEXT NOT NULL,
    scope         TEXT NOT NULL,                  -- attempt, task, all, or task:ID for one of them
    tokens        INTEGER,                        -- NULL: no limit
    cost_microusd INTEGER,
    note          TEXT
) STRICT;
CREATE INDEX budgets_by_scope ON budgets (scope, id);
