-- What servers over one file tell each other of a question that isn't finished.
ALTER TABLE answer ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;      -- how many times work on it has begun
ALTER TABLE answer ADD COLUMN is_stopped INTEGER NOT NULL DEFAULT 0;  -- somebody wants it stopped
ALTER TABLE answer ADD COLUMN progress TEXT NOT NULL DEFAULT '';    -- how far it is, as JSON

CREATE TABLE user_session (
    digest TEXT PRIMARY KEY,    -- of the cookie's secret, which is kept nowhere
    user TEXT NOT NULL,         -- who may see a part, by the file of rights
    begun_at TEXT NOT NULL
);

CREATE TABLE begun (            -- the questions of the last minute, for the limit
    name TEXT NOT NULL,         -- a digest of whose they are
    at REAL NOT NULL            -- seconds since 1970
);
CREATE INDEX begun_name ON begun (name, at);
