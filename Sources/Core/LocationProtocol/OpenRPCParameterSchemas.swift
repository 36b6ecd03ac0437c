// SPDX-License-Identifier: Apache-2.0

private typealias Member = JSONSchema.Member

extension JSONSchema {
    static let onlyThisVersion = JSONSchema.number(
        minimum: Double(locationProtocolVersion), maximum: Double(locationProtocolVersion))
    package static let nothing = JSONSchema.object([])
    static let name = JSONSchema.string(pattern: #"^[^\u0000-\u001f\u007f-\u009f]+$"#, maximumLength: 128)
    static let label = JSONSchema.string(
        pattern: #"^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+$"#, maximumLength: 128)
    static let appName = JSONSchema.string(pattern: #"^[^\u0000-\u001f\u007f-\u009f]+$"#, maximumLength: 256)
    static let usageText = JSONSchema.string(maximumLength: 256)
    static let token = JSONSchema.string(pattern: "^[0-9a-f]{32}$")
    static let usageDescriptions = JSONSchema.object([
        Member("whenInUse", .usageText, "for use while the app is in use"),
        Member("always", .usageText, "for use at any time"),
        Member("temporaryFullAccuracy", .map(of: .usageText), "for full accuracy for a while, by purpose key"),
    ])
}
