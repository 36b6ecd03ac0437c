// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// `locctl status`.
    func printStatus() throws(LocctlError) -> ExitCode {
        let connection = try connect()
        let reply = try asking { () throws(LocationClientError) in try connection.send(.status(.all)) }
        if json {
            guard let document = JSONSlice.value(at: ["result"], in: reply.line[...]) else { return .refused }
            console.print(line: document)
            return .done
        }
        let status = try asking { () throws(LocationClientError) in try reply.result(Status.self) }
        // Only admins may know who waits; for all others nobody does.
        let prompts = status.managers == nil ? 0 : (try? connection.pendingRequests().count) ?? 0
        console.print(
            StatusText.screen(
                status, prompts: prompts, now: console.now, console.calendar, ownProcess: Int(getpid()), console.style))
        return .done
    }

    /// `locctl version`.
    func printVersions() throws(LocctlError) -> ExitCode {
        var daemon: String?
        var failure: LocctlError?
        do throws(LocctlError) {
            let reply = try wholeStatus()
            daemon = try asking { () throws(LocationClientError) in try reply.result(Status.self) }.daemon.version
        } catch {
            failure = error
        }
        if json {
            console.print(line: versionsLine(daemon)[...])
        } else {
            console.print("locctl    \(locationdVersion)\n" + (daemon.map { "locationd \(printable($0))\n" } ?? ""))
        }
        if let failure { throw failure }
        return .done
    }

    private func versionsLine(_ daemon: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("locctl", locationdVersion)
        if let daemon {
            writer.member("locationd", daemon)
        }
        writer.endObject()
        return writer.bytes
    }

    /// The status with everything that this user may see.
    func wholeStatus() throws(LocctlError) -> ReceivedReply {
        let connection = try connect()
        return try asking { () throws(LocationClientError) in try connection.send(.status(.all)) }
    }
}
