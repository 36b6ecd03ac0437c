// SPDX-License-Identifier: Apache-2.0
import CSystemd
import ConfigurationReading
import LocationModel
import LocationProtocol
import LocationStore
import SystemSupport

/// Runs `locationd` with its command line and returns its exit code: 0, 1 when it cannot do its work, 64 for a wrong command line,
/// 78 for a wrong configuration (sysexits.h).
package func runLocationd(arguments: [String]) -> Int32 {
    let options: DaemonOptions
    do throws(UsageError) {
        options = try DaemonOptions(arguments: arguments)
    } catch {
        StandardStream.error.write("locationd: \(error.message)\n\n\(DaemonOptions.usage)")
        return 64
    }
    if options.showsHelp {
        StandardStream.output.write(DaemonOptions.usage)
        return 0
    }
    if options.showsVersion {
        StandardStream.output.write("locationd \(locationdVersion)\n")
        return 0
    }
    do {
        if let track = options.replay {
            let configuration = try ConfigurationFile.load(named: options.configurationFile)
            try Replay(track: track, requests: options.requests, configuration).run()
            return 0
        }
        ClockSpeed.set(options.clockSpeed)
        let handed = HandedDescriptors()
        if let socket = handed.sockets.first {
            try ActivatedDaemon(options, handed, socket: socket).run()
        } else {
            try Daemon(options, try ConfigurationFile.load(named: options.configurationFile), handed).run()
        }
        return 0
    } catch let error as ConfigurationError {
        StandardStream.error.write("locationd: \(error)\n")
        sd_notify(0, "ERRNO=22")
        return 78
    } catch {
        StandardStream.error.write("locationd: \(error)\n")
        return 1
    }
}
