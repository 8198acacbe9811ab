-- What people do, in one file. What they said stays as they said it: later words are added, never put over
-- earlier ones.

CREATE TABLE person (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role TEXT NOT NULL,          -- annotator | expert | owner
    token TEXT UNIQUE,           -- the digest of what lets them in; none where they only came with an import
    created_at TEXT NOT NULL,
    has_left INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE project (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    guideline TEXT NOT NULL,     -- Markdown
    people INTEGER NOT NULL,     -- responses that an item needs; 0: one from everybody
    done_by TEXT NOT NULL,       -- the role of those who do the work
    settled_by TEXT NOT NULL,    -- expert | third | none
    comparison TEXT NOT NULL,    -- of results
    databases TEXT NOT NULL,     -- JSON: addresses by name
    exam TEXT REFERENCES project (id),     -- to be passed first
    pass_mark INTEGER,           -- this is an exam: so many right
    votes TEXT REFERENCES project (id),    -- where experts vote on what is written here
    seed INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE item (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES project (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,          -- the question's own id
    database TEXT NOT NULL,
    origin TEXT NOT NULL,
    priority REAL NOT NULL,
    shown TEXT NOT NULL,         -- JSON: what annotators see beside the question
    withheld TEXT NOT NULL,      -- JSON: what they don't: gold, predictions, whose answer is whose
    created_at TEXT NOT NULL,
    UNIQUE (project, name)
);

-- An item is asked anew, from everybody, when its question is changed.
CREATE TABLE round (
    item TEXT NOT NULL REFERENCES item (id),
    number INTEGER NOT NULL,
    question TEXT NOT NULL,
    evidence TEXT NOT NULL,
    made_by TEXT REFERENCES person (id),
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (item, number)
);

CREATE TABLE assignment (
    id TEXT PRIMARY KEY,
    item TEXT NOT NULL REFERENCES item (id),
    round INTEGER NOT NULL,
    person TEXT NOT NULL REFERENCES person (id),
    sides TEXT NOT NULL,         -- AB | BA: what is on the left, where two things are compared
    offered_at TEXT NOT NULL,
    lease_until TEXT NOT NULL,
    submitted_at TEXT,           -- when first
    skipped INTEGER NOT NULL DEFAULT 0,
    UNIQUE (item, round, person)
);
CREATE INDEX assignment_person ON assignment (person, submitted_at);

CREATE TABLE response (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assignment TEXT NOT NULL REFERENCES assignment (id),
    version INTEGER NOT NULL,
    submitted INTEGER NOT NULL,
    body TEXT NOT NULL,          -- JSON
    active_seconds REAL NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (assignment, version)
);

CREATE TABLE execution (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    response INTEGER NOT NULL REFERENCES response (id),
    part INTEGER NOT NULL,       -- of several queries in one response: which
    copy INTEGER NOT NULL,       -- 0: the database; then its changed copies
    sql TEXT NOT NULL,
    columns TEXT NOT NULL,       -- JSON
    first_rows BLOB NOT NULL,          -- the first rows, deflated JSON
    row_count INTEGER,           -- none where it failed
    digest TEXT NOT NULL,        -- equal for the same rows in any order
    error TEXT NOT NULL,
    seconds REAL NOT NULL,
    truncated INTEGER NOT NULL,
    data_state TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX execution_response ON execution (response);

CREATE TABLE comparison (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item TEXT NOT NULL REFERENCES item (id),
    round INTEGER NOT NULL,
    left_response INTEGER NOT NULL REFERENCES response (id),
    right_response INTEGER REFERENCES response (id),  -- none: the gold of an exam
    copy INTEGER NOT NULL,
    comparison TEXT NOT NULL,
    equal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX comparison_item ON comparison (item, round);

CREATE TABLE decision (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item TEXT NOT NULL REFERENCES item (id),
    round INTEGER NOT NULL,
    kind TEXT NOT NULL,
    person TEXT REFERENCES person (id),        -- none: the machine
    response INTEGER REFERENCES response (id),
    body TEXT NOT NULL,          -- JSON
    reason TEXT NOT NULL,
    seen INTEGER NOT NULL,       -- the last response that it knew of
    created_at TEXT NOT NULL
);
CREATE INDEX decision_item ON decision (item, id);

CREATE TABLE comment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item TEXT NOT NULL REFERENCES item (id),
    round INTEGER NOT NULL,
    person TEXT NOT NULL REFERENCES person (id),
    text TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX comment_item ON comment (item);

CREATE TABLE exam_result (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person TEXT NOT NULL REFERENCES person (id),
    project TEXT NOT NULL REFERENCES project (id),
    hits INTEGER,                -- none: an expert or owner let them pass
    total INTEGER,
    passed INTEGER NOT NULL,
    made_by TEXT REFERENCES person (id),
    created_at TEXT NOT NULL
);

CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    person TEXT,
    what TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
);

CREATE VIEW item_now AS
SELECT item.*, round.number AS round, round.question, round.evidence,
    (SELECT count(*) FROM assignment AS a
     WHERE a.item = item.id AND a.round = round.number AND a.submitted_at IS NOT NULL) AS submitted,
    (SELECT max(r.id) FROM response AS r JOIN assignment AS a ON a.id = r.assignment
     WHERE a.item = item.id AND a.round = round.number AND r.submitted) AS last_response,
    (SELECT max(d.id) FROM decision AS d WHERE d.item = item.id AND d.round = round.number) AS decision
FROM item JOIN round ON round.item = item.id
    AND round.number = (SELECT max(number) FROM round AS r WHERE r.item = item.id);

CREATE TRIGGER response_stays BEFORE UPDATE ON response BEGIN SELECT RAISE(ABORT, 'kept as it was said'); END;
CREATE TRIGGER response_kept BEFORE DELETE ON response BEGIN SELECT RAISE(ABORT, 'kept as it was said'); END;
CREATE TRIGGER execution_stays BEFORE UPDATE ON execution BEGIN SELECT RAISE(ABORT, 'kept as it was'); END;
CREATE TRIGGER execution_kept BEFORE DELETE ON execution BEGIN SELECT RAISE(ABORT, 'kept as it was'); END;
CREATE TRIGGER comparison_stays BEFORE UPDATE ON comparison BEGIN SELECT RAISE(ABORT, 'kept as it was'); END;
CREATE TRIGGER comparison_kept BEFORE DELETE ON comparison BEGIN SELECT RAISE(ABORT, 'kept as it was'); END;
CREATE TRIGGER decision_stays BEFORE UPDATE ON decision BEGIN SELECT RAISE(ABORT, 'kept as decided'); END;
CREATE TRIGGER decision_kept BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, 'kept as decided'); END;
CREATE TRIGGER round_stays BEFORE UPDATE ON round BEGIN SELECT RAISE(ABORT, 'kept as it was asked'); END;
CREATE TRIGGER round_kept BEFORE DELETE ON round BEGIN SELECT RAISE(ABORT, 'kept as it was asked'); END;
CREATE TRIGGER comment_stays BEFORE UPDATE ON comment BEGIN SELECT RAISE(ABORT, 'kept as it was said'); END;
CREATE TRIGGER comment_kept BEFORE DELETE ON comment BEGIN SELECT RAISE(ABORT, 'kept as it was said'); END;
CREATE TRIGGER exam_stays BEFORE UPDATE ON exam_result BEGIN SELECT RAISE(ABORT, 'kept as it was'); END;
CREATE TRIGGER exam_kept BEFORE DELETE ON exam_result BEGIN SELECT RAISE(ABORT, 'kept as it was'); END;
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'kept as it happened'); END;
CREATE TRIGGER event_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'kept as it happened'); END;
