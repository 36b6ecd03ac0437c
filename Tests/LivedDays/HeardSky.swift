// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What a receiver that is on can hear in a second.
package struct HeardSky: Sendable {
    /// Nil: there is no sky.
    package var location: Location?
    /// Whether as many satellites can be heard as a fix takes, be they too weak for one.
    package var hasSignals: Bool

    /// A second in which a receiver has a fix at `location`.
    package init(location: Location?, hasSignals: Bool) { (self.location, self.hasSignals) = (location, hasSignals) }
}
