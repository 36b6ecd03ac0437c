// SPDX-License-Identifier: Apache-2.0
import Glibc

// manual-pages DIRECTORY CONFIGURATION: fills the pages in DIRECTORY (Sources/ManualPages) with what the code and the shipped
// configuration know, and writes them beside each other into the working directory, for scdoc(1).
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    TextFile.complain("Usage: manual-pages DIRECTORY CONFIGURATION")
    exit(64)
}
do throws(PageError) {
    let settings = Settings.sections(try TextFile.lines(of: arguments[2]))
    for page in ["locationd.8", "locctl.1", "locationd.conf.5", "locationd-protocol.7", "locationd-geoclue.8"] {
        let lines = try TextFile.lines(of: "\(arguments[1])/\(page).scd")
        try TextFile.write(Template.filled(lines, settings: settings), to: "\(page).scd")
    }
} catch {
    TextFile.complain("manual-pages: \(error)")
    exit(1)
}
