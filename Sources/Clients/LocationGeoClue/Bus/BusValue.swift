// SPDX-License-Identifier: Apache-2.0

/// A value of the few D-Bus types that GeoClue's interfaces have.
enum BusValue: Hashable {
    case string(String)
    case path(String)
    case uint32(UInt32)
    case boolean(Bool)
    case double(Double)
    /// `(tt)`.
    case pair(UInt64, UInt64)

    var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .uint32: "u"
        case .boolean: "b"
        case .double: "d"
        case .pair: "(tt)"
        }
    }
}

/// A refusal that a caller on the bus is told.
struct BusError: Error {
    /// D-Bus' name of the error.
    let name: String
    /// For a person; begins with "cannot".
    let message: String

    static func accessDenied(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: message)
    }

    static func limitsExceeded(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: message)
    }

    static func invalidArguments(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
    }

    static func failed(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
    }
}
