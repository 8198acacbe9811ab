CREATE TABLE link (             -- shows one answer to whoever has its secret
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL UNIQUE,  -- of the secret, which is kept nowhere
    answer TEXT NOT NULL REFERENCES answer (id) ON DELETE CASCADE,
    begun_at TEXT NOT NULL,
    ends_at TEXT NOT NULL,
    embeds INTEGER NOT NULL DEFAULT 0  -- may stand in pages of other sites
);
CREATE INDEX link_answer ON link (answer);
