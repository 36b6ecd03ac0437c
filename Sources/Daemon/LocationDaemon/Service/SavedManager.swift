// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationEngine
import LocationModel
import LocationProtocol

/// A manager as it lies in its slot. Names are short because a slot is small.
struct SavedManager: Codable {
    private let v: Int
    private let token: ManagerToken?
    private let uid: UInt32
    private let unit: String?
    private let label: String?
    private let presence: String
    private let properties: [Double]
    private let standard: [Double?]?
    private let standardStart: UInt64
    private let significant: SavedSignificant?
    private let deferral: SavedDeferral?
    private let lastDeferral: UInt32
    private let request: SavedRequest?
    private let lastRequest: UInt32
    private let finishes: [SavedFinish]
    private let keepsEvents: Bool?
    private let hasGap: Bool?
    private let isPaused: Bool?
    private let isSystemUnit: Bool?
    private let wantsHeading: Bool?
    /// Number and configuration of each stream of live updates, in turn.
    private let live: [Int]?
    /// Number and kind of each session, in turn: 0 background activity, else a requirement and 10, and 100 with full accuracy.
    private let sessions: [Int]?
    /// The texts that sessions want full accuracy for, in the order of the sessions; empty: none.
    private let purposes: [String]?
    /// Number and name of each open monitor; the name as a hash, since it may be longer than there is room for.
    private let monitors: [UInt64]?
    /// The numbers given last: live updates, sessions, monitors.
    private let lastNumbers: [UInt32]?
    /// What was allowed for the use: 1 once, 2 full accuracy; choice, accuracy and whether always was asked for beside it.
    private let allowance: [Int]?

    private enum CodingKeys: String, CodingKey {
        case v, token = "t", uid = "u", unit = "n", label = "l", presence = "p", properties = "q", standard = "s"
        case standardStart = "a", significant = "c", deferral = "d", lastDeferral = "e", request = "r"
        case lastRequest = "f", finishes = "x", keepsEvents = "k", hasGap = "g", isPaused = "i", isSystemUnit = "y",
            wantsHeading = "h"
        case live = "w", sessions = "b", monitors = "m", lastNumbers = "o", allowance = "z"
        case purposes = "j"
    }

    private struct SavedSignificant: Codable {
        var latitude: Double?
        var longitude: Double?
        var at: Int64?
        var pending: UInt64
        enum CodingKeys: String, CodingKey { case latitude = "y", longitude = "x", at = "t", pending = "p" }
    }

    private struct SavedDeferral: Codable {
        var number: UInt32
        /// nil: no such criterion.
        var endOfTravel: Double?
        var deadline: Int64
        enum CodingKeys: String, CodingKey { case number = "n", endOfTravel = "m", deadline = "t" }
    }

    private struct SavedRequest: Codable {
        var number: UInt32
        var deadline: Int64
        var best: UInt64
        var accuracy: Double?
        enum CodingKeys: String, CodingKey { case number = "n", deadline = "t", best = "b", accuracy = "a" }
    }

    private struct SavedFinish: Codable {
        var number: UInt32
        var error: Int?
        var through: UInt64
        enum CodingKeys: String, CodingKey { case number = "n", error = "e", through = "s" }
    }

    private static let version = 1

    /// nil: nobody knows yet who it is.
    init?(_ manager: ClientManager, _ state: ManagerState) {
        guard let identity = manager.identity else { return nil }
        v = SavedManager.version
        token = manager.token
        uid = identity.uid
        unit = identity.name
        label = manager.label
        presence = state.presence.rawValue
        let set = state.properties
        properties = [
            set.distanceFilter, set.desiredAccuracy.number, Double(set.activityType.rawValue),
            set.pausesLocationUpdatesAutomatically ? 1 : 0, set.allowsBackgroundLocationUpdates ? 1 : 0,
            set.headingFilter,
        ]
        standard =
            state.wantsStandard
            ? [
                state.standardReference?.latitude, state.standardReference?.longitude,
                state.standardReferenceAccuracy,
            ] : nil
        standardStart = state.standardStart
        significant =
            state.wantsSignificant
            ? SavedSignificant(
                latitude: state.significantReference?.latitude, longitude: state.significantReference?.longitude,
                at: state.significantLastEvent?.nanoseconds, pending: state.significantPending) : nil
        deferral = state.deferral.map {
            SavedDeferral(
                number: $0.number, endOfTravel: $0.endOfTravel.isFinite ? $0.endOfTravel : nil,
                deadline: $0.deadline.nanoseconds)
        }
        lastDeferral = state.lastDeferral
        request = state.request.map {
            SavedRequest(
                number: $0.number, deadline: $0.deadline.nanoseconds, best: $0.best,
                accuracy: $0.bestAccuracy.isFinite ? $0.bestAccuracy : nil)
        }
        lastRequest = state.lastRequest
        finishes = state.unconfirmedFinishes.map {
            SavedFinish(number: $0.number, error: $0.error?.rawValue, through: $0.through)
        }
        keepsEvents = state.keepsEvents ? true : nil
        hasGap = state.standardHasGap ? true : nil
        isSystemUnit = manager.isSystemUnit ? true : nil
        isPaused = state.isPaused ? true : nil
        wantsHeading = state.wantsHeading ? true : nil
        live = state.live.isEmpty ? nil : state.live.flatMap { [Int($0.number), $0.configuration.rawValue] }
        sessions =
            state.sessions.isEmpty
            ? nil : state.sessions.flatMap { [Int($0.number), SavedManager.number(of: $0.kind)] }
        let purposes = state.sessions.map { $0.purposeKey ?? "" }
        self.purposes = purposes.allSatisfy(\.isEmpty) ? nil : purposes
        monitors =
            state.monitors.isEmpty
            ? nil : state.monitors.flatMap { [UInt64($0.number), SavedManager.hash(of: $0.name)] }
        let numbers = [state.lastLive, state.lastSession, state.lastMonitor]
        lastNumbers = numbers.allSatisfy { $0 == 0 } ? nil : numbers
        allowance = state.allowance.map {
            [
                ($0.isOnce ? 1 : 0) + ($0.hasTemporaryFullAccuracy ? 2 : 0), $0.consent.choice.rawValue,
                $0.consent.accuracy.rawValue, $0.consent.hasAskedAlways ? 1 : 0,
            ]
        }
    }

    private static func number(of kind: Session.Kind) -> Int {
        switch kind {
        case .backgroundActivity: 0
        case .service(let requirement, let wantsFullAccuracy): 10 + requirement.rawValue + (wantsFullAccuracy ? 100 : 0)
        }
    }

    private static func kind(of number: Int) -> Session.Kind? {
        if number == 0 { return .backgroundActivity }
        guard (10..<200).contains(number) else { return nil }
        let wantsFullAccuracy = number >= 100
        return ServiceSessionRequirement(rawValue: number - 10 - (wantsFullAccuracy ? 100 : 0)).map {
            .service($0, wantsFullAccuracy: wantsFullAccuracy)
        }
    }

    /// FNV-1a in 52 bits: of the few monitors of one app no two have the same but by a wonder. A number that JSON holds exactly.
    static func hash(of name: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash >> 12
    }

    /// nil: not what this version writes.
    init?(decoding bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(SavedManager.self, from: Data(bytes))
        } catch {
            return nil
        }
        guard isUsable else { return nil }
    }

    /// Whether it is what this version writes, and every number is one that a manager can have.
    var isUsable: Bool {
        v == SavedManager.version && properties.count == 6 && properties.allSatisfy(\.isFinite)
            && DesiredAccuracy(number: properties[1]) != nil && activity != nil && Presence(rawValue: presence) != nil
            && areNumbersUsable && arePlacesUsable
    }

    private var activity: ActivityType? { Int(exactly: properties[2]).flatMap { ActivityType(rawValue: $0) } }

    /// Numbers go on from these: none may be so great that there is none behind it.
    private var areNumbersUsable: Bool {
        let numbers =
            [lastDeferral, lastRequest] + (lastNumbers ?? []) + [deferral?.number, request?.number].compactMap(\.self)
        let sequences = [standardStart, significant?.pending ?? 0, request?.best ?? 0] + finishes.map(\.through)
        return (numbers + finishes.map(\.number)).allSatisfy { $0 <= SavedManager.greatestNumber }
            && sequences.allSatisfy { $0 <= Location.greatestSequence }
    }

    private var arePlacesUsable: Bool {
        let places = [
            (standard?.first ?? nil, standard?.dropFirst().first ?? nil),
            (significant?.latitude, significant?.longitude),
        ]
        return places.allSatisfy { latitude, longitude in
            guard let latitude, let longitude else { return true }
            return Coordinate(latitude: latitude, longitude: longitude).isValid
        }
    }

    /// No manager counts as far in years.
    private static let greatestNumber = UInt32.max / 2

    /// The slot's contents.
    var encoded: [UInt8] {
        do {
            return Array(try JSONEncoder().encode(self))
        } catch {
            // Every number here is finite: limits that are not are nil.
            return []
        }
    }

    /// Whose it is.
    var identity: PeerIdentity { PeerIdentity(uid: uid, name: unit) }
    /// Whether it was a unit of the system's manager.
    var wasSystemUnit: Bool { isSystemUnit ?? false }
    /// What its client calls itself.
    var name: String? { label }
    /// With it the client takes it back; nil: it cannot.
    var managerToken: ManagerToken? { token }

    /// For the engine, as a manager of `app` whose client is not there. `monitorNames`: all that the app has.
    func state(app: AppID, manager: ManagerID, monitorNames: [String]) -> ManagerState {
        var state = ManagerState(app: app, presence: Presence(rawValue: presence) ?? .background)
        state.properties.distanceFilter = properties[0]
        state.properties.desiredAccuracy = DesiredAccuracy(number: properties[1]) ?? .best
        state.properties.activityType = activity ?? .other
        state.properties.pausesLocationUpdatesAutomatically = properties[3] != 0
        state.properties.allowsBackgroundLocationUpdates = properties[4] != 0
        state.properties.headingFilter = properties[5]
        state.wantsStandard = standard != nil
        state.standardStart = standardStart
        if let standard, standard.count == 3, let latitude = standard[0], let longitude = standard[1] {
            state.standardReference = Coordinate(latitude: latitude, longitude: longitude)
            state.standardReferenceAccuracy = standard[2] ?? 0
        }
        if let significant {
            state.wantsSignificant = true
            if let latitude = significant.latitude, let longitude = significant.longitude {
                state.significantReference = Coordinate(latitude: latitude, longitude: longitude)
            }
            state.significantLastEvent = significant.at.map { BootInstant(nanoseconds: $0) }
            state.significantPending = significant.pending
        }
        state.deferral = deferral.map {
            Deferral(
                manager: manager, number: $0.number, endOfTravel: $0.endOfTravel ?? .infinity,
                deadline: BootInstant(nanoseconds: $0.deadline))
        }
        state.lastDeferral = lastDeferral
        state.request = request.map {
            var pending = LocationRequest(
                manager: manager, number: $0.number, deadline: BootInstant(nanoseconds: $0.deadline))
            pending.best = $0.best
            pending.bestAccuracy = $0.accuracy ?? .infinity
            return pending
        }
        state.lastRequest = lastRequest
        state.unconfirmedFinishes = finishes.map {
            FinishedDeferral(
                number: $0.number, error: $0.error.map { LocationErrorCode(rawValue: $0) }, through: $0.through)
        }
        state.keepsEvents = keepsEvents ?? false
        state.standardHasGap = hasGap ?? false
        state.isAway = true
        state.allowance = useAllowance
        restoreStreams(of: &state, monitorNames: monitorNames)
        return state
    }

    private var useAllowance: UseAllowance? {
        guard let allowance, allowance.count == 4, let choice = Consent.Choice(rawValue: allowance[1]),
            let accuracy = AccuracyAuthorization(rawValue: allowance[2])
        else { return nil }
        return UseAllowance(
            isOnce: allowance[0] & 1 != 0, hasTemporaryFullAccuracy: allowance[0] & 2 != 0,
            consent: Consent(choice, accuracy: accuracy, hasAskedAlways: allowance[3] != 0))
    }

    private func restoreStreams(of state: inout ManagerState, monitorNames: [String]) {
        state.isPaused = isPaused ?? false
        state.wantsHeading = wantsHeading ?? false
        for index in stride(from: 0, to: (live?.count ?? 0) - 1, by: 2) {
            guard let live, let configuration = LiveConfiguration(rawValue: live[index + 1]) else { continue }
            state.live.append((UInt32(clamping: live[index]), configuration))
        }
        for index in stride(from: 0, to: (sessions?.count ?? 0) - 1, by: 2) {
            guard let sessions, let kind = SavedManager.kind(of: sessions[index + 1]) else { continue }
            let purpose = purposes.flatMap { $0.indices.contains(index / 2) ? $0[index / 2] : nil } ?? ""
            state.sessions.append(
                Session(
                    number: UInt32(clamping: sessions[index]), kind: kind,
                    purposeKey: purpose.isEmpty ? nil : purpose))
        }
        for index in stride(from: 0, to: (monitors?.count ?? 0) - 1, by: 2) {
            guard let monitors,
                let name = monitorNames.first(where: { SavedManager.hash(of: $0) == monitors[index + 1] })
            else { continue }
            state.monitors.append((UInt32(clamping: monitors[index]), name))
        }
        guard let lastNumbers, lastNumbers.count == 3 else { return }
        state.lastLive = lastNumbers[0]
        state.lastSession = lastNumbers[1]
        state.lastMonitor = lastNumbers[2]
    }
}
