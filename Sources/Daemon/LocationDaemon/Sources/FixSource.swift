// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Something that tells where the device is: gpsd, or what comes to stand beside it (Documentation/Architecture.md, "To add a source").
///
/// A source is off until locations are wanted, and does not wake the process while it is off. All calls come on the loop's thread.
protocol FixSource: AnyObject {
    /// Takes an epoch with a position. `Fix.receiver` counts this source's receivers from 0.
    var fixReceived: (Fix, BootInstant) -> Void { get set }
    /// Takes that a receiver has no fix, and of how many satellites it hears signals.
    var noFixReported: (Int, BootInstant) -> Void { get set }
    /// Takes the direction in which the device points.
    var headingReceived: (Heading, BootInstant) -> Void { get set }

    /// Takes that the fix that it told last counts no longer before its validity is over.
    var fixEnded: (BootInstant) -> Void { get set }

    /// The service begins: the source finds out whether it can be had.
    func start(at now: BootInstant)
    /// Locations are wanted from now on, or no longer; in the turn of `now`, which goes on after it.
    func setDemand(_ isWanted: Bool, at now: BootInstant)
    /// When `woke` is to be called if nothing else happens; nil: never. May be early.
    var nextWake: WakeWindow? { get }
    func woke(at now: BootInstant)

    /// Another source measured where the device is.
    func noteMeasured(_ location: Location, at now: BootInstant)
    /// Somebody wants to know where the device is from now on, and may be the second one.
    func noteAsked(at now: BootInstant)

    /// All receivers that it ever heard, by their numbers, for people; `preferred` is not its to say.
    func receivers(at now: BootInstant) -> [ReceiverStatus]
    /// The satellites that one of its receivers heard last, nil for it: any; nil: none are kept. To ask has it keep them for a while.
    func satellites(of receiver: ReceiverID?, at now: BootInstant) -> SatellitesResult?
    /// The name by which people choose one of its receivers; nil: it has none of this number.
    func path(of receiver: ReceiverID) -> String?
    /// Why it has no location though one is wanted, as a sentence without its end.
    var problem: String { get }
    /// Whose word its location is, if no receiver measured it, as a sentence without its end; nil: it tells none now.
    var notice: String? { get }
}

// A source that measures has nothing to do with what others say, and its fixes count as long as any. Not every one has satellites.
extension FixSource {
    var fixEnded: (BootInstant) -> Void {
        get { { _ in } }
        set {}
    }
    var noFixReported: (Int, BootInstant) -> Void {
        get { { _, _ in } }
        set {}
    }
    func noteMeasured(_ location: Location, at now: BootInstant) {}
    func noteAsked(at now: BootInstant) {}
    var notice: String? { nil }
    func satellites(of receiver: ReceiverID?, at now: BootInstant) -> SatellitesResult? { nil }
}
