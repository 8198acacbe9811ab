-- A saved question may ask for values: its query, with the places of these values in it.
ALTER TABLE saved ADD COLUMN sql TEXT NOT NULL DEFAULT '';
ALTER TABLE saved ADD COLUMN parameters TEXT NOT NULL DEFAULT '[]';  -- as JSON, in the order of the form

CREATE TABLE filled (           -- the latest answer for each set of values that was asked for
    saved TEXT NOT NULL REFERENCES saved (slug) ON DELETE CASCADE,
    given TEXT NOT NULL,        -- the values by their names, as JSON
    answer TEXT NOT NULL REFERENCES answer (id) ON DELETE CASCADE,
    PRIMARY KEY (saved, given)
);
CREATE INDEX filled_answer ON filled (answer);
