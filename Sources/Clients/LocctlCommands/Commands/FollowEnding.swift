// SPDX-License-Identifier: Apache-2.0
import LocationClient

/// Why a command that follows something is over.
enum FollowEnding {
    /// As many as `--count` wants.
    case enough
    /// The moment of `--until`.
    case timeIsUp
    case interrupted
    case refused(LocctlError)
    /// The daemon is gone, perhaps for a moment.
    case disconnected(LocationClientError)

    /// The ending by an error of the connection.
    init(_ error: LocationClientError) {
        self = error.isAboutTheConnection ? .disconnected(error) : .refused(LocctlError(error))
    }

    /// The exit status of a command that was to end by itself (`hasEnd`) or not.
    func exitCode(hasEnd: Bool) throws(LocctlError) -> ExitCode {
        switch self {
        case .enough, .timeIsUp: return .done
        // An interruption is the usual end of a command without an end of its own; any other has not finished.
        case .interrupted: return hasEnd ? .interrupted : .done
        case .refused(let error): throw error
        case .disconnected(let error): throw LocctlError(error)
        }
    }
}
