// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationEngine
@testable import LocationServices

/// What a slot holds of a manager, and what an upgrade finds there.
@Suite("A manager in its slot")
struct SavedManagerTests {
    /// Of the name "m".
    static let hashOfM: UInt64 = 3_085_495_995_752_479

    /// Bytes that locationd 0.1.0 wrote for a client that had set properties, started standard updates, significant changes and live updates,
    /// held two sessions, had monitor "m" open, and had asked for a deferral without a fix.
    private static let version1 = """
        {"l":"hike","q":[-1,-1,1,0,0,1],"b":[1,0,2,11],"u":0,"x":[],"e":1,"s":[null,null,0],"a":0,"o":[1,2,1],\
        "t":"a753c8dd71dbcd643185e4dd94d22226","k":true,"w":[1,3],"m":[1,3085495995752479],"f":0,"p":"background","v":1,\
        "c":{"p":0}}
        """

    /// What locationd 0.1.0 handed to the next process of a connection with two sessions, a stream of live updates, monitor "places" with a
    /// condition whose event was told, and a `requestLocation`.
    private static let handedVersion1 = """
        {"hasAsked":true,"outbox":{"counts":{"deliveredCount":1,"seq":64,"pendingDropped":0,"droppedCount":0,"delivered":0},\
        "rest":"","items":[]},"awaitsEvents":false,"hasEventBacklog":false,"temporaryFullAccuracy":{},"manager":{"kept":{\
        "requestsWithoutGain":0,"sessionFlags":[null,0],"paused":0,"hasToldSignificantLoss":false,"streams":[{"toldFlags":0,\
        "isResting":true,"startedAt":13778172842332,"number":1,"hasToldLoss":false}],"awaitedStates":[],\
        "toldSignificantEvent":0,"known":{"accuracy":0,"status":3,"isProvisional":false,"isDeniedGlobally":false},\
        "hasAnnouncedAuthorization":true,"conditions":[{"obstacle":0,"pendingDate":1795393146930,"pendingFlags":0,\
        "pendingState":1,"monitor":1,"standing":0,"identifier":"home","owesState":false,"pendingNumber":1}],"regions":[],\
        "filtered":7},"saved":{"a":0,"e":0,"q":[-1,-1,1,1,0,1],"p":"foreground","f":1,"x":[],"b":[1,0,2,11],"v":1,\
        "m":[1,338313953277957],"w":[1,0],"u":0,"o":[1,2,1]}},"v":1,"input":{"unread":"","isRefused":false,\
        "isEnded":false},"takesEvents":false,"toldEvent":0,"isAgent":false}
        """

    /// An engine that takes a record back, and whose app has monitor "m".
    private static func engine(taking record: ManagerRecord) -> Engine {
        let now = BootInstant(nanoseconds: 600_000_000_000)
        var engine = Engine(configuration: EngineConfiguration(), at: now)
        var effects = EffectBuffer()
        var record = record
        record.app = AppID(rawValue: 0)
        var clients = KeptClients()
        clients.absent = [(ManagerID(rawValue: 0), record)]
        for event in [
            .identityEntered(IdentityID(rawValue: 0), decided: Consent(.always), policy: Consent(.undecided)),
            .appEntered(AppID(rawValue: 0), AppRecord(identity: IdentityID(rawValue: 0))),
            .monitorRestored(AppID(rawValue: 0), name: "other"), .monitorRestored(AppID(rawValue: 0), name: "m"),
            .clientsKept(clients),
        ] as [Event] {
            engine.handle(event, at: now, into: &effects)
        }
        return engine
    }

    @Test(
        "an upgrade goes on with a connection where 0.1.0 left it: what its client was told, and where its services stood"
    )
    func handed() throws {
        let kept = try JSONDecoder().decode(KeptConnection.self, from: Data(Self.handedVersion1.utf8))
        let record = try #require(kept.manager).saved.record
        let again = try JSONEncoder().encode(record)
        let text = try #require(String(data: again, encoding: .utf8))
        // The members by their short names, as this release writes them.
        let coded = try JSON(parsing: text)
        #expect(coded["y"]?.bool == true, "the authorization is announced")
        #expect(coded["s"]?["f"]?.int == 7, "fixes that the filter kept back")
        #expect(coded["w"]?["s"]?.array?.count == 1)
        let condition = coded["m"]?["c"]?.array?.first
        #expect(condition?["i"]?.string == "home" && condition?["n"]?.int == 1)
        let (before, after) = (
            record.live.streams, try JSONDecoder().decode(ManagerRecord.self, from: again).live.streams
        )
        #expect(before.map(\.isStationary) == [true] && after.map(\.startedAt) == before.map(\.startedAt))
        #expect(before.first?.startedAt == BootInstant(nanoseconds: 13_778_172_842_332))
        #expect(kept.outbox.outbox?.counts.seq == 64)
    }

    @Test("an upgrade takes back what 0.1.0 wrote: properties, services, sessions, monitors and their numbers")
    func upgrade() throws {
        let saved = try #require(SavedManager(decoding: Array(Self.version1.utf8)))
        #expect(saved.identity == PeerIdentity(uid: 0, name: nil))
        #expect(saved.label == "hike")
        #expect(saved.token != nil)
        let id = ManagerID(rawValue: 0)
        let engine = Self.engine(taking: saved.record(of: AppID(rawValue: 0), isAway: true))
        let report = engine.report(of: id, at: BootInstant(nanoseconds: 600_000_000_000))
        #expect(report.standard == .running)
        #expect(report.significantChange == .running)
        #expect(!report.properties.pausesLocationUpdatesAutomatically)
        #expect(report.live.map(\.number) == [1])
        #expect(report.live.first?.configuration == .fitness)
        #expect(report.sessions.map(\.number) == [1, 2])
        #expect(report.sessions.first?.kind == .backgroundActivity)
        #expect(report.sessions.last?.kind == .service(.whenInUse, wantsFullAccuracy: false))
        #expect(report.monitors.map(\.number) == [1])
        #expect(report.monitors.map(\.name) == ["m"])
    }

    @Test("what is written is what is read")
    func roundTrip() throws {
        let saved = try #require(SavedManager(decoding: Array(AbsurdRecordTests.manager.utf8)))
        let bytes = saved.encoded(limit: SlotFile.maximumBlobLength)
        let read = try #require(SavedManager(decoding: bytes))
        #expect("\(read)" == "\(saved)")
    }

    @Test("where services stand is left out when there is no room for it, and nothing else")
    func tooLong() throws {
        let saved = try #require(SavedManager(decoding: Array(AbsurdRecordTests.manager.utf8)))
        let short = saved.encoded(limit: 100)
        #expect(short.count < saved.encoded(limit: SlotFile.maximumBlobLength).count)
        let read = try #require(SavedManager(decoding: short))
        #expect("\(read.record)" == "\(saved.record.ofAbsent)")
    }
}
