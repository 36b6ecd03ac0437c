// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// A text that the person at the device is shown when a region is crossed, while the app does not run, too, and without starting it.
///
/// On Apple's systems this is another framework's: a `UNNotificationRequest` of UserNotifications with a `UNLocationNotificationTrigger`. Here
/// it belongs to the region: set ``CLRegion/notice`` before monitoring starts, and `notifyOnEntry` and `notifyOnExit` to false where the app
/// itself needs no event. The user's agent (`locctl agent --desktop`) shows it, at once or, when it comes late, as missed. Whatever takes the
/// app's authorization or the region away takes what was not shown yet along.
public struct CLRegionNotice: Sendable, Hashable {
    /// The crossings that a notice is for.
    public enum Crossing: String, Sendable, Hashable, CaseIterable {
        case entry
        case exit
        case both
    }

    /// The first line: 1 to 128 bytes of UTF-8, something to be seen in them, without control and bidirectional characters, or the region
    /// cannot be watched.
    public var title: String
    /// The text below it: at most 256 bytes, likewise; may be empty.
    public var body: String
    /// When it is shown.
    public var crossing: Crossing
    /// Whether it is shown each time; else it goes with the first, and the region with it if the app is told nothing of that.
    public var repeats: Bool

    /// A notice that is shown on entering, each time, unless something else is said; nothing is checked before monitoring starts.
    public init(title: String, body: String = "", on crossing: Crossing = .entry, repeats: Bool = true) {
        self.title = title
        self.body = body
        self.crossing = crossing
        self.repeats = repeats
    }
}

extension CLRegionNotice {
    /// The notice as the daemon has it.
    var modelled: RegionNotice {
        RegionNotice(
            title: title, text: body, on: RegionNotice.Crossing(rawValue: crossing.rawValue) ?? .entry,
            repeats: repeats)
    }

    /// The notice of a region that the daemon tells of.
    init(_ notice: RegionNotice) {
        self.init(
            title: notice.title, body: notice.text, on: Crossing(rawValue: notice.crossing.rawValue) ?? .entry,
            repeats: notice.repeats)
    }
}
