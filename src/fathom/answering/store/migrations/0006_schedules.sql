CREATE TABLE schedule (         -- when a saved question is asked and its answer sent
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    saved TEXT NOT NULL REFERENCES saved (slug) ON DELETE CASCADE,
    destination TEXT NOT NULL,  -- a name of the settings
    every TEXT NOT NULL,        -- hour | day | week | month
    minute INTEGER NOT NULL,    -- of the day, in UTC; of an hour its minute
    weekday INTEGER NOT NULL,   -- 0 is Monday
    needs TEXT NOT NULL,        -- always | rows | over | under
    heading TEXT NOT NULL,      -- of the column that is compared; '' for any that holds numbers
    bound REAL NOT NULL,
    next_at TEXT NOT NULL
);
CREATE INDEX schedule_next ON schedule (next_at);
CREATE INDEX schedule_saved ON schedule (saved);

CREATE TABLE sending (          -- one due time of a schedule, and what became of it
    key TEXT PRIMARY KEY,       -- the same whenever it is tried again
    schedule INTEGER NOT NULL REFERENCES schedule (number) ON DELETE CASCADE,
    due_at TEXT NOT NULL,
    state TEXT NOT NULL,        -- due | claimed | sending | sent | quiet | failed | unknown
    worker TEXT NOT NULL DEFAULT '',
    attempt INTEGER NOT NULL DEFAULT 0,
    not_before TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL DEFAULT '',
    why TEXT NOT NULL DEFAULT '',
    ended_at TEXT NOT NULL DEFAULT '',
    UNIQUE (schedule, due_at)
);
CREATE INDEX sending_open ON sending (state) WHERE state IN ('due', 'claimed', 'sending');
