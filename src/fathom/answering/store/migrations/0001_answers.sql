-- Questions with what became of them. A row is there before the work begins, so that a question that was
-- asked is never lost, and once finished it doesn't change any more.
CREATE TABLE answer (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL REFERENCES conversation (id),
    parent TEXT,                -- the answer that this one was made from
    origin TEXT NOT NULL,       -- asked | chosen | edited | guessed | again
    key TEXT UNIQUE,            -- of the form that was sent, so that sending it twice asks once
    database TEXT NOT NULL,
    question TEXT NOT NULL,
    evidence TEXT NOT NULL DEFAULT '',
    method TEXT NOT NULL DEFAULT '',
    asked_at TEXT NOT NULL,     -- UTC, ISO 8601
    asked_by TEXT NOT NULL DEFAULT '',
    worker TEXT NOT NULL,       -- the process that works on it, while it isn't finished
    status TEXT NOT NULL,
    says TEXT NOT NULL DEFAULT '',
    sql TEXT NOT NULL DEFAULT '',
    confidence REAL,
    seconds REAL,
    row_count INTEGER,          -- of the result; no more than so many are kept with the answer
    state TEXT NOT NULL DEFAULT '',  -- a mark of the data that were asked
    content BLOB                -- the answer's archive form, deflated
);
CREATE INDEX answer_conversation ON answer (conversation, number);
CREATE INDEX answer_database ON answer (database, number);
CREATE INDEX answer_unfinished ON answer (worker) WHERE status IN ('waiting', 'working');
CREATE TRIGGER answer_stays BEFORE UPDATE ON answer WHEN OLD.content IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a finished answer does not change'); END;

CREATE TABLE conversation (
    id TEXT PRIMARY KEY,
    database TEXT NOT NULL,
    begun_at TEXT NOT NULL
);

CREATE VIRTUAL TABLE answer_words USING fts5 (question, says, sql, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE saved (
    slug TEXT PRIMARY KEY,
    answer TEXT NOT NULL REFERENCES answer (id),  -- the latest one of this question
    title TEXT NOT NULL,
    tag TEXT NOT NULL DEFAULT '',
    saved_at TEXT NOT NULL
);

CREATE TABLE feedback (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    answer TEXT NOT NULL REFERENCES answer (id),
    is_right INTEGER NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    given_at TEXT NOT NULL
);
CREATE INDEX feedback_answer ON feedback (answer, number);

CREATE TABLE session (
    digest TEXT PRIMARY KEY,    -- of the cookie's secret, which is kept nowhere
    begun_at TEXT NOT NULL
);
