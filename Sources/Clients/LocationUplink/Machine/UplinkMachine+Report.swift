// SPDX-License-Identifier: Apache-2.0
import LocationModel
package import LocationProtocol

extension UplinkMachine {
    /// How the uplink is now.
    package var report: UplinkReport {
        let status: UplinkReport.Link =
            switch link.state {
            case .off: .off
            case .connecting: .connecting
            // The last message was not taken, and the next one not yet.
            case .connected: link.trouble == nil ? .connected : .connecting
            case .waiting: .waiting
            }
        let sent = inFlight.values + doubt.flights
        let locations = sent.count { if case .location = $0 { true } else { false } }
        var report = UplinkReport(
            link: status, mode: options.mode.rawValue, hasDaemon: isDaemonHere,
            waiting: UInt64(queue.count + locations) + (isAllowed ? queue.unfetched : 0),
            waitingEvents: events.count + sent.count - locations, sent: state.sent)
        report.connectedSince = link.connectedSince?.milliseconds
        report.consent = consentWord
        report.oldest = oldestWaiting?.milliseconds
        report.lastAcknowledgement = state.acknowledged
        report.lost = state.lost
        report.leftOut = state.leftOut
        report.refused = state.refused
        report.carrier = options.carrier.rawValue
        report.lastError = link.trouble?.reason
        return report
    }

    /// The date of the oldest location that waits, as far as it is known.
    private var oldestWaiting: WallTime? { queue.first?.timestamp ?? queue.firstPassed }

    private var consentWord: String? {
        switch consent {
        case .unknown: nil
        case .none: "none"
        case .full: "full"
        case .reduced: "reduced"
        }
    }
}
