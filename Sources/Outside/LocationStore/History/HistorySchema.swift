// SPDX-License-Identifier: Apache-2.0

/// The tables of a history file.
enum HistorySchema {
    /// "loch" tells a history from other databases.
    static let steps = SchemaSteps(applicationID: 0x6C6F_6368, steps: migrations)

    private static let migrations = [
        """
        -- cursor: the last fix that is settled, kept or not. gap: fixes between it and the next kept one are not there.
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            cursor INTEGER NOT NULL CHECK (cursor >= 0),
            gap INTEGER NOT NULL CHECK (gap IN (0, 1))
        ) STRICT;

        -- What is in a block, apart from the block itself, so that a search by dates reads little. Dates in milliseconds since 1970;
        -- marks: those of all its fixes; gap: fixes between it and the block before are not there.
        CREATE TABLE blocks (
            first INTEGER PRIMARY KEY CHECK (first > 0),
            last INTEGER NOT NULL,
            count INTEGER NOT NULL CHECK (count > 0),
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL,
            marks INTEGER NOT NULL,
            gap INTEGER NOT NULL CHECK (gap IN (0, 1))
        ) STRICT;

        CREATE TABLE fixes (
            first INTEGER PRIMARY KEY,
            content BLOB NOT NULL
        ) STRICT;

        -- Events that apps were told. An empty name or label is none. A number is never given twice.
        CREATE TABLE events (
            record INTEGER PRIMARY KEY AUTOINCREMENT,
            uid INTEGER NOT NULL CHECK (uid BETWEEN 0 AND 4294967295),
            name TEXT NOT NULL,
            label TEXT NOT NULL,
            number INTEGER NOT NULL,
            date INTEGER NOT NULL,
            kind TEXT NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_by_app ON events (uid, name, record);
        CREATE INDEX events_by_date ON events (date);
        """,
        """
        -- What is saved from a damaged file: its name, and the keys behind which it goes on. NULL: nothing is.
        ALTER TABLE state ADD COLUMN salvage TEXT;
        ALTER TABLE state ADD COLUMN salvaged_fixes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE state ADD COLUMN salvaged_events INTEGER NOT NULL DEFAULT 0;

        CREATE INDEX gaps ON blocks (first) WHERE gap = 1;

        -- What the events of each app take, so that none pushes out what others have: counted as rows come and go.
        CREATE TABLE event_sizes (
            uid INTEGER NOT NULL,
            name TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (uid, name)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO event_sizes (uid, name, bytes)
            SELECT uid, name, sum(length(content) + 128) FROM events GROUP BY uid, name;
        CREATE TRIGGER event_comes AFTER INSERT ON events BEGIN
            INSERT INTO event_sizes (uid, name, bytes) VALUES (new.uid, new.name, length(new.content) + 128)
                ON CONFLICT (uid, name) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER event_goes AFTER DELETE ON events BEGIN
            UPDATE event_sizes SET bytes = bytes - length(old.content) - 128 WHERE uid = old.uid AND name = old.name;
            DELETE FROM event_sizes WHERE uid = old.uid AND name = old.name AND bytes <= 0;
        END;
        """,
        """
        -- When the receiver was on and for whom, and how much apps were told, in stretches of five minutes. start, receiver: milliseconds;
        -- uid: the user, -1 further apps together, -2 the device; an empty name is none.
        CREATE TABLE ledger (
            start INTEGER NOT NULL,
            uid INTEGER NOT NULL CHECK (uid BETWEEN -2 AND 4294967295),
            name TEXT NOT NULL,
            receiver INTEGER NOT NULL,
            locations INTEGER NOT NULL,
            live_updates INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY (start, uid, name)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE state ADD COLUMN ledger_rows INTEGER NOT NULL DEFAULT 0;
        CREATE TRIGGER ledger_comes AFTER INSERT ON ledger BEGIN
            UPDATE state SET ledger_rows = ledger_rows + 1;
        END;
        CREATE TRIGGER ledger_goes AFTER DELETE ON ledger BEGIN
            UPDATE state SET ledger_rows = ledger_rows - 1;
        END;
        """,
    ]
}
