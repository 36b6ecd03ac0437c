// SPDX-License-Identifier: Apache-2.0

/// The description of a kind of notification, without the types of its members.
package struct NotificationRow: Sendable {
    package let name: String
    /// For people.
    package let summary: String
    /// Without `seq`.
    package let params: [JSONSchema.Member]
    /// Core Location's delegate method; nil where it has nothing like it.
    package let coreLocation: String?
    let read: @Sendable (KeyedDecodingContainer<MemberKey>) throws -> Notification

    /// The schema of its `params`.
    package var schema: JSONSchema {
        .object(
            params + [
                JSONSchema.Member(
                    "seq", .integer(minimum: 1), required: true,
                    "counts the connection's notification lines from 1 without a gap")
            ])
    }
}

/// A kind of notification, said once: reading, writing and `rpc.discover` follow from it.
struct NotificationForm<each Value: Sendable>: Sendable {
    let name: StaticString
    let row: NotificationRow
    private let parts: (repeat Told<each Value>)

    /// A notification with these members.
    ///
    /// - Parameter make: The notification, from the values of its members in order.
    init(
        _ name: StaticString, _ summary: String, _ parts: repeat Told<each Value>, coreLocation: String? = nil,
        make: @escaping @Sendable (repeat each Value) -> Notification
    ) {
        self.name = name
        let members = (repeat each parts)
        var descriptions: [JSONSchema.Member] = []
        for part in repeat each parts { descriptions += part.descriptions }
        self.parts = members
        row = NotificationRow(
            name: "\(name)", summary: summary, params: descriptions, coreLocation: coreLocation,
            read: { make(repeat try (each members).read($0)) })
    }

    /// Appends the members of `params` but `seq`.
    func appendParams(_ values: repeat each Value, to writer: inout JSONWriter) {
        repeat (each parts).write(each values, &writer)
    }

    /// A line without its tail.
    func line(_ values: repeat each Value) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(320)
        NotificationWriter.begin(name, &writer)
        repeat (each parts).write(each values, &writer)
        writer.name("seq")
        return writer.bytes
    }
}

extension Notification {
    /// Every kind, in the order in which a reader wants to learn them.
    package static let rows: [NotificationRow] =
        locationRows + managerRows + beaconRows + placeRows + monitorRows + agentRows

    private static let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })

    /// Reads the `params` of the notification `method`; one of a newer daemon is `unknown`.
    init(_ method: String, _ params: KeyedDecodingContainer<MemberKey>) throws {
        self = try Notification.byName[method]?.read(params) ?? .unknown(method: method)
    }
}
