// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import LocationModel
import LocationProtocol

/// Why a daemon that systemd gave its socket does not serve yet.
enum StartFault {
    /// The configuration cannot be used.
    case configuration(ConfigurationError)
    /// The daemon could not begin, and ends soon so that systemd starts it again.
    case failure(String)
    /// The daemon died so often that it pauses.
    case deaths(Int)

    /// The reason that everybody may know, and that `systemctl status` shows. Files may be readable for few, so nothing of them is told.
    var sentence: String {
        switch self {
        case .configuration:
            "cannot serve: the configuration cannot be used; the journal says why (journalctl -u locationd)"
        case .failure:
            "cannot serve: the service could not start, and tries again; the journal says why (journalctl -u locationd)"
        case .deaths(let count):
            """
            cannot serve: the service died \(count) times within \(Int(StartRecord.window.seconds)) s, and tries again \
            every \(Int(StartRecord.pause.seconds)) s; the journal says how (journalctl -u locationd)
            """
        }
    }

    /// All that is known, for the administrator.
    var details: String {
        switch self {
        case .configuration(let error): "cannot serve: \(error.problems.joined(separator: "; "))"
        case .failure(let reason): "cannot serve: \(reason)"
        case .deaths: sentence
        }
    }

    /// The answer to the user `uid`, whatever was asked: root gets the details.
    func refusal(for uid: UInt32) -> [UInt8] {
        ReplyWriter.refusal(nil, RPCError(.unavailable, uid == 0 ? details : sentence))
    }
}
