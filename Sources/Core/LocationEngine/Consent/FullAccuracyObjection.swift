// SPDX-License-Identifier: Apache-2.0

/// Why nobody is asked for full accuracy (error 18).
package enum FullAccuracyObjection: Sendable, Hashable, BitwiseCopyable {
    /// The app may know no locations at all.
    case isNotAuthorized
    /// It may know them precisely already.
    case isFull
    /// Nothing says what the purpose key stands for.
    case isUndeclared
    /// No agent is there who could ask a person.
    case hasNoAgent
}
