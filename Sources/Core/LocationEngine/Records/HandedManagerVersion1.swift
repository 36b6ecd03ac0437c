// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Where a manager's services stood and what its client knew, as locationd 0.1.0 handed that over beside `ManagerRecordVersion1`, so that an
/// upgrade under connected clients tells them nothing twice and loses none of them.
package struct HandedManagerVersion1: Decodable {
    private struct Known: Decodable {
        var status: Int
        var accuracy: Int
        var isProvisional: Bool
        var isDeniedGlobally: Bool
    }

    private struct Standard: Decodable {
        var startedAt: Int64
        var mode: UInt8
        var isFirstPending: Bool
        var hasGap: Bool
        var countsFromCursor: Bool
        var hasToldLoss: Bool
        var latitude: Double
        var longitude: Double
        var referenceAccuracy: Double
        var cursor: UInt64
        var held: Int
        var filtered: UInt64
        var paused: UInt64
    }

    private struct Stream: Decodable {
        var number: UInt32
        var startedAt: Int64
        var isResting: Bool
        var hasToldLoss: Bool
        var toldFlags: UInt16
    }

    private struct Watched: Decodable {
        var monitor: UInt32
        var identifier: String
        var pendingNumber: UInt64
        var pendingState: Int
        var pendingDate: Int64
        var pendingFlags: UInt16
        var obstacle: UInt16
        var owesState: Bool
        var standing: Int
    }

    private struct Place: Decodable {
        var identifier: String
        var state: Int
    }

    private let known: Known
    private let hasAnnouncedAuthorization: Bool
    private let awaitedStates: [String]
    private let toldSignificantEvent: UInt64
    private let filtered: UInt64
    private let paused: UInt64
    private let standard: Standard?
    private let hasToldSignificantLoss: Bool
    private let requestsWithoutGain: Int
    private let streams: [Stream]
    private let heading: Double?
    private let sessionFlags: [UInt16?]
    private let conditions: [Watched]
    private let regions: [Place]

    /// The slot's record with where the services stood; nil: no manager can have been so. `purposeKey`: the reason for which the client of
    /// 0.1.0 wanted full accuracy, of which a connection had one.
    package func filling(_ slot: ManagerRecord, purposeKey: String?) -> ManagerRecord? {
        var record = slot
        if let status = AuthorizationStatus(rawValue: known.status),
            let accuracy = AccuracyAuthorization(rawValue: known.accuracy)
        {
            record.known = Authorization(
                status: status, accuracy: accuracy, isProvisional: known.isProvisional,
                isDeniedGlobally: known.isDeniedGlobally)
        }
        record.hasAnnouncedAuthorization = hasAnnouncedAuthorization
        fillUpdates(&record)
        fillPlaces(&record)
        for (index, flags) in zip(record.sessions.held.indices, sessionFlags) {
            record.sessions.held[index].toldFlags = flags.map { DiagnosticFlags(rawValue: $0) }
            if case .service(_, wantsFullAccuracy: true) = record.sessions.held[index].kind {
                record.sessions.held[index].purposeKey = purposeKey
            }
        }
        return record.isUsable ? record : nil
    }

    private func fillUpdates(_ record: inout ManagerRecord) {
        record.standard.filtered = filtered
        record.standard.paused = paused
        record.standard.wasPaused = false
        record.standard.running = standard.map { left in
            StandardService(
                startedAt: BootInstant(nanoseconds: left.startedAt),
                mode: StandardService.Mode(rawValue: left.mode) ?? .live,
                isFirstPending: left.isFirstPending, hasGap: left.hasGap, countsFromCursor: left.countsFromCursor,
                hasToldLoss: left.hasToldLoss,
                reference: Coordinate(latitude: left.latitude, longitude: left.longitude),
                referenceAccuracy: left.referenceAccuracy, cursor: left.cursor, held: left.held,
                filtered: left.filtered,
                paused: left.paused)
        }
        record.significantChange.toldEvent = toldSignificantEvent
        record.significantChange.hasToldLoss = hasToldSignificantLoss
        record.request.pending?.withoutGain = requestsWithoutGain
        record.heading.told = heading
        for left in streams {
            guard let index = record.live.streams.firstIndex(where: { $0.number == left.number }) else { continue }
            record.live.streams[index].startedAt = BootInstant(nanoseconds: left.startedAt)
            record.live.streams[index].isStationary = left.isResting
            record.live.streams[index].hasToldLoss = left.hasToldLoss
            record.live.streams[index].toldFlags = DiagnosticFlags(rawValue: left.toldFlags)
        }
    }

    private func fillPlaces(_ record: inout ManagerRecord) {
        record.regions.awaitedStates = awaitedStates
        record.regions.states = regions.compactMap { place in
            RegionState(rawValue: place.state).map { RegionStanding(identifier: place.identifier, state: $0) }
        }
        record.monitors.conditions = conditions.compactMap { left in
            guard let standing = ConditionState(rawValue: left.standing) else { return nil }
            return ConditionStanding(
                monitor: left.monitor, identifier: left.identifier, pendingNumber: left.pendingNumber,
                pendingState: ConditionState(rawValue: left.pendingState) ?? standing,
                pendingDate: WallTime(milliseconds: left.pendingDate),
                pendingFlags: DiagnosticFlags(rawValue: left.pendingFlags),
                toldFlags: DiagnosticFlags(rawValue: left.obstacle), mustTellState: left.owesState, standing: standing)
        }
    }
}
