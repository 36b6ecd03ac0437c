// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel

/// Tells a person at a terminal what is going on until the first location comes: looks at the daemon's status, at most
/// once a second.
struct FirstFix {
    /// When to look next; never, if nobody would see it or nothing is waited for.
    private(set) var nextLook: BootInstant
    private let console: Console
    private let since = LocationConnection.now

    private static let interval = TimeSpan.seconds(1)

    init(_ console: Console) {
        self.console = console
        // A location that comes at once needs no words before it.
        nextLook = console.showsProgress ? since + .milliseconds(300) : .distantFuture
    }

    /// Looks, and shows what is seen.
    mutating func look(_ connection: LocationConnection) throws(LocationClientError) {
        let status = try connection.status()
        let now = LocationConnection.now
        nextLook = now + FirstFix.interval
        console.showProgress(
            ProgressText.line(
                status, waited: (now - since).seconds, now: console.now, console.calendar,
                width: console.progressColumns))
    }

    /// The waiting is over.
    mutating func end() {
        console.clearProgress()
        nextLook = .distantFuture
    }
}
