-- Browsers that people are logged in with, by the digest of what their cookie holds.
CREATE TABLE login (
    digest TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES person (id),
    begun_at TEXT NOT NULL
);
