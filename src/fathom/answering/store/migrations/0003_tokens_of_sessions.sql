-- A user's session ends with the token that it was begun with: who changes a token shuts out whoever stole it.
ALTER TABLE user_session ADD COLUMN token TEXT NOT NULL DEFAULT '';  -- its SHA-256, as the file of rights has it
