-- What INFORMATION_SCHEMA holds of two tables and a view, as its manual says.
-- The foreign key by day goes to a table of another dataset.
CREATE TABLE "COLUMNS" (table_name TEXT, column_name TEXT, ordinal_position INT, is_nullable TEXT, data_type TEXT);
INSERT INTO "COLUMNS" VALUES ('sale', 'day', 2, 'YES', 'DATE'), ('sale', 'shop', 1, 'NO', 'STRING'),
    ('sale', 'till', 3, 'YES', 'INT64'), ('till', 'number', 2, 'NO', 'INT64'), ('till', 'shop', 1, 'NO', 'STRING'),
    ('till', 'place', 3, 'YES', 'STRUCT<floor INT64>'), ('late', 'day', 1, 'YES', 'DATE');
CREATE TABLE "TABLES" (table_name TEXT, table_type TEXT);
INSERT INTO "TABLES" VALUES ('sale', 'BASE TABLE'), ('till', 'BASE TABLE'), ('late', 'MATERIALIZED VIEW');
CREATE TABLE "COLUMN_FIELD_PATHS" (table_name TEXT, column_name TEXT, field_path TEXT, description TEXT);
INSERT INTO "COLUMN_FIELD_PATHS" VALUES ('sale', 'day', 'day', 'of payment'), ('sale', 'shop', 'shop', NULL),
    ('till', 'place', 'place', 'in the house'), ('till', 'place', 'place.floor', 'from 0');
CREATE TABLE "TABLE_OPTIONS" (table_name TEXT, option_name TEXT, option_value TEXT);
INSERT INTO "TABLE_OPTIONS" VALUES ('till', 'description', '"where one \"pays\""'), ('till', 'labels', '[]');
CREATE TABLE "TABLE_CONSTRAINTS" (constraint_name TEXT, constraint_type TEXT, table_name TEXT);
INSERT INTO "TABLE_CONSTRAINTS" VALUES ('till.pk$', 'PRIMARY KEY', 'till'), ('sale.fk$1', 'FOREIGN KEY', 'sale'),
    ('sale.fk$2', 'FOREIGN KEY', 'sale');
CREATE TABLE "KEY_COLUMN_USAGE" (constraint_name TEXT, table_name TEXT, column_name TEXT, ordinal_position INT,
    position_in_unique_constraint INT);
INSERT INTO "KEY_COLUMN_USAGE" VALUES ('till.pk$', 'till', 'number', 2, NULL), ('till.pk$', 'till', 'shop', 1, NULL),
    ('sale.fk$1', 'sale', 'till', 1, 2), ('sale.fk$1', 'sale', 'shop', 2, 1), ('sale.fk$2', 'sale', 'day', 1, 1);
CREATE TABLE "CONSTRAINT_COLUMN_USAGE" (table_schema TEXT, table_name TEXT, column_name TEXT,
    constraint_schema TEXT, constraint_name TEXT);
INSERT INTO "CONSTRAINT_COLUMN_USAGE" VALUES ('d', 'till', 'shop', 'd', 'till.pk$'),
    ('d', 'till', 'number', 'd', 'till.pk$'), ('d', 'till', 'shop', 'd', 'sale.fk$1'),
    ('d', 'till', 'number', 'd', 'sale.fk$1'), ('calendar', 'till', 'shop', 'd', 'sale.fk$2');
CREATE TABLE "__TABLES__" (table_id TEXT, row_count INT, type INT);
INSERT INTO "__TABLES__" VALUES ('sale', 7, 1), ('till', 2, 1), ('late', 3, 3);
