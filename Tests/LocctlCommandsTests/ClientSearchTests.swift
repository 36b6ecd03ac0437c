// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocctlCommands
import Testing

@Suite("Clients and apps by their names")
struct ClientSearchTests {
    @Test(
        "a client is found by app, identity, unit, process and connection",
        arguments: [
            ("navit", [3]), ("1204", [4]), ("5", [5]), ("uid:1000", [3, 5, 6, 7, 8, 9]),
            ("a-logger-with-a-very-long-name", [4]), ("a-logger-with-a-very-long-name.service", [4]),
            ("unit:a-logger-with-a-very-long-name.service", [4]),
        ] as [(String, [UInt64])])
    func search(_ name: String, _ connections: [UInt64]) throws {
        let found = try ClientSearch.clients(named: name, in: Sample.crowded())
        #expect(Set(found.map(\.connection)).isSuperset(of: connections))
        if name != "uid:1000" { #expect(found.count == connections.count) }
    }

    @Test(
        "a client is found by the beginning of a name that no other has, or else by a part of one",
        arguments: [("nav", [3]), ("NAV", [3]), ("a-log", [4]), ("very-long", [4]), ("osmin", [])]
            as [(String, Set<UInt64>)])
    func searchByPart(_ part: String, _ connections: Set<UInt64>) throws {
        var status = Sample.crowded()
        status.managers?.removeAll { ![3, 4, 5].contains($0.connection) }
        #expect(Set(try ClientSearch.clients(like: part, in: status).map(\.connection)) == connections)
    }

    @Test("a client and an app are found by the name of their user")
    func searchByUser() throws {
        let status = Sample.working {
            $0.managers?[0].user = "alice"
            var user = AppStatus(app: "uid:1001", identity: "uid:1001", uid: 1001, authorizationStatus: .denied)
            user.user = "bob"
            var app = AppStatus(
                app: "app:a uid:1001", identity: "app:a uid:1001", uid: 1001, authorizationStatus: .denied)
            app.user = "bob"
            $0.apps = [app, user]
        }
        #expect(try ClientSearch.clients(named: "alice", in: status).map(\.connection) == [3])
        #expect(ClientSearch.app(named: "bob", in: status)?.app == "uid:1001")
    }

    @Test("a part of several names is an error that names them")
    func ambiguousPart() throws {
        let status = Sample.working {
            $0.managers = [Sample.client(3), Sample.client(4)]
            $0.managers?[1].app = "navigator"
            $0.apps = [
                AppStatus(app: "fence", identity: "fence uid:1", uid: 1, authorizationStatus: .denied),
                AppStatus(app: "fern", identity: "fern uid:2", uid: 2, authorizationStatus: .denied),
            ]
        }
        let clients = LocctlError("cannot tell which one \"avi\" is: there are “navigator”, “navit”", .refused)
        #expect(throws: clients) { try ClientSearch.clients(like: "avi", in: status) }
        let apps = LocctlError("cannot tell which one \"fe\" is: there are fence, fern", .refused)
        #expect(throws: apps) { try ClientSearch.app(like: "fe", in: status) }
        #expect(try ClientSearch.app(like: "fen", in: status)?.app == "fence")
        #expect(try ClientSearch.app(like: "rn", in: status)?.app == "fern")
        #expect(try ClientSearch.app(like: "x", in: status) == nil)
    }

    @Test("a manager that is gone and has only what is the app's is no client")
    func goneManagers() throws {
        var gone = Sample.client(4)
        gone.waitingToRejoin = true
        gone.services = [.init(service: .regions, state: .running), .init(service: .visits, state: .running)]
        var monitoring = Sample.client(5)
        monitoring.waitingToRejoin = true
        monitoring.services = [.init(service: .monitors, state: .running)]
        let status = Sample.working { $0.managers = [gone, monitoring] }
        #expect(try ClientSearch.clients(named: "navit", in: status).map(\.connection) == [5])
    }

    @Test("a client that is not there is an error that names those that are")
    func searchInVain() {
        #expect(
            throws: LocctlError(
                "cannot find a client \"osmin\": there are uid:1000 (calls itself “navit”, connection 3)", .refused)
        ) { try ClientSearch.clients(named: "osmin", in: Sample.working()) }
        #expect(throws: LocctlError("cannot find a client \"1000\": there is none", .refused)) {
            try ClientSearch.clients(named: "1000", in: Sample.idle())
        }
        #expect(
            throws: LocctlError(
                "cannot see the clients of the daemon: only administrators and apps that may have locations can",
                .refused)
        ) { try ClientSearch.clients(named: "navit", in: Sample.denied()) }
    }
}
