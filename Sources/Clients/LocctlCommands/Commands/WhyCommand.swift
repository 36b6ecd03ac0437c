// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// `locctl why`.
    func printExplanation(of client: String?) throws(LocctlError) -> ExitCode {
        let reply: ReceivedReply
        do throws(LocctlError) {
            reply = try wholeStatus()
        } catch {
            // The first of all causes: the sentence is the answer, and the exit status says the same.
            guard error.exitCode == .noDaemon else { throw error }
            print(Explanation(.noDaemon, error.description), about: nil, nil)
            return .noDaemon
        }
        let status = try asking { () throws(LocationClientError) in try reply.result(Status.self) }
        guard let client else {
            print(Explanation.device(status, now: console.now, console.calendar), about: nil, nil)
            if let history = Explanation.history(status) { print(history, about: nil, nil) }
            return .done
        }
        let found: [ManagerStatus]
        do throws(LocctlError) {
            found = try ClientSearch.clients(named: client, in: status, except: Int(getpid()))
        } catch {
            if let app = ClientSearch.app(named: client, in: status) { return explain(app, status) }
            guard status.managers != nil else { throw error }
            found = try ClientSearch.clients(like: client, in: status, except: Int(getpid()))
            if found.isEmpty {
                guard let app = try ClientSearch.app(like: client, in: status) else { throw error }
                return explain(app, status)
            }
        }
        for manager in found {
            print(
                Explanation.client(manager, status, now: console.now, console.calendar),
                about: ClientTable.fullName(manager), manager)
        }
        printUplinkSentence(of: client)
        return .done
    }

    private func explain(_ app: AppStatus, _ status: Status) -> ExitCode {
        let explanation = Explanation.app(app, status, now: console.now, console.calendar)
        print(explanation, about: printable(app.app), nil, app)
        printUplinkSentence(of: app.app)
        return .done
    }

    private func print(
        _ explanation: Explanation, about client: String?, _ manager: ManagerStatus?, _ app: AppStatus? = nil
    ) {
        let sentence = explanation.sentence(about: client)
        guard json else {
            console.print(console.style.wrapped(sentence) + "\n")
            return
        }
        var writer = JSONWriter()
        writer.beginObject()
        if let manager {
            writer.member("connection", manager.connection)
        }
        if let app {
            writer.member("app", app.app)
        }
        writer.member("cause", explanation.cause.rawValue)
        writer.member("sentence", sentence)
        writer.endObject()
        console.print(line: writer.bytes[...])
    }
}
