// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// All services, in the order in which they are told what happens: it is the order of their lines on a connection (Protocol 4.4, 8.1).
///
/// To add a service, write a type that conforms to `Service` in a file of its own, and add a property and a line of `forEach` here. Demand,
/// deadlines, loss, denial, reports, and the question who uses locations go over the list.
struct Services: Sendable {
    var standard = StandardUpdates()
    var significant = SignificantChanges()
    var headings = Headings()
    var requests = LocationRequests()
    var live = LiveUpdates()
    var beacons = BeaconRanging()
    var sessions = ServiceSessions()
    var regions = Regions()
    var monitors = Monitors()
    var visits = Visits()

    /// The list.
    @inline(__always)
    mutating func forEach(_ visitor: inout some ServiceVisitor, _ directory: Directory, _ turn: inout Turn) {
        visitor.visit(&standard, directory, &turn)
        visitor.visit(&significant, directory, &turn)
        visitor.visit(&headings, directory, &turn)
        visitor.visit(&requests, directory, &turn)
        visitor.visit(&live, directory, &turn)
        visitor.visit(&beacons, directory, &turn)
        visitor.visit(&sessions, directory, &turn)
        visitor.visit(&regions, directory, &turn)
        visitor.visit(&monitors, directory, &turn)
        visitor.visit(&visits, directory, &turn)
    }

    /// Does what is due.
    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn) {
        tell(.serveTimers, directory, &turn)
        tellBeacons(directory, &turn)
    }

    /// Tells who hears which beacons are watched now, and apps which came near or are gone.
    mutating func tellBeacons(_ directory: Directory, _ turn: inout Turn) {
        guard turn.borders.beacons.isNews else { return }
        beacons.settle(directory, &turn)
        let crossings = turn.borders.beacons.takeCrossings()
        let date = turn.dateOfEvents
        regions.watch(crossings, on: date, directory, &turn)
        monitors.watch(crossings, on: date, directory, &turn)
    }

    /// Tells all of them, in their order.
    mutating func tell(_ message: ServiceMessage, _ directory: Directory, _ turn: inout Turn) {
        var message = message
        forEach(&message, directory, &turn)
    }
}
