// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization

/// An area that an app wants to hear of. Use `CLCircularRegion`, or here also `CLPolygonRegion`.
///
/// Two regions are equal if their identifiers are: that is how the daemon knows them, and one that is registered again
/// under the same identifier takes the old one's place.
open class CLRegion: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let name: String
    private let flags: Mutex<NotifyFlags>

    /// The name by which the app knows the region; 1 to 128 bytes without control characters, or it cannot be watched.
    open var identifier: String { name }

    /// Whether entering is told; true by default. Counts when monitoring starts.
    open var notifyOnEntry: Bool {
        get { flags.withLock { $0.onEntry } }
        set { flags.withLock { $0.onEntry = newValue } }
    }

    /// Whether leaving is told; true by default. Counts when monitoring starts.
    open var notifyOnExit: Bool {
        get { flags.withLock { $0.onExit } }
        set { flags.withLock { $0.onExit = newValue } }
    }

    /// The person at the device is shown it when the region is crossed, whatever the app is told; nil, as at first: nothing. Counts when
    /// monitoring starts. Apple has it in another framework, see ``CLRegionNotice``.
    public var notice: CLRegionNotice? {
        get { flags.withLock { $0.notice } }
        set { flags.withLock { $0.notice = newValue } }
    }

    /// A region without a name, which cannot be watched: for a property that has no region yet, and for subclasses in an app's tests.
    public override init() {
        name = ""
        flags = Mutex(NotifyFlags())
        super.init()
    }

    init(identifier: String) {
        name = identifier
        flags = Mutex(NotifyFlags())
        super.init()
    }

    /// Reads an archived region; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard let identifier = coder.decodeText(forKey: "identifier") else { return nil }
        name = identifier
        flags = Mutex(
            NotifyFlags(
                onEntry: coder.decodeBool(forKey: "notifyOnEntry"), onExit: coder.decodeBool(forKey: "notifyOnExit"),
                notice: coder.decodeNotice()))
        super.init()
    }

    /// Writes the identifier, both flags and the notice.
    open func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "identifier")
        coder.encode(notifyOnEntry, forKey: "notifyOnEntry")
        coder.encode(notifyOnExit, forKey: "notifyOnExit")
        if let notice { coder.encodeNotice(notice) }
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A region of the same kind, area, identifier and flags, whose flags are its own.
    open func copy(with zone: NSZone? = nil) -> Any { copied(to: CLRegion(identifier: name)) }

    func copied<Copy: CLRegion>(to copy: Copy) -> Copy {
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        copy.notice = notice
        return copy
    }

    /// Whether `object` is a region of the same identifier.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }

    /// From the identifier.
    open override var hash: Int { identifier.hashValue }

    /// The kind and the identifier, for logs.
    open override var description: String { "\(type(of: self)) (identifier:'\(identifier)')" }
}

private struct NotifyFlags: Sendable {
    var onEntry = true
    var onExit = true
    var notice: CLRegionNotice?
}
