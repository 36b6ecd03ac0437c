// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// Says on standard error that a stream, monitor or session waits for a decision, and that whoever decides is told no reason: no
/// callback says so, and neither is an error.
enum ConsentLog {
    /// The program wants `command` of the daemon that has greeted it with `hello`, and nobody has decided about it.
    static func note(_ command: SessionCommand, undecided hello: HelloResult) {
        guard let (name, request) = command.asking else { return }
        let application = CLApplicationInfo.current
        let label = hello.app ?? hello.identity
        ApplicationLog.writeOnce(
            """
            \(name) waits for somebody to allow it: nobody has decided about \(label) yet; an administrator can: \
            locctl authorize '\(hello.identity)' always
            """)
        if let advice = application.advice(on: request) {
            ApplicationLog.writeOnce(
                "no reason", "whoever is asked sees no reason, unless the app has a manifest that gives one: \(advice)")
        }
    }
}

extension SessionCommand {
    /// The name of the call in the program, and the request that it raises; nil: none.
    fileprivate var asking: (name: String, request: CLApplicationInfo.Request)? {
        switch request {
        case .startLiveUpdates: ("CLLocationUpdate.liveUpdates", .whenInUse)
        case .openMonitor: ("CLMonitor", .whenInUse)
        case .startServiceSession(let session) where session.requirement == .whenInUse: ("CLServiceSession", .whenInUse)
        case .startServiceSession(let session) where session.requirement == .always: ("CLServiceSession", .always)
        default: nil
        }
    }
}
