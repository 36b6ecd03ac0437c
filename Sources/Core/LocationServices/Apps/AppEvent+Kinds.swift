// SPDX-License-Identifier: Apache-2.0
import LocationModel

extension AppEvent.Content {
    /// Told at the start of its service, and not as it happens.
    var isSignificantChange: Bool { if case .significantChange = self { true } else { false } }
}
