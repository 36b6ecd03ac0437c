// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("All small cases")
struct SmallCaseTests {
    /// How many fixes come before each request.
    private static let rhythms = [[1, 1, 1, 1], [0, 0, 0, 0], [2, 0, 3, 0], [1, 3, 0, 1]]

    @Test(
        "every sequence of up to four requests, between fixes, is answered as the naive model answers it",
        arguments: NaiveManager.Step.allCases)
    func everySequence(first: NaiveManager.Step) {
        var count = 0
        var frontier = [[first]]
        for _ in 0..<4 {
            for steps in frontier {
                for rhythm in Self.rhythms {
                    count += 1
                    guard Self.agrees(steps, rhythm) else { return }
                }
            }
            frontier = frontier.flatMap { steps in NaiveManager.Step.allCases.map { steps + [$0] } }
        }
        #expect(count == (1 + 8 + 64 + 512) * Self.rhythms.count)
    }

    private static func agrees(_ steps: [NaiveManager.Step], _ rhythm: [Int]) -> Bool {
        var bench = EngineBench()
        let client = bench.open()
        bench.wakeMoment = steps.count.isMultiple(of: 2) ? .earliest : .latest
        var model = NaiveManager()
        var second = 0.0
        func move() {
            second += 1
            bench.advance(by: 1)
            bench.fix(at: second * 10)
            model.fix(at: second * 10, time: second)
        }
        for (step, fixes) in zip(steps, rhythm) {
            for _ in 0..<fixes { move() }
            bench.ask(client, step.request)
            model.ask(step, time: second)
        }
        for _ in 0..<4 { move() }
        let said = bench.lines(client)
        #expect(said == model.said, "\(steps) \(rhythm)")
        #expect(bench.violations == [], "\(steps) \(rhythm)")
        return said == model.said && bench.violations.isEmpty
    }
}

extension NaiveManager.Step {
    fileprivate var request: Request {
        switch self {
        case .start: .start
        case .stop: .stop
        case .allowDistance: .allow(metres: NaiveManager.distance)
        case .allowTime: .allow(seconds: NaiveManager.timeout)
        case .disallow: .disallow
        case .setFilter: .properties(filter: NaiveManager.filter)
        case .foreground: .foreground
        case .background: .background
        }
    }
}
