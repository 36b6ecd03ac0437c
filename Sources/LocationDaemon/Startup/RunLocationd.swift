// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
import LocationModel
import LocationProtocol
import LocationStore

/// Runs `locationd` with its command line and returns its exit code: 0, 1 when it cannot do its work, 64 for a wrong command line,
/// 78 for a wrong configuration (sysexits.h).
package func runLocationd(arguments: [String]) -> Int32 {
    let options: DaemonOptions
    do throws(DaemonOptions.UsageError) {
        options = try DaemonOptions(arguments: arguments)
    } catch {
        complain("locationd: \(error.message)\n\n\(DaemonOptions.usage)")
        return 64
    }
    if options.showsHelp {
        say(DaemonOptions.usage)
        return 0
    }
    if options.showsVersion {
        say("locationd \(locationdVersion)\n")
        return 0
    }
    do {
        let configuration = try ConfigurationFile.load(named: options.configurationFile)
        if let track = options.replay {
            try Replay(track: track, requests: options.requests, configuration).run()
        } else {
            try Daemon(options, configuration).run()
        }
        return 0
    } catch let error as ConfigurationError {
        complain("locationd: \(error)\n")
        sd_notify(0, "ERRNO=22")
        return 78
    } catch {
        complain("locationd: \(error)\n")
        return 1
    }
}

private func say(_ text: String) { write(text, to: 1) }
private func complain(_ text: String) { write(text, to: 2) }

private func write(_ text: String, to fd: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
    }
}
