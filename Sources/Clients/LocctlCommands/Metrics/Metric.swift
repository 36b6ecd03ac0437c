// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// One metric: what it is called, what it means, and where its numbers come from. Names, units and labels do not change.
package struct Metric: Sendable {
    /// How its numbers go over time.
    package enum Kind: String, Sendable {
        /// It goes up and down.
        case gauge
        /// It grows until the daemon starts anew.
        case counter
        /// It is always 1: its labels say something.
        case info
    }

    /// A number with the words for the labels, in their order.
    package struct Sample: Sendable, Hashable {
        package var words: [String]
        package var value: Double

        /// The number `value` of what `words` name.
        package init(_ value: Double, _ words: String...) {
            self.words = words
            self.value = value
        }
    }

    /// The answers that metrics are made of.
    package struct Readings: Sendable {
        /// nil: no daemon answers.
        package var status: Status?
        /// Apps that wait for somebody's decision; nil: not for this user to see.
        package var requests: Int?
        /// nil: it does not run.
        package var uplink: UplinkReport?
        /// Where the device is; nil: nobody asked, or nobody knows.
        package var location: Location?

        /// Nothing was read.
        package init() {}
    }

    /// Without the ending of a counter or an info.
    package let family: String
    package let kind: Kind
    /// The unit, which the name ends with; nil: it counts.
    package let unit: String?
    /// The names of its labels.
    package let labels: [String]
    /// A sentence without its end.
    package let help: String
    /// Its numbers; none: it does not apply, or is not for this user to see.
    package let samples: @Sendable (Readings) -> [Sample]

    /// The name of its samples.
    package var name: String {
        switch kind {
        case .gauge: family
        case .counter: family + "_total"
        case .info: family + "_info"
        }
    }

    init(
        _ kind: Kind, _ name: String, unit: String? = nil, labels: [String] = [], _ help: String,
        samples: @escaping @Sendable (Readings) -> [Sample]
    ) {
        self.kind = kind
        family = "locationd_" + name + (unit.map { "_\($0)" } ?? "")
        self.unit = unit
        self.labels = labels
        self.help = help
        self.samples = samples
    }

    /// One number without labels.
    init(
        _ kind: Kind, _ name: String, unit: String? = nil, _ help: String,
        _ value: @escaping @Sendable (Readings) -> Double?
    ) {
        self.init(kind, name, unit: unit, help) { readings in value(readings).map { [Sample($0)] } ?? [] }
    }
}
