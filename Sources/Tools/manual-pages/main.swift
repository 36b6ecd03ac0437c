// SPDX-License-Identifier: Apache-2.0
import Glibc

// manual-pages DIRECTORY CONFIGURATION UPLINK: fills the pages in DIRECTORY (Documentation/ManualPages) with what the code and the shipped
// configurations know, and writes them beside each other into the working directory, for scdoc(1).
// manual-pages --reference PAGE: writes into PAGE (Documentation/Protocol.md, Documentation/Metrics.md) the chapter that the code knows.
let arguments = CommandLine.arguments
guard arguments.count == 4 || arguments.count == 3 && arguments[1] == "--reference" else {
    TextFile.complain("Usage: manual-pages DIRECTORY CONFIGURATION UPLINK\n       manual-pages --reference PAGE")
    exit(64)
}
do throws(PageError) {
    if arguments[1] == "--reference" {
        let lines = try TextFile.lines(of: arguments[2])
        guard let page = ProtocolReference.filled(lines) ?? MetricsReference.filled(lines) else {
            throw PageError(
                description: "cannot fill \(arguments[2]): it has no line \(ProtocolReference.heading), and none "
                    + MetricsReference.heading)
        }
        try TextFile.write(page, to: arguments[2])
        exit(0)
    }
    let settings = Settings.sections(try TextFile.lines(of: arguments[2]))
    let uplink = Settings.sections(try TextFile.lines(of: arguments[3]))
    let pages = [
        "locationd.8", "locctl.1", "locationd.conf.5", "locationd-protocol.7", "locationd-geoclue.8",
        "locationd-uplink.8", "uplink.conf.5", "locationd-beacons.8", "locationd-agent.8",
    ]
    for page in pages {
        let lines = try TextFile.lines(of: "\(arguments[1])/\(page).scd")
        let known = page == "uplink.conf.5" ? uplink : settings
        try TextFile.write(Template.filled(lines, settings: known), to: "\(page).scd")
    }
} catch {
    TextFile.complain("manual-pages: \(error)")
    exit(1)
}
