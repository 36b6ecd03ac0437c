// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Significant changes, headings and live updates.
extension Method {
    static let significantChange = [
        startMonitoringSignificantLocationChanges, stopMonitoringSignificantLocationChanges,
    ]
    static let heading = [startUpdatingHeading, stopUpdatingHeading]
    static let liveUpdates = [startLiveUpdates, stopLiveUpdates]

    package static let startMonitoringSignificantLocationChanges = Method(
        "startMonitoringSignificantLocationChanges", "Starts the significant-change service.",
        .startMonitoringSignificantLocationChanges, result: .named("state"), errors: [.limitExceeded],
        coreLocation: "startMonitoringSignificantLocationChanges()", effect: .durable)

    package static let stopMonitoringSignificantLocationChanges = Method(
        "stopMonitoringSignificantLocationChanges", "Stops the significant-change service.",
        .stopMonitoringSignificantLocationChanges, coreLocation: "stopMonitoringSignificantLocationChanges()",
        effect: .durable, undoes: .startMonitoringSignificantLocationChanges)

    package static let startUpdatingHeading = Method(
        "startUpdatingHeading", "Tells where the device points, if something here measures it.",
        .startUpdatingHeading, result: .named("state"), errors: [.limitExceeded],
        coreLocation: "startUpdatingHeading()")

    package static let stopUpdatingHeading = Method(
        "stopUpdatingHeading", "Tells headings no longer; silent after the reply.", .stopUpdatingHeading,
        coreLocation: "stopUpdatingHeading()", undoes: .startUpdatingHeading)

    package static let startLiveUpdates = Method(
        "startLiveUpdates", "Begins a stream of didUpdate; several at once are possible.",
        optional("configuration", .word, else: .default, "what it is used for; default unless said"),
        result: .named("state"), errors: [.limitExceeded], coreLocation: "CLLocationUpdate.liveUpdates(_:)",
        opens: .updates,
        request: Request.startLiveUpdates,
        values: { if case .startLiveUpdates(let configuration) = $0 { configuration } else { nil } })

    package static let stopLiveUpdates = Method(
        "stopLiveUpdates", "Ends a stream; silent after the reply.", number("updates", of: .updates, "its number"),
        errors: [.notFound], coreLocation: "the end of the iteration over CLLocationUpdate.liveUpdates(_:)",
        closes: .updates,
        request: Request.stopLiveUpdates,
        values: { if case .stopLiveUpdates(let updates) = $0 { updates } else { nil } })
}
