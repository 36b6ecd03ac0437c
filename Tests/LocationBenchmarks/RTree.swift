// SPDX-License-Identifier: Apache-2.0
import CSQLite
import LocationModel

/// The same circles as boxes in an R*Tree of SQLite, in memory: the query that a service without an index of its own would make.
final class RTree {
    private var database: OpaquePointer?
    let bytesEach: Double

    init(_ centers: [Coordinate], radius: Double) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(":memory:", &opened) == SQLITE_OK, let opened else {
            throw BenchmarkError("cannot open a database in memory")
        }
        database = opened
        let before = sqlite3_memory_used()
        try RTree.execute("CREATE VIRTUAL TABLE places USING rtree(id, south, north, west, east); BEGIN", opened)
        var insert: OpaquePointer?
        sqlite3_prepare_v2(opened, "INSERT INTO places VALUES (?, ?, ?, ?, ?)", -1, &insert, nil)
        defer { sqlite3_finalize(insert) }
        for (index, center) in centers.enumerated() {
            let frame = LocalFrame(latitude: center.latitude)
            let (north, east) = (radius / frame.metresPerDegreeOfLatitude, radius / frame.metresPerDegreeOfLongitude)
            sqlite3_bind_int64(insert, 1, Int64(index))
            for (column, value) in [
                center.latitude - north, center.latitude + north, center.longitude - east, center.longitude + east,
            ].enumerated() {
                sqlite3_bind_double(insert, Int32(column + 2), value)
            }
            guard sqlite3_step(insert) == SQLITE_DONE else {
                throw BenchmarkError("cannot fill the R*Tree: \(String(cString: sqlite3_errmsg(opened)))")
            }
            sqlite3_reset(insert)
        }
        try RTree.execute("COMMIT", opened)
        bytesEach = Double(sqlite3_memory_used() - before) / Double(centers.count)
    }

    deinit { sqlite3_close(database) }

    /// Nanoseconds a fix: all boxes that hold its place.
    func measure(_ drive: [Location]) throws -> Double {
        var query: OpaquePointer?
        let text = "SELECT id FROM places WHERE south <= ?1 AND north >= ?1 AND west <= ?2 AND east >= ?2"
        guard sqlite3_prepare_v2(database, text, -1, &query, nil) == SQLITE_OK else {
            throw BenchmarkError("cannot ask the R*Tree")
        }
        defer { sqlite3_finalize(query) }
        let begin = nanoseconds()
        for location in drive {
            sqlite3_bind_double(query, 1, location.coordinate.latitude)
            sqlite3_bind_double(query, 2, location.coordinate.longitude)
            while sqlite3_step(query) == SQLITE_ROW {}
            sqlite3_reset(query)
        }
        return Double(nanoseconds() - begin) / Double(drive.count)
    }

    private static func execute(_ text: String, _ database: OpaquePointer) throws {
        guard sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK else {
            throw BenchmarkError("cannot make the R*Tree: \(String(cString: sqlite3_errmsg(database)))")
        }
    }
}
