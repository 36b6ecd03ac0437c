// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A user's number that is given to another")
struct FormerUserTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func makeService(_ names: [UInt32: String], at now: BootInstant) throws -> LocationService {
        let (configuration, journal) = (Configuration(), Journal(level: .error))
        let keeper = try StateKeeper(
            runtimeDirectory: directory.path, stateDirectory: directory.path, configuration, journal)
        let service = LocationService(
            configuration: configuration, keeper: keeper, journal: journal, at: now, WallTime(milliseconds: 0))
        service.rules.userNames.ask = { names[$0] }
        RecordRestoring(service: service, keeper: keeper, now: now).restore()
        return service
    }

    private func connect(_ uid: UInt32, _ service: LocationService, at now: BootInstant) throws -> IdentityID {
        let peer = Peer(
            pid: 0, uid: uid, controlGroup: { ControlGroup(path: nil) }, isMember: { _ in false }, isAdmin: { false })
        let manager = service.openManager(peer: peer, channel: nil)
        try service.identify(manager, at: now)
        return try #require(service.apps.number(of: PeerIdentity(uid: uid)))
    }

    private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(seconds) }

    @Test(
        "has none of the consent of the one before, whether the daemon ran meanwhile or not", arguments: [true, false])
    func another(_ isRestarted: Bool) throws {
        var former: LocationService? = try makeService([1010: "frank", 1011: "grace"], at: at(1))
        for uid: UInt32 in [1010, 1011] {
            guard let former else { continue }
            former.decide(.decided(try connect(uid, former, at: at(1)), Consent(.always)), at: at(1))
        }
        if isRestarted { former = nil }
        let service = try former ?? makeService([1010: "eve", 1011: "grace"], at: at(10))
        service.rules.userNames.ask = { [1010: "eve", 1011: "grace"][$0] }
        if isRestarted { FormerUsers(service: service, now: at(10)).bindDecisions() }
        let eve = try connect(1010, service, at: at(20))
        let grace = try connect(1011, service, at: at(20))
        #expect(service.engine.authorization(of: eve).status == .notDetermined)
        #expect(service.engine.authorization(of: grace).status == .authorizedAlways)
        #expect(StatusDocument(service, at: at(40)).apps.map(\.formerUser) == ["frank", nil])
        #expect(try (service.records as? RecordKeeper)?.database?.consents().map(\.uid) == [1011])
        service.decide(.decided(eve, Consent(.whenInUse)), at: at(30))
        #expect(StatusDocument(service, at: at(40)).apps.map(\.formerUser) == [nil, nil])
        #expect(try (service.records as? RecordKeeper)?.database?.consents().map(\.user) == ["grace", "eve"])
    }

    @Test("is bound to the present name where an earlier version noted none, and to none while the names do not answer")
    func adopted() throws {
        do {
            let first = try makeService([:], at: at(1))
            let number = try connect(1010, first, at: at(1))
            first.decide(.decided(number, Consent(.denied)), at: at(1))
            #expect(try (first.records as? RecordKeeper)?.database?.consents().map(\.user) == [nil])
        }
        let second = try makeService([1010: "frank"], at: at(2))
        FormerUsers(service: second, now: at(2)).bindDecisions()
        #expect(try (second.records as? RecordKeeper)?.database?.consents().map(\.user) == ["frank"])
        second.rules.userNames.ask = { _ in nil }
        let number = try connect(1010, second, at: at(60))
        #expect(second.engine.authorization(of: number).status == .denied)
    }
}
