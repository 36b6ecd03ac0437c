// SPDX-License-Identifier: Apache-2.0

/// A value of the few D-Bus types that the interfaces of GeoClue, BlueZ and the desktop have.
public indirect enum BusValue: Hashable {
    case string(String)
    case path(String)
    case byte(UInt8)
    case uint16(UInt16)
    case uint32(UInt32)
    case int32(Int32)
    case strings([String])
    case boolean(Bool)
    case double(Double)
    /// `(tt)`.
    case pair(UInt64, UInt64)
    /// `a(yyay)` with one element: bytes at a place of advertisements' data of a type.
    case pattern(start: UInt8, type: UInt8, [UInt8])
    /// `a{sv}`.
    case properties([String: BusValue])

    package var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .byte: "y"
        case .uint16: "q"
        case .uint32: "u"
        case .int32: "i"
        case .strings: "as"
        case .boolean: "b"
        case .double: "d"
        case .pair: "(tt)"
        case .pattern: "a(yyay)"
        case .properties: "a{sv}"
        }
    }
}

/// A refusal that a caller on the bus is told.
public struct BusError: Error {
    /// D-Bus' name of the error.
    package let name: String
    /// For a person; begins with "cannot".
    package let message: String

    package static func accessDenied(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: message)
    }

    package static func limitsExceeded(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: message)
    }

    package static func invalidArguments(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
    }

    package static func failed(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
    }
}
