// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import Glibc
import LocationModel
import LocationServices
import SystemSupport

/// The daemon as systemd starts it, with a socket that is systemd's: it neither leaves clients without an answer nor makes systemd start it
/// again and again, whatever hinders it.
struct ActivatedDaemon {
    /// How long clients are told of a failed start before the process ends and systemd starts another.
    static let failurePause = TimeSpan.seconds(5)

    private let options: DaemonOptions
    private let handed: HandedDescriptors
    private let socket: Int32
    private let journal: Journal
    private let recordFile: StartRecordFile

    /// - Parameter socket: That of `handed` to which clients connect.
    init(_ options: DaemonOptions, _ handed: HandedDescriptors, socket: Int32) {
        self.options = options
        self.handed = handed
        self.socket = socket
        journal = Journal(level: options.logLevel ?? .info)
        recordFile = StartRecordFile(runtimeDirectory: options.runtimeDirectory ?? "/run/locationd")
    }

    /// Serves until it is told to end.
    func run() throws {
        var record = recordFile.read(at: bootClock())
        if record.asksForPause {
            let loop = try refusing(.deaths(record.starts.count))
            guard try loop.run(for: StartRecord.pause) == .begin else { return recordFile.forget() }
        }
        guard let configuration = try usableConfiguration() else { return recordFile.forget() }
        record.begin(at: bootClock())
        recordFile.write(record)
        guard let daemon = try begin(configuration) else { return recordFile.forget() }
        try daemon.run()
        recordFile.forget()
    }

    /// The daemon; nil: it could not begin, and was told to end while it said so.
    private func begin(_ configuration: Configuration) throws -> Daemon? {
        // The daemon closes its own, also when it fails.
        let spare = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard spare >= 0 else { throw SystemError(cannot: "use systemd's socket") }
        defer { close(spare) }
        do {
            return try Daemon(options, configuration, handed)
        } catch {
            let loop = try RefusingLoop(.failure("\(error)"), socket: spare, journal) { nil }
            guard try loop.run(for: ActivatedDaemon.failurePause) == .begin else { return nil }
            throw error
        }
    }

    /// The configuration, when it can be used; nil: the daemon was told to end before that.
    private func usableConfiguration() throws -> Configuration? {
        while true {
            do throws(ConfigurationError) {
                return try ConfigurationFile.load(named: options.configurationFile)
            } catch {
                let loop = try refusing(.configuration(error))
                let places = ConfigurationFile.directories(of: options.configurationFile)
                guard try loop.untilConfigured(places) == .begin else { return nil }
            }
        }
    }

    private func refusing(_ fault: StartFault) throws(SystemError) -> RefusingLoop {
        let file = options.configurationFile
        return try RefusingLoop(fault, socket: socket, journal) {
            do throws(ConfigurationError) {
                _ = try ConfigurationFile.load(named: file)
                return nil
            } catch {
                return error
            }
        }
    }
}
