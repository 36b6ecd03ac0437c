// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationProtocol

/// The report that locationd-uplink shows of itself; no daemon has to be asked about it.
struct ShownUplink {
    let report: UplinkReport
    /// The document as it was shown.
    let document: [UInt8]

    /// Bytes of a report, which has a few hundred.
    private static let longestReport = 1 << 16

    /// Reads the report that is shown now; nil: none is, or its process is no more. A file that cannot be understood is an error.
    static func read() throws(LocctlError) -> ShownUplink? {
        let path = getenv("LOCATIOND_UPLINK_STATUS").map { String(cString: $0) } ?? UplinkReport.usualPath
        guard let document = try contents(of: path) else { return nil }
        guard let report = try? JSONText.value(UplinkReport.self, of: document) else {
            throw LocctlError(
                "cannot understand \(printable(path)), which locationd-uplink writes: "
                    + "\(document.isEmpty ? "it is empty" : "it is damaged, or of another version")", .refused)
        }
        // Of another user's process the answer is "not permitted", which is one, too.
        guard report.pid > 0, kill(report.pid, 0) == 0 || errno == EPERM else { return nil }
        return ShownUplink(report: report, document: document)
    }

    // nil: there is none.
    private static func contents(of path: String) throws(LocctlError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: longestReport)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 || errno != ENOENT else { return nil }
        let count = file < 0 ? -1 : Glibc.read(file, &bytes, bytes.count)
        let problem = errno
        if file >= 0 { close(file) }
        guard count >= 0 else {
            throw LocctlError("cannot read \(printable(path)): \(String(cString: strerror(problem)))", .refused)
        }
        return Array(bytes[..<count])
    }
}

extension Session {
    /// `locctl uplink`.
    func printUplink() throws(LocctlError) -> ExitCode {
        guard let shown = try ShownUplink.read() else {
            throw LocctlError(
                "cannot tell about locationd-uplink: it does not run (systemctl status locationd-uplink)", .noDaemon)
        }
        if json {
            console.print(line: shown.document[...])
        } else {
            console.print(UplinkText.screen(shown.report, now: console.now, console.calendar))
        }
        return .done
    }

    /// Prints the sentence that `locctl why` adds about the uplink, if `client` means it.
    func printUplinkSentence(of client: String) {
        guard !json, "locationd-uplink".contains(client), client.contains("uplink"),
            let shown = try? ShownUplink.read()
        else { return }
        console.print(console.style.wrapped(UplinkText.sentence(shown.report)) + "\n")
    }
}
