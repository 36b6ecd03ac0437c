// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sqlite3.h>

// Swift can neither call variadic functions nor see a cast as a constant.

// Memory that a connection sets aside for small allocations: `slots` pieces of `size` bytes; SQLite's own default is
// several times as much.
static inline int csqlite_limit_lookaside(sqlite3 *database, int size, int slots) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, slots);
}

// The page cache takes memory for each page as it comes, and none for twenty pages at once. Before the first connection.
static inline int csqlite_allocate_pages_one_by_one(void) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

// A damaged or hostile schema must not be able to change the schema tables or run functions with side effects.
static inline int csqlite_be_defensive(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK) code = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    return code;
}

// Binds text that SQLite copies.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

// Binds bytes that SQLite copies; none are an empty value, not NULL.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    if (length == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}
