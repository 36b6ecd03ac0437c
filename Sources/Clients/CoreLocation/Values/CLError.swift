// SPDX-License-Identifier: Apache-2.0
// The names are Apple's.
// swift-format-ignore-file: NoLeadingUnderscores

public import Foundation
internal import LocationModel
package import LocationProtocol

/// The domain of every error that Core Location tells.
public let kCLErrorDomain = "kCLErrorDomain"
/// The key of `userInfo` under which a larger `CLRegion` stands that could be watched in place of the one that cannot.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// An error that Core Location tells a delegate.
///
/// A delegate gets it as `any Error`: `error as? CLError`, `catch CLError.denied`, and `error as NSError` all work. Its
/// `localizedDescription` is a sentence of the daemon's that says why.
public struct CLError: Error, Sendable {
    // NSError is what may cross threads with a dictionary of anything in it.
    private let stored: NSError

    /// The error `code`. Without `NSLocalizedDescriptionKey` in `userInfo` it is described by what the code usually means.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        stored = NSError(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// The error that `_nsError` is, whatever its domain: delegates write `CLError(_nsError: error as NSError).code`.
    public init(_nsError: NSError) { stored = _nsError }

    /// The error that the daemon told.
    package init(_ error: LocationError) {
        stored = NSError(
            domain: kCLErrorDomain, code: error.code.rawValue, userInfo: [NSLocalizedDescriptionKey: error.message])
    }

    /// The kind of error. A number that this version of the library does not know, which a newer daemon may send, reads
    /// as `locationUnknown`, the code that ends nothing; `errorCode` keeps it.
    public var code: Code { Code(rawValue: stored.code) ?? .locationUnknown }
    /// The error as an object of Foundation's.
    public var _nsError: NSError { stored }
    /// The dictionary that was given with the error.
    public var userInfo: [String: Any] { stored.userInfo }
    /// A larger region that could be watched in place of the one that cannot, if there is one; the daemon names none.
    public var alternateRegion: CLRegion? { stored.userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }
}

extension CLError: CustomNSError {
    /// `kCLErrorDomain`.
    public static var errorDomain: String { kCLErrorDomain }
    /// The number of `code`.
    public var errorCode: Int { stored.code }
    /// `userInfo`, with a description in any case.
    public var errorUserInfo: [String: Any] {
        let usual = LocationError(LocationErrorCode(rawValue: stored.code)).message
        return [NSLocalizedDescriptionKey: usual].merging(stored.userInfo) { _, given in given }
    }
}

extension CLError: CustomDebugStringConvertible {
    /// The code's name and number, and what it means: `CLError.denied (kCLErrorDomain 1): cannot …`.
    public var debugDescription: String {
        let name = Code(rawValue: errorCode).map { "CLError.\($0)" } ?? "CLError"
        return "\(name) (\(kCLErrorDomain) \(errorCode)): \(localizedDescription)"
    }
}

extension CLError: Hashable {
    /// Whether number and `userInfo` are the same.
    public static func == (left: CLError, right: CLError) -> Bool { left.stored.isEqual(right.stored) }
    /// From the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(stored.code) }
}
