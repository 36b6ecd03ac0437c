// SPDX-License-Identifier: Apache-2.0

// What the files beside this one ask of Core Location's public names. They are compiled against what a program sees, with every type
// written out, so that a name that is missing, or of another type, does not compile; only what may not be there, and values, are asked
// at run time.

func isSendable<T: Sendable>(_: T.Type) {}
func isHashable<T: Hashable>(_: T.Type) {}
func isError<T: Error>(_: T.Type) {}
func isActor<T: Actor>(_: T.Type) {}
func isEnumeration<T: RawRepresentable<Raw> & Hashable & Sendable, Raw>(_: T.Type, of _: Raw.Type) {}
func isStream<S: AsyncSequence & Sendable>(_: S.Type, of _: S.Element.Type) where S.Failure == any Error {}

/// Whether what is behind the path can be set.
func canSet<Root, Value>(_ path: KeyPath<Root, Value>) -> Bool { path is WritableKeyPath<Root, Value> }

/// Whether programs may give `type` what Apple's has not: it is neither Equatable nor Codable here.
func isBare(_ type: Any.Type) -> Bool {
    !(type is any Equatable.Type) && !(type is any Encodable.Type) && !(type is any Decodable.Type)
        && !(type is any CustomStringConvertible.Type) && !(type is any Identifiable.Type)
}
