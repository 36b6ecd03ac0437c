// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The program's identifier and its declarations about its use of locations. Only here: on Apple's systems the bundle says it.
///
/// Each key is looked for in this order, and the first place that has it counts: `declare(_:)` in code, the environment,
/// an `Info.plist` beside the executable, one in the executable's resource bundle, and the main bundle. Nothing is read
/// before something needs it, and then once.
public struct CLApplicationInfo: Sendable, Hashable {
    /// The label that separates this program's regions, monitors and events from others of the same identity; nil: none is
    /// declared, and the executable's name is taken. 1 to 128 bytes with something visible in them and without control or
    /// bidirectional characters, which do not begin with `uid:` or `unit:`.
    public var identifier: String?
    /// The reason for locations while the program is in use; nil: none is given. At most 256 bytes, plain characters.
    public var whenInUseUsageDescription: String?
    /// The reason for locations at any time; nil: none is given. At most 256 bytes, plain characters.
    public var alwaysAndWhenInUseUsageDescription: String?
    /// The reasons for full accuracy, by purpose key. At most 256 bytes each, plain characters.
    public var temporaryUsageDescriptions: [String: String]
    /// Whether streams and monitors need a `CLServiceSession` that the program holds; false where nothing is said.
    public var requiresExplicitServiceSession: Bool
    /// Whether the program wants no more than reduced accuracy; false where nothing is said.
    public var defaultAccuracyReduced: Bool
    /// `location` where the program uses locations in the background. Linux has no such rule: this is for code that asks.
    public var backgroundModes: [String]
    /// Where each key was found; what is in none of the places is missing.
    public internal(set) var origins: [Key: Origin]

    /// A declaration of what is given, for `declare(_:)`; what is nil or empty is left to the other places.
    public init(
        identifier: String? = nil, whenInUseUsageDescription: String? = nil,
        alwaysAndWhenInUseUsageDescription: String? = nil, temporaryUsageDescriptions: [String: String] = [:],
        requiresExplicitServiceSession: Bool = false, defaultAccuracyReduced: Bool = false,
        backgroundModes: [String] = []
    ) {
        self.identifier = identifier
        self.whenInUseUsageDescription = whenInUseUsageDescription
        self.alwaysAndWhenInUseUsageDescription = alwaysAndWhenInUseUsageDescription
        self.temporaryUsageDescriptions = temporaryUsageDescriptions
        self.requiresExplicitServiceSession = requiresExplicitServiceSession
        self.defaultAccuracyReduced = defaultAccuracyReduced
        self.backgroundModes = backgroundModes
        origins = [:]
    }

    /// The keys of an `Info.plist`, with Apple's names; so are the environment's variables called.
    public enum Key: String, Sendable, CaseIterable {
        /// A string. In the environment `LOCATIOND_APP` comes before it.
        case identifier = "CFBundleIdentifier"
        /// A string.
        case whenInUse = "NSLocationWhenInUseUsageDescription"
        /// A string. Asking for it needs `whenInUse`, too.
        case always = "NSLocationAlwaysAndWhenInUseUsageDescription"
        /// A string: what `always` was called before iOS 11; counts where that is missing.
        case olderAlways = "NSLocationAlwaysUsageDescription"
        /// A dictionary of strings; in the environment a JSON object.
        case temporary = "NSLocationTemporaryUsageDescriptionDictionary"
        /// A truth; in the environment `YES` or `NO`, `true` or `false`, `1` or `0`.
        case defaultAccuracyReduced = "NSLocationDefaultAccuracyReduced"
        /// A truth; in the environment `YES` or `NO`, `true` or `false`, `1` or `0`.
        case requiresServiceSession = "NSLocationRequireExplicitServiceSession"
        /// An array of strings; in the environment words with spaces or commas between them.
        case backgroundModes = "UIBackgroundModes"
    }

    /// Where a key was found.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        /// `CLApplicationInfo.declare(_:)`.
        case code
        /// The variable of this name.
        case environment(String)
        /// The file at this path.
        case file(String)
        /// `Bundle.main.infoDictionary`.
        case mainBundle

        /// For messages.
        public var description: String {
            switch self {
            case .code: "CLApplicationInfo.declare(_:)"
            case .environment(let variable): "the environment variable \(variable)"
            case .file(let path): path
            case .mainBundle: "the main bundle's Info.plist"
            }
        }
    }
}

extension CLApplicationInfo {
    /// The declarations that hold for this process. The first call, from whichever thread, looks in all places, and
    /// says on standard error if something is wrong with one; no later call looks again.
    public static var current: CLApplicationInfo { ApplicationInfoStore.shared.current }

    /// Declares in code, before anything else of Core Location is used.
    ///
    /// - Throws: `CLApplicationInfoError` if a text is not plain or the identifier is too long, naming the key, or if the
    ///   declaration comes too late to count. A usage description of more than 256 bytes is cut, and standard error says so.
    public static func declare(_ info: CLApplicationInfo) throws(CLApplicationInfoError) {
        try ApplicationInfoStore.shared.declare(info)
    }
}

/// Why a declaration cannot count.
public struct CLApplicationInfoError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// A sentence: what is wrong, and what is allowed.
    public let description: String
    /// The same sentence.
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
