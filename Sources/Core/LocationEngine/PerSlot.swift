// SPDX-License-Identifier: Apache-2.0

/// A number that is a place in a packed table.
protocol SlotNumber: Sendable {
    init(rawValue: Int32)
    var rawValue: Int32 { get }
}

extension SlotNumber {
    var index: Int { Int(rawValue) }
}

extension ManagerID: SlotNumber {}
extension AppID: SlotNumber {}
extension IdentityID: SlotNumber {}

/// A value for each manager or app, packed by slot. A slot that was never written reads as `blank`.
struct PerSlot<ID: SlotNumber, Value: Sendable>: Sendable {
    private var values: [Value] = []
    private let blank: Value

    init(blank: Value) { self.blank = blank }

    subscript(id: ID) -> Value {
        _read {
            if id.index < values.count { yield values[id.index] } else { yield blank }
        }
        _modify {
            while values.count <= id.index { values.append(blank) }
            yield &values[id.index]
        }
    }

    /// Slots that were written to, in their order.
    var ids: some Sequence<ID> { values.indices.lazy.map { ID(rawValue: Int32($0)) } }

    /// The slot is given to somebody else.
    mutating func clear(_ id: ID) {
        guard id.index < values.count else { return }
        values[id.index] = blank
    }
}
