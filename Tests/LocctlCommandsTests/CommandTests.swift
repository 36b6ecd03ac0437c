// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocctlCommands
import Testing

@Suite("locctl, the program")
struct CommandTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    @Test("without a command it prints help and says that this was wrong")
    func withoutCommand() throws {
        let locctl = try run.start("")
        #expect(try locctl.waitForExit() == .exited(2))
        #expect(locctl.standardError == HelpText.overview)
        #expect(locctl.standardOutput.isEmpty)
    }

    @Test("help and the version need no daemon")
    func help() throws {
        run.daemon.stop()
        for line in ["--help", "help watch", "get --help", "--version"] {
            let locctl = try run.start(line)
            #expect(try locctl.waitForExit() == .exited(0))
            #expect(!locctl.standardOutput.isEmpty)
        }
    }

    @Test("a wrong command line is status 2")
    func usage() throws {
        let locctl = try run.start("watch --count none")
        #expect(try locctl.waitForExit() == .exited(2))
        #expect(
            locctl.standardError.hasPrefix("locctl: cannot use --count \"none\": allowed is a whole number from 1\n"))
    }

    @Test(
        "no daemon is status 3 for every command",
        arguments: [
            "status", "get", "watch", "significant", "why", "version", "live", "heading", "region list", "region watch",
            "region add home --circle 1,2,100", "region remove home", "region state home", "visits", "visits stop",
            "monitor list m", "monitor watch m", "apps", "authorize a always", "authorize a reset", "services",
            "services on", "requests", "requests 1 deny", "agent", "events a", "close 1",
            "reload", "metrics",
        ])
    func withoutDaemon(_ command: String) throws {
        run.daemon.stop()
        let locctl = try run.start(command)
        #expect(try locctl.waitForExit() == .exited(3))
        let text = locctl.standardOutput + locctl.standardError
        #expect(text.replacing("\n", with: " ").contains("cannot connect to \(run.daemon.path): no such file;"))
    }

    @Test("--socket goes before the environment")
    func socket() throws {
        let locctl = try run.start("status --socket /nonexistent/s")
        #expect(try locctl.waitForExit() == .exited(3))
        #expect(locctl.standardError.contains("cannot connect to /nonexistent/s"))
    }

    @Test("status prints the screen, and with --json what the daemon answered")
    func status() throws {
        let locctl = try run.start("status")
        let call = try run.daemon.accept().answer(.status, Sample.working())
        #expect(call == .status(.all))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.hasPrefix("Locations come: the last one 0.4 s ago.\n"))

        let other = try run.start("status --json")
        let client = try run.daemon.accept()
        let request = try client.expect(.status)
        let document = #"{"not":"known yet", "b":[1.50]}"#
        client.send(ReplyWriter.result(request.id, encoded: document.utf8))
        #expect(try other.waitForExit() == .exited(0))
        #expect(other.standardOutput == document + "\n")
    }

    @Test("a terminal gets colours unless NO_COLOR is set", arguments: [true, false])
    func colors(_ isAllowed: Bool) throws {
        let terminal = try run.startAtTerminal("status", hasColor: isAllowed)
        try run.daemon.accept().answer(.status, Sample.working())
        #expect(try terminal.waitForExit() == .exited(0))
        #expect(terminal.standardOutput.contains("\u{1B}[32m") == isAllowed)
    }

    @Test("a refusal is status 1 and tells the daemon's words")
    func refusal() throws {
        let locctl = try run.start("status")
        try run.daemon.accept().refuse(.status, RPCError(.notPermitted, "cannot tell who you are"))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError == "locctl: cannot tell who you are (-32001 notPermitted)\n")
    }

    @Test("a daemon that takes no more connections is status 1")
    func tooManyConnections() throws {
        let locctl = try run.start("status")
        let client = try run.daemon.accept()
        client.send(ReplyWriter.refusal(nil, RPCError(.tooManyConnections, "cannot serve you")))
        client.hangUp()
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError == "locctl: cannot serve you (-32006 tooManyConnections)\n")
    }

    @Test("what is not this protocol is status 1")
    func nonsense() throws {
        let locctl = try run.start("status")
        let client = try run.daemon.accept()
        _ = try client.expect(.status)
        client.send(Array("HTTP/1.1 400 Bad Request\n".utf8))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError.hasPrefix("locctl: cannot read what the daemon wrote"))
    }

    @Test("version tells both versions")
    func version() throws {
        let locctl = try run.start("version --json")
        try run.daemon.accept().answer(.status, Sample.working())
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput == "{\"locctl\":\"0.1.0\",\"locationd\":\"0.1.0\"}\n")
    }

    @Test("why answers in one sentence, and with --json with its cause")
    func why() throws {
        let locctl = try run.start("why navit")
        try run.daemon.accept().answer(.status, Sample.withoutReceiver())
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(
            locctl.standardOutput
                == "uid:1000 (calls itself “navit”, connection 3) gets no locations: gpsd has no\nreceiver.\n")

        let other = try run.start("why --json 3")
        try run.daemon.accept().answer(.status, Sample.withoutReceiver())
        #expect(try other.waitForExit() == .exited(0))
        #expect(
            other.standardOutput == """
                {"connection":3,"cause":"noReceiver","sentence":"uid:1000 (calls itself “navit”, connection 3) gets no locations: gpsd has \
                no receiver."}

                """)

        let vain = try run.start("why nobody")
        try run.daemon.accept().answer(.status, Sample.working())
        #expect(try vain.waitForExit() == .exited(1))
    }
}

@Suite("locctl get")
struct GetTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    @Test("a fresh location is asked for and printed")
    func fresh() throws {
        let locctl = try run.start("get --timeout 30 --accuracy kilometer")
        let client = try run.daemon.accept()
        #expect(try client.greet(1).usageDescriptions.whenInUse == "locctl prints locations at a terminal")
        let change = try client.answer(.setProperties, ManagerProperties())
        #expect(change == .asked(.setProperties(PropertiesPatch(desiredAccuracy: .kilometer))))
        let request = try client.answer(.requestLocation, StateResult(.running, request: 4))
        #expect(request == .asked(.requestLocation(timeout: 30)))
        client.update(UpdateAttributes(source: .request, request: 4), 5)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.hasPrefix("place     44.990138, -30.009287  ±3.2 m\n"))
    }

    @Test("with --json the location object is printed as it came")
    func json() throws {
        let locctl = try run.start("--json get")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.requestLocation, StateResult(.running, request: 4))
        let line = client.update(UpdateAttributes(source: .request, request: 4), 5)
        #expect(try locctl.waitForExit() == .exited(0))
        let output = String(locctl.standardOutput.dropLast())
        #expect(output.hasPrefix("{\"latitude\":44.9901376,") && output.hasSuffix("}}") && line.contains(output))
    }

    @Test("no fix in time is status 1 and says what is missing")
    func failure() throws {
        let locctl = try run.start("get")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.requestLocation, StateResult(.running, request: 4))
        client.notify(
            NotificationWriter.didFailWithError(LocationError(.locationUnknown), source: .request, request: 4))
        try client.answer(.status, Sample.withoutFix())
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(
            locctl.standardError == """
                locctl: cannot get a location in time: the receiver /dev/ttyACM0 has no fix: it uses 2 of 9 satellites \
                (kCLErrorDomain 0 locationUnknown)

                """)
    }

    @Test("a denial is status 1")
    func denial() throws {
        let locctl = try run.start("get")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.requestLocation, StateResult(.denied, reason: "locations are denied to uid:1000"))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(
            locctl.standardError
                == "locctl: cannot get a location: locations are denied to uid:1000 (kCLErrorDomain 1 denied)\n")
    }

    @Test("who nobody has decided about, and nobody is asked about, is told so at once, status 1")
    func undecided() throws {
        let locctl = try run.start("get --timeout 600")
        let client = try run.daemon.accept()
        try client.greet(1)
        let reason = "nobody has decided; an administrator can: locctl authorize 'uid:1000' when-in-use"
        try client.answer(.requestLocation, StateResult(.waitingForAuthorization, reason: reason, request: 4))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError == "locctl: cannot get a location: \(reason)\n")
    }

    @Test("while somebody is asked the answer is waited for, and that it did not come is no fault of the sky")
    func unanswered() throws {
        let locctl = try run.start("get --timeout 600")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(
            .requestLocation, StateResult(.waitingForAuthorization, reason: "it is asked", asked: true, request: 4))
        client.notify(NotificationWriter.didFailWithError(LocationError(.locationUnknown), request: 4))
        try client.answer(.status, Sample.denied(.notDetermined))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(
            locctl.standardError.hasPrefix(
                "locctl: it is asked\nlocctl: cannot get a location in time: nobody has decided"))
    }

    @Test("a request that is ended is status 1")
    func cancellation() throws {
        let locctl = try run.start("get")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.requestLocation, StateResult(.running, request: 4))
        client.notify(NotificationWriter.didCancelRequest(4, by: .stopUpdatingLocation))
        #expect(try locctl.waitForExit() == .exited(1))
    }

    @Test("the last known location is printed, or that there is none")
    func cached() throws {
        let locctl = try run.start("get --cached --json")
        try run.daemon.accept().answer(.location, LocationResult(Sample.location()))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.contains("\"sequence\":48211"))

        let vain = try run.start("get --cached")
        try run.daemon.accept().answer(.location, LocationResult(nil))
        #expect(try vain.waitForExit() == .exited(1))
        #expect(vain.standardError == "locctl: cannot tell a last known location: there is none\n")
    }

    @Test("a daemon that goes away in between is status 3")
    func disconnection() throws {
        let locctl = try run.start("get")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.requestLocation, StateResult(.running, request: 4))
        client.hangUp()
        #expect(try locctl.waitForExit() == .exited(3))
    }

    @Test("Ctrl-C is status 130")
    func interruption() throws {
        let locctl = try run.start("get")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.requestLocation, StateResult(.running, request: 4))
        locctl.terminate(SIGINT)
        #expect(try locctl.waitForExit() == .exited(130))
    }
}
