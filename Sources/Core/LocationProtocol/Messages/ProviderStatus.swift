// SPDX-License-Identifier: Apache-2.0

/// Somebody who says where the device is without a receiver, in `status`.
public struct ProviderStatus: Sendable, Hashable, Codable {
    /// The provider's name: `locctl locate`, a file, or an app as `apps` names it; absent: an app, which only administrators are told.
    public var name: String?
    /// How it was found, as `sourceInformation` of a location has it; absent: it cannot be read.
    public var kind: String?
    /// Radius of 68 %, metres.
    public var horizontalAccuracy: Double?
    /// Seconds for which it still counts; absent: until it is taken back.
    public var remaining: Double?
    /// Whether it is the location that is told now.
    public var told: Bool
    /// The fault of its file; absent: none, or none for this client to see.
    public var problem: String?

    /// The word of `name`; nil: of an app that is not told.
    public init(
        name: String? = nil, kind: String? = nil, horizontalAccuracy: Double? = nil, remaining: Double? = nil,
        told: Bool = false, problem: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.horizontalAccuracy = horizontalAccuracy
        self.remaining = remaining
        self.told = told
        self.problem = problem
    }
}

extension ProviderStatus {
    static let schema = JSONSchema.object([
        Described("name", .string(), "who says it: a file, locctl locate, or, to administrators only, an app"),
        Described("kind", .string(), "how it was found, as a location's sourceInformation has it"),
        Described("horizontalAccuracy", .amount, "radius of 68 %, metres"),
        Described("remaining", .amount, "seconds for which it still counts; absent: until it is taken back"),
        Described("told", .boolean, required: true, "whether it is the location that is told now"),
        Described("problem", .string(), "what is wrong with it; to administrators only"),
    ])
}
