// SPDX-License-Identifier: Apache-2.0
import CSQLite
import LocationModel

/// A value for a statement.
enum SQLiteValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    static func optional(_ number: Double?) -> SQLiteValue { number.map { .real($0) } ?? .null }
    static func optional(_ number: Int64?) -> SQLiteValue { number.map { .integer($0) } ?? .null }
    static func optional(_ date: WallTime?) -> SQLiteValue { optional(date?.milliseconds) }
    static func optional(_ bytes: [UInt8]?) -> SQLiteValue { bytes.map { .blob($0) } ?? .null }
    static func date(_ date: WallTime) -> SQLiteValue { .integer(date.milliseconds) }
    static func flag(_ flag: Bool) -> SQLiteValue { .integer(flag ? 1 : 0) }
    /// A number that counts up; those of 2^63 and more, which nobody reaches, are kept as the greatest.
    static func count(_ number: UInt64) -> SQLiteValue { .integer(Int64(clamping: number)) }
}

/// One row of a result; valid only while it is being shown.
struct SQLiteRow {
    let handle: OpaquePointer

    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }
    func real(_ column: CInt) -> Double { sqlite3_column_double(handle, column) }
    func text(_ column: CInt) -> String { sqlite3_column_text(handle, column).map { String(cString: $0) } ?? "" }
    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func optionalReal(_ column: CInt) -> Double? { isNull(column) ? nil : real(column) }
    func optionalInteger(_ column: CInt) -> Int64? { isNull(column) ? nil : integer(column) }
    func optionalDate(_ column: CInt) -> WallTime? { isNull(column) ? nil : date(column) }
    /// A date; of one that cannot be written the nearest that can.
    func date(_ column: CInt) -> WallTime { WallTime(milliseconds: integer(column)).writable }
    func flag(_ column: CInt) -> Bool { integer(column) != 0 }
    /// A number of an event, a request or a fix; of one that none can have the nearest that one can.
    func count(_ column: CInt) -> UInt64 { min(UInt64(max(0, integer(column))), Location.greatestSequence) }
    /// Text of which none is the empty one.
    func name(_ column: CInt) -> String? {
        let text = text(column)
        return text.isEmpty ? nil : text
    }

    /// The bytes of a blob, without a copy.
    func withBytes<Result>(_ column: CInt, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // The pointer first: asking for it may convert the value and change its length.
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func bytes(_ column: CInt) -> [UInt8] { withBytes(column) { Array($0) } }

    /// The value as it is.
    func value(_ column: CInt) -> SQLiteValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(bytes(column))
        default: .null
        }
    }
}
