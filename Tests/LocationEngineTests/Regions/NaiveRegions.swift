// SPDX-License-Identifier: Apache-2.0
import LocationModel

@testable import LocationEngine

/// Every border looked at with every fix: what the monitor must say, without its index.
struct NaiveRegions {
    struct Entry {
        var handle: RegionHandle
        var shape: RegionShape
        var hysteresis: RegionHysteresis
        var state: RegionState
        var watch = BorderWatch()
    }

    var entries: [Entry] = []
    private var track: RegionTrack?

    mutating func add(
        _ handle: RegionHandle, _ shape: RegionShape, _ hysteresis: RegionHysteresis, _ state: RegionState
    ) {
        entries.append(Entry(handle: handle, shape: shape, hysteresis: hysteresis, state: state))
    }

    mutating func process(_ location: Location, at now: BootInstant, _ settings: RegionSettings) -> [RegionCrossing] {
        guard location.horizontalAccuracy <= settings.maximumAccuracy else { return [] }
        let evidence: RegionEvidence
        if let later = track?.update(location, at: now, settings) {
            evidence = later
        } else {
            let first = RegionTrack(location, at: now)
            track = first
            evidence = first.firstEvidence(location, settings)
        }
        return entries.indices.flatMap { judge(&entries[$0], evidence, settings) }.sorted()
    }

    private func judge(
        _ entry: inout Entry, _ evidence: RegionEvidence, _ settings: RegionSettings
    ) -> [RegionCrossing] {
        let deepest =
            switch entry.shape {
            case .circle(_, let radius): radius / 2
            case .polygon(let polygon): polygon.roughInradius(in: polygon.surroundingCircle) / 2
            case .beacon: 0.0
            }
        let hysteresis = BorderWatch.Hysteresis(
            cushion: entry.hysteresis.cushion, dwell: (entry.hysteresis.dwell ?? settings.dwell).seconds,
            hasOwnDwell: entry.hysteresis.dwell != nil,
            deepest: deepest)
        func crossing(
            _ state: RegionState, from previous: RegionState, _ place: BorderWatch.Place, interpolated: Bool
        ) -> RegionCrossing {
            RegionCrossing(
                handle: entry.handle, state: state, previous: previous, date: place.date, isInterpolated: interpolated,
                coordinate: place.coordinate)
        }
        let before = entry.state
        switch entry.watch.step(entry.shape, before, hysteresis, evidence, settings) {
        case .none: return []
        case .settled(let side):
            entry.state = side
            let here = BorderWatch.Place(date: evidence.date, coordinate: evidence.fix)
            return [crossing(side, from: before, here, interpolated: false)]
        case .passed(let entrance, let exit):
            return [
                crossing(.inside, from: .outside, entrance, interpolated: true),
                crossing(.outside, from: .inside, exit, interpolated: true),
            ]
        }
    }
}

extension [RegionCrossing] {
    /// By slot; of one slot the order stays.
    func sorted() -> [RegionCrossing] {
        enumerated().sorted { ($0.element.handle.index, $0.offset) < ($1.element.handle.index, $1.offset) }
            .map(\.element)
    }
}
