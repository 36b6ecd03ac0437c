// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The connection to locationd, which tells what is to be shown. Connects again as long as this program may show it.
final class AgentLink: DaemonLink {
    /// nil: the connection is gone.
    private let report: (Notification?) -> Void
    /// Why it is no use to try again; the loop ends with it.
    private(set) var refusal: SystemError?

    init(_ loop: EventLoop, _ address: DaemonAddress, report: @escaping (Notification?) -> Void) throws(SystemError) {
        self.report = report
        try super.init(loop, address, say: say)
    }

    override func greet(_ connection: LocationConnection) throws(LocationClientError) -> () -> Void {
        do throws(LocationClientError) {
            try connection.takeNotices()
        } catch {
            // Any other refusal passes, such as that there are too many connections.
            if case .refused(let error) = error, error.code == .notPermitted {
                refusal = SystemError(error.message)
                leave()
                loop.exit()
            }
            throw error
        }
        do throws(LocationClientError) {
            try connection.registerAgent()
        } catch .refused(let error) where error.code == .notPermitted {
            complain("shows notices, and asks nobody: \(error.message)")
        }
        return {}
    }

    // It is late, or about an app that is gone meanwhile: that is no reason to stop.
    override func goesOn(after refusal: RPCError) -> Bool {
        say(refusal.description)
        return true
    }

    override func heard(_ notification: Notification) { report(notification) }

    // Somebody who started it in a terminal shall not think that it hangs.
    override func complaint(of error: any Error) -> String { "\(error); waiting for it" }

    override func lost(_ error: LocationClientError) {
        complain(complaint(of: error))
        report(nil)
    }

    /// Has locationd tell the notices that wait.
    func takeNotices() { ask { connection throws(LocationClientError) in try connection.takeNotices() } }

    func acknowledge(_ name: NoticeName) {
        ask { connection throws(LocationClientError) in try connection.acknowledgeNotice(name) }
    }

    func answer(_ request: UInt64, _ answer: AuthorizationAnswer) {
        ask { connection throws(LocationClientError) in try connection.answerRequest(request, answer) }
    }
}
