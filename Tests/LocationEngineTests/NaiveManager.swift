// SPDX-License-Identifier: Apache-2.0

/// The contract for one authorized manager on a straight road, written down as simply as possible: what a deferral holds lies in an
/// array, places are metres, times are seconds.
struct NaiveManager {
    enum Step: CaseIterable, Sendable {
        case start, stop, allowDistance, allowTime, disallow, setFilter, foreground, background
    }

    static let distance = 25.0
    static let timeout = 2.5
    static let filter = 15.0

    private(set) var said: [String] = []
    private var isStarted = false
    private var isForeground = false
    private var filter = -1.0
    private var knowsAuthorization = false
    private var reference: Double?
    private var held: [Int] = []
    private var deferral: (number: Int, endOfTravel: Double, deadline: Double)?
    private var lastDeferral = 0
    private var travelled = 0.0
    private var newest: (number: Int, place: Double, time: Double)?

    mutating func fix(at place: Double, time: Double) {
        pass(time)
        if let newest { travelled += abs(place - newest.place) }
        let number = (newest?.number ?? 0) + 1
        newest = (number, place, time)
        guard isStarted else { return }
        let isHolding = deferral != nil && !isForeground
        if isHolding { held.append(number) }
        if let deferral, travelled >= deferral.endOfTravel { finish(error: nil) }
        if !isHolding { deliver(number, place) }
    }

    mutating func ask(_ step: Step, time: Double) {
        pass(time)
        switch step {
        case .start: start()
        case .stop:
            finish(error: 15)
            isStarted = false
            said.append("reply")
        case .allowDistance: allow(metres: Self.distance, seconds: .infinity, time: time)
        case .allowTime: allow(metres: .infinity, seconds: Self.timeout, time: time)
        case .disallow:
            finish(error: 15)
            said.append("reply")
        case .setFilter:
            finish(error: 14)
            filter = Self.filter
            said.append("reply")
        case .foreground:
            said.append("reply")
            isForeground = true
            if let deferral { flush(" deferral \(deferral.number) early") }
        case .background:
            said.append("reply")
            isForeground = false
        }
    }

    private mutating func pass(_ time: Double) {
        if let deferral, deferral.deadline <= time { finish(error: nil) }
    }

    private mutating func start() {
        said.append("reply running")
        if !knowsAuthorization { said.append("authorization authorizedAlways full initial") }
        knowsAuthorization = true
        guard !isStarted else { return }
        isStarted = true
        reference = nil
        if let newest { said.append("standard \(newest.number) cached") }
    }

    private mutating func allow(metres: Double, seconds: Double, time: Double) {
        finish(error: 15)
        lastDeferral += 1
        guard let error = unmet(time) else {
            said.append("reply running deferral \(lastDeferral)")
            deferral = (lastDeferral, travelled + metres, time + seconds)
            return
        }
        said += ["reply ignored deferral \(lastDeferral)", "finish \(lastDeferral) error \(error)"]
    }

    private func unmet(_ time: Double) -> Int? {
        if !isStarted { return 12 }
        if filter >= 0 { return 14 }
        guard let newest, time - newest.time <= 10 else { return 11 }
        return nil
    }

    private mutating func finish(error: Int?) {
        guard let ended = deferral else { return }
        deferral = nil
        said.append("finish \(ended.number)" + (error.map { " error \($0)" } ?? ""))
        flush(" deferral \(ended.number)")
    }

    private mutating func flush(_ words: String) {
        guard let first = held.first, let last = held.last else { return }
        said.append("standard \(first)" + (first == last ? "" : "-\(last)") + words)
        held = []
        reference = newest?.place
    }

    private mutating func deliver(_ number: Int, _ place: Double) {
        if filter > 0, let reference, abs(place - reference) < filter { return }
        reference = place
        said.append("standard \(number)")
    }
}
