// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("locctl for admins")
struct AdministrationTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    static let orders: [(line: String, method: Method, call: Call)] = [
        (
            "authorize app:navit always --accuracy reduced", .authorize,
            .authorize(
                AuthorizeParameters(
                    app: "app:navit", authorizationStatus: .authorizedAlways, accuracyAuthorization: .reduced))
        ),
        (
            "authorize navit when-in-use", .authorize,
            .authorize(AuthorizeParameters(app: "navit", authorizationStatus: .authorizedWhenInUse))
        ),
        (
            "authorize navit once", .authorize,
            .authorize(AuthorizeParameters(app: "navit", authorizationStatus: .authorizedWhenInUse, once: true))
        ),
        (
            "authorize navit denied", .authorize,
            .authorize(AuthorizeParameters(app: "navit", authorizationStatus: .denied))
        ),
        (
            "authorize navit --accuracy full", .authorize,
            .authorize(AuthorizeParameters(app: "navit", accuracyAuthorization: .full))
        ),
        ("authorize navit reset", .resetAuthorization, .resetAuthorization(app: "navit")),
        ("services on", .setLocationServicesEnabled, .setLocationServicesEnabled(true)),
        ("services off", .setLocationServicesEnabled, .setLocationServicesEnabled(false)), ("reload", .reload, .reload),
        ("close 12", .closeConnection, .closeConnection(12)),
        ("requests 7 always", .answerRequest, .answerRequest(request: 7, .always)),
        ("requests 7 while-using", .answerRequest, .answerRequest(request: 7, .whileUsing)),
        ("requests 7 once", .answerRequest, .answerRequest(request: 7, .once)),
        ("requests 7 deny", .answerRequest, .answerRequest(request: 7, .deny)),
    ]

    @Test("an order is given as it was written", arguments: orders.indices)
    func order(_ index: Int) throws {
        let (line, method, call) = Self.orders[index]
        let locctl = try run.start(line)
        #expect(try run.daemon.accept().answer(method) == call)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.isEmpty && locctl.standardError.isEmpty)
    }

    @Test("a decision that the disk has not taken is said, and is no failure")
    func notStored() throws {
        let locctl = try run.start("authorize navit denied")
        let client = try run.daemon.accept()
        let id = try client.expect(.authorize).id
        client.send(ReplyWriter.result(id, DecisionResult(problem: "cannot write: the disk is full")))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(
            locctl.standardError
                == "locctl: that is in force, but not on the disk yet (cannot write: the disk is full): "
                + "a reboot undoes it unless locationd can write it before\n")
    }

    @Test("what was removed with an app is told")
    func forgotten() throws {
        let locctl = try run.start("forget navit")
        let client = try run.daemon.accept()
        var result = ForgetResult(app: "uid:7", hadDecision: true)
        (result.regions, result.monitors, result.labels) = (1, 2, ["navit"])
        client.send(ReplyWriter.result(try client.expect(.forgetApp).id, result))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(
            locctl.standardOutput == "uid:7 is forgotten; removed: what was decided about it, 1 region, 2 monitors, "
                + "its labels “navit”\n")
    }

    @Test("with --json an order prints what the daemon answered")
    func orderWithJSON() throws {
        let locctl = try run.start("services off --json")
        let client = try run.daemon.accept()
        client.send(ReplyWriter.result(try client.expect(.setLocationServicesEnabled).id, encoded: "{ }".utf8))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput == "{ }\n")
    }

    @Test("an order by somebody who may not give it is status 1", arguments: orders.indices)
    func refusedOrder(_ index: Int) throws {
        let locctl = try run.start(Self.orders[index].line)
        try run.daemon.accept().refuse(Self.orders[index].method, RPCError(.notPermitted, "cannot do that for you"))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError == "locctl: cannot do that for you (-32001 notPermitted)\n")
    }

    @Test("the faults of a configuration are told in a line each")
    func faults() throws {
        let locctl = try run.start("reload")
        let faults = "cannot reload: cannot use a.conf:1: x\ncannot use a.conf:2: \u{1B}y"
        try run.daemon.accept().refuse(.reload, RPCError(.unavailable, faults))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(
            locctl.standardError == "locctl: cannot reload: cannot use a.conf:1: x\ncannot use a.conf:2: \u{FFFD}y "
                + "(-32007 unavailable)\n")
    }

    @Test("whether services are on is told", arguments: [true, false])
    func services(_ isEnabled: Bool) throws {
        for (line, text) in [
            ("services", "location services are \(isEnabled ? "on" : "off")\n"),
            ("services --json", "{\"enabled\":\(isEnabled)}\n"),
        ] {
            let locctl = try run.start(line)
            try run.daemon.accept().answer(.status, Sample.working { $0.locationServicesEnabled = isEnabled })
            #expect(try locctl.waitForExit() == .exited(0))
            #expect(locctl.standardOutput == text)
        }
    }

    @Test("the apps are printed, and with --json as the daemon has them")
    func apps() throws {
        let locctl = try run.start("apps")
        try run.daemon.accept().answer(.apps, Sample.apps())
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.contains("\nnavit "))

        let other = try run.start("apps --json")
        let client = try run.daemon.accept()
        client.send(ReplyWriter.result(try client.expect(.apps).id, encoded: "[ ]".utf8))
        #expect(try other.waitForExit() == .exited(0))
        #expect(other.standardOutput == "[ ]\n")
    }

    @Test("what waits for a decision is printed with how to answer")
    func requests() throws {
        let locctl = try run.start("requests")
        try run.daemon.accept().answer(.pendingRequests, [Sample.request()])
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.hasPrefix("request 3: unit:gpxlogger.service uid:1000 asks for "))
        #expect(locctl.standardOutput.hasSuffix("answer with `locctl requests NUMBER always|while-using|once|deny`\n"))

        let none = try run.start("requests")
        try run.daemon.accept().answer(.pendingRequests, [AuthorizationRequest]())
        #expect(try none.waitForExit() == .exited(0))
        #expect(none.standardOutput == "nothing waits for a decision\n")
    }

    @Test("an app's stored events are printed")
    func events() throws {
        let locctl = try run.start("events fence")
        let client = try run.daemon.accept()
        let request = try client.expect(.events)
        #expect(request.call == .events(app: "fence"))
        let crossing = AppEvent(
            number: 12, date: lookedAt, content: .region(Sample.region(), .inside, Sample.location()))
        client.send(ReplyWriter.result(request.id, StoredEvents([(crossing, "home\u{1B}")])))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.hasPrefix("   12  "))
        #expect(locctl.standardOutput.contains("entered home, at 44.990138, -30.009287 ±3.2 m (home\u{FFFD})\n"))
    }

    @Test("status counts who waits for a decision, for those who may know")
    func statusPrompts() throws {
        let locctl = try run.start("status")
        let client = try run.daemon.accept()
        try client.answer(.status, Sample.working())
        try client.answer(.pendingRequests, [Sample.request()])
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.contains("\nwaiting   1 app for a decision: `locctl requests`\n"))

        let other = try run.start("status")
        let second = try run.daemon.accept()
        try second.answer(.status, Sample.working())
        try second.refuse(.pendingRequests, RPCError(.notPermitted, "cannot tell you"))
        #expect(try other.waitForExit() == .exited(0))
    }

    @Test("why tells of an app that is not connected")
    func whyAbsent() throws {
        let locctl = try run.start("why fence --json")
        try run.daemon.accept().answer(
            .status,
            Sample.working { status in
                var app = AppStatus(app: "fence", identity: "app:fence", uid: 1, authorizationStatus: .authorizedAlways)
                app.regions = 1
                status.apps = [app]
            })
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(
            locctl.standardOutput.hasPrefix(#"{"app":"fence","cause":"notConnected","sentence":"fence does not get"#))
    }

    @Test("the name of a user or an app goes before what another app calls itself")
    func whyClaimed() throws {
        let locctl = try run.start("why bob")
        try run.daemon.accept().answer(
            .status,
            Sample.working { status in
                status.managers = [Sample.client(3, app: "bob")]
                var bob = AppStatus(app: "uid:1001", identity: "uid:1001", uid: 1001, authorizationStatus: .denied)
                bob.user = "bob"
                status.apps = [bob]
            })
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.hasPrefix("uid:1001 gets no locations: locations are denied to it"))
    }

    @Test("why says who a client is by the kernel's word, and then what it calls itself")
    func whyLabelled() throws {
        let locctl = try run.start("why uid:1002")
        try run.daemon.accept().answer(.status, Sample.working { $0.managers = [Sample.client(3, app: "uid:1002")] })
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(
            locctl.standardOutput.replacing("\n", with: " ").hasPrefix(
                "uid:1000 (calls itself “uid:1002”, connection 3) gets locations"))
    }

    @Test("that location services are off is said below the apps, of which each has what was decided about it")
    func appsWhileOff() throws {
        let locctl = try run.start("apps")
        let client = try run.daemon.accept()
        client.send(
            ReplyWriter.result(
                try client.expect(.apps).id,
                encoded: #"""
                    [{"app":"uid:1002","identity":"uid:1002","uid":1002,"user":"bbb","labels":[],\#
                    "authorizationStatus":"denied","decision":"authorizedAlways","accuracyAuthorization":"full",\#
                    "provisional":false,"inUse":false,"usingLocation":false,"connections":0,"regions":0,\#
                    "conditions":0,"visits":false,"pendingEvents":0,"eventsDropped":0}]
                    """#.utf8))
        try client.answer(.status, Sample.working { $0.locationServicesEnabled = false })
        #expect(try locctl.waitForExit() == .exited(0))
        let lines = locctl.outputLines
        #expect(lines.count > 1 && lines[1].hasPrefix("uid:1002 (bbb)") && lines[1].contains("  always  "))
        #expect(locctl.standardOutput.contains("\nLocation services are off for the whole device"))
    }

    @Test("that gpsd tells everybody is said below the apps, while it is so", arguments: [true, false])
    func appsWhileGPSDIsOpen(isOpen: Bool) throws {
        let locctl = try run.start("apps")
        let client = try run.daemon.accept()
        client.send(ReplyWriter.result(try client.expect(.apps).id, encoded: "[]".utf8))
        try client.answer(.status, Sample.working { $0.gpsd.openToAll = isOpen })
        #expect(try locctl.waitForExit() == .exited(0))
        let said = "every program here can have the location from gpsd itself"
        #expect(locctl.standardOutput.lowercased().contains(said) == isOpen, "\(locctl.standardOutput)")
    }

    @Test(
        "whom a decision is about is printed",
        arguments: [
            ("authorize geoclue denied", Method.authorize, "uid:103: denied\n"),
            (
                "authorize geoclue when-in-use --accuracy reduced", .authorize,
                "uid:103: when-in-use, reduced accuracy\n"
            ),
            ("authorize geoclue --accuracy full", .authorize, "uid:103: full accuracy\n"),
            ("authorize geoclue reset", .resetAuthorization, "uid:103: reset\n"),
        ])
    func decidedAbout(_ line: String, _ method: Method, _ printed: String) throws {
        let locctl = try run.start(line)
        let client = try run.daemon.accept()
        client.send(
            ReplyWriter.result(try client.expect(method).id, encoded: #"{"stored":true,"app":"uid:103"}"#.utf8))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput == printed)
    }

    @Test("a reload prints what is wrong with manifests")
    func reloadFaults() throws {
        let locctl = try run.start("reload")
        let client = try run.daemon.accept()
        try client.answer(.reload)
        let problem = "cannot use a.conf:2: \u{1B}Nonsense is not a key of [App]"
        try client.answer(.status, Sample.working { $0.daemon.stateProblems = [problem] })
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError == "locctl: cannot use a.conf:2: \u{FFFD}Nonsense is not a key of [App]\n")
    }
}
