-- Times are UTC in RFC 3339, costs are millionths of a US dollar. NULL is unknown.

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
    phase          TEXT NOT NULL,
    saves          INTEGER NOT NULL,
    spent          TEXT NOT NULL,                 -- JSON
    state          TEXT NOT NULL,                 -- JSON
    calls          INTEGER AS (spent ->> '$.calls'),
    input_tokens   INTEGER AS (spent ->> '$.usage.inputTokens'), -- sums of the known numbers
    output_tokens  INTEGER AS (spent ->> '$.usage.outputTokens'),
    cost_microusd  INTEGER AS (CAST(min(ceil((spent ->> '$.usage.costUSD') * 1e6 - 1e-6), 9e12) AS INTEGER)),
    unknown_tokens INTEGER AS (coalesce(spent ->> '$.unknownTokens', 0)), -- calls whose tokens are unknown
    unknown_cost   INTEGER AS (coalesce(spent ->> '$.unknownCost', 0)),
    end_reason     TEXT AS (state ->> '$.end'),
    question       TEXT AS (state ->> '$.question'), -- of a run that ended with one
    iteration      INTEGER AS (state ->> '$.iteration.number'),
    tier           INTEGER AS (state ->> '$.tier'),
    failures       INTEGER AS (state ->> '$.failures'), -- in a row
    counted        INTEGER AS (state ->> '$.counted'),
    not_before     TEXT AS (state ->> '$.wait.until'),
    deadline       TEXT AS (state ->> '$.deadline'),
    dir            TEXT AS (state ->> '$.dir')
) STRICT;
CREATE INDEX runs_by_task ON runs (task_id, begun_at);
CREATE INDEX runs_unfinished ON runs (begun_at) WHERE ended_at IS NULL;

CREATE VIEW commits AS
    SELECT run, c.value ->> '$.id' AS id, c.value -> '$.paths' AS paths FROM runs, json_each(state, '$.commits') AS c;
CREATE VIEW waits AS
    SELECT run, w.key AS seq, w.value ->> '$.iteration' AS iteration, w.value ->> '$.for' AS reason,
        w.value ->> '$.took' AS took FROM runs, json_each(state, '$.waits') AS w;
CREATE VIEW errors AS
    SELECT run, e.key AS seq, e.value ->> '$.iteration' AS iteration, e.value ->> '$.op' AS op,
        e.value ->> '$.source' AS source, e.value ->> '$.code' AS code, e.value ->> '$.category' AS category,
        e.value ->> '$.message' AS message, e.value ->> '$.reaction' AS reaction, e.value ->> '$.action' AS action,
        coalesce(e.value ->> '$.counted', 0) AS counted,
        coalesce(e.value ->> '$.retried', 0) AS retried, -- a retry replaced it
        e.value AS record
    FROM runs, json_each(state, '$.errors') AS e;
CREATE VIEW refs AS SELECT run, r.value AS ref FROM runs, json_each(state, '$.refs') AS r;

CREATE TABLE attempts (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id          TEXT NOT NULL REFERENCES tasks (task_id),
    timestamp        TEXT NOT NULL,               -- when it ended
    success          INTEGER NOT NULL CHECK (success IN (0, 1)),
    duration_seconds REAL NOT NULL,
    error            TEXT,
    error_code       TEXT,                        -- as recorded; the taxonomy may no longer have it
    claude_output    TEXT,                        -- the end of the provider's answer
    generation       INTEGER NOT NULL DEFAULT 1,
    run              TEXT REFERENCES runs (run),  -- NULL: recorded by a program, or imported
    iteration        INTEGER,
    feedback         TEXT,                        -- for the next attempt
    record           TEXT NOT NULL,               -- JSON, without error, output and feedback
    outcome          TEXT AS (record ->> '$.outcome'), -- clean failed cancelled interrupted question
    category         TEXT AS (record ->> '$.category'),
    reaction         TEXT AS (record ->> '$.reaction'),
    action           TEXT AS (record ->> '$.action'),
    counted          INTEGER AS (record ->> '$.counted'),
    provider         TEXT AS (record ->> '$.provider'),
    tier             INTEGER AS (record ->> '$.tier'),
    calls            INTEGER AS (record ->> '$.calls'),
    input_tokens     INTEGER AS (record ->> '$.usage.inputTokens'),
    output_tokens    INTEGER AS (record ->> '$.usage.outputTokens'),
    cost_microusd    INTEGER AS (CAST(min(ceil((record ->> '$.usage.costUSD') * 1e6 - 1e-6), 9e12) AS INTEGER)),
    changed_files    TEXT AS (record -> '$.changed'), -- a JSON array
    UNIQUE (run, iteration)
) STRICT;
CREATE INDEX attempts_by_task ON attempts (task_id, generation, id);
CREATE INDEX attempts_clean ON attempts (id) WHERE success = 1;
CREATE INDEX attempts_failed ON attempts (task_id, generation, id) WHERE counted = 1;
CREATE INDEX attempts_paid ON attempts (task_id, calls, input_tokens, output_tokens, cost_microusd)
    WHERE run IS NULL AND calls > 0;

CREATE TABLE executor_meta (
    key   TEXT PRIMARY KEY,
    value TEXT
) STRICT;

CREATE TABLE calls (
    run           TEXT NOT NULL REFERENCES runs (run),
    iteration     INTEGER NOT NULL,
    call          INTEGER NOT NULL,
    record        TEXT NOT NULL,                  -- JSON
    started_at    TEXT AS (record ->> '$.started_at'),
    ended_at      TEXT AS (record ->> '$.ended_at'), -- NULL: in progress, or its process died
    provider      TEXT AS (record ->> '$.provider'),
    tier          INTEGER AS (record ->> '$.tier'),
    lane          TEXT AS (record ->> '$.lane'),
    input_tokens  INTEGER AS (record ->> '$.usage.inputTokens'),
    output_tokens INTEGER AS (record ->> '$.usage.outputTokens'),
    cost_microusd INTEGER AS (CAST(ceil((record ->> '$.usage.costUSD') * 1e6 - 1e-6) AS INTEGER)),
    code          TEXT AS (record ->> '$.code'),  -- of its failure
    retry_of      TEXT AS (record ->> '$.retry_of'), -- the code of the failure that it retries
    policy        TEXT AS (record ->> '$.policy'),
    attempt       INTEGER AS (record ->> '$.attempt'),
    wait_seconds  REAL AS ((record ->> '$.wait') / 1e9),
    PRIMARY KEY (run, iteration, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_end ON calls (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE lanes (
    lane  TEXT PRIMARY KEY,                       -- a hash of its name
    until TEXT NOT NULL
) STRICT;

-- A row for each limit that was ever set. The last row of a scope applies.
CREATE TABLE budgets (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    scope         TEXT NOT NULL,                  -- attempt, task, all, or task:ID
    record        TEXT NOT NULL,                  -- JSON
    at            TEXT AS (record ->> '$.at'),
    tokens        INTEGER AS (record ->> '$.tokens'), -- NULL: no limit
    cost_microusd INTEGER AS (CAST(round((record ->> '$.cost_usd') * 1e6) AS INTEGER)),
    note          TEXT AS (record ->> '$.note')
) STRICT;
CREATE INDEX budgets_by_scope ON budgets (scope, id);

PRAGMA application_id = 0x65727267; -- "errg"
PRAGMA user_version = 4;
