// SPDX-License-Identifier: Apache-2.0
internal import Foundation

// The members of NSObject that a delegate has without being one. On Apple's systems each delegate is one; on Linux an actor cannot be, since a program in
// which an actor inherits from NSObject does not link. Through the protocol an NSObject answers for itself.

extension CLLocationManagerDelegate {
    private var object: NSObject? { self as? NSObject }

    /// Whether `object` is the same; an NSObject decides for itself.
    public func isEqual(_ object: Any?) -> Bool {
        self.object.map { $0.isEqual(object) } ?? (object as AnyObject? === self)
    }

    /// From the identity; an NSObject decides for itself.
    public var hash: Int { object?.hash ?? ObjectIdentifier(self).hashValue }

    /// The delegate.
    public func `self`() -> Self { self }

    /// No.
    public func isProxy() -> Bool { false }

    /// The type; an NSObject decides for itself.
    public var description: String { object?.description ?? "\(type(of: self))" }

    /// As `description`; an NSObject decides for itself.
    public var debugDescription: String { object?.debugDescription ?? description }
}
