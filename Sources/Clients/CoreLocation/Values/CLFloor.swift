// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A storey of a building. Nothing on Linux measures one, so a delivered location has none.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let storey: Int

    /// The storey: 0 is the one at ground level, negative ones are below it.
    open var level: Int { storey }

    /// The ground floor.
    public override init() {
        storey = 0
        super.init()
    }

    /// The same object: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the storey.
    open func encode(with coder: NSCoder) { coder.encode(storey, forKey: "level") }

    /// Reads a storey.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "level") else { return nil }
        storey = coder.decodeInteger(forKey: "level")
        super.init()
    }

    /// The storey, for logs.
    open override var description: String { "CLFloor (level:\(level))" }
}
