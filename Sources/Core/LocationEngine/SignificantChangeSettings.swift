// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Every number that significant changes depend on.
package struct SignificantChangeSettings: Sendable, Equatable {
    /// Metres from the last one.
    package var distance = 500.0
    /// Least time since the last one.
    package var interval = TimeSpan.seconds(300)
    /// Metres: less accurate fixes make none.
    package var maximumAccuracy = 500.0

    /// The defaults.
    package init() {}
}
