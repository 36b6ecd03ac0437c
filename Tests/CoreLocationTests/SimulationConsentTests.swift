// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import Testing

@Suite("Consent in a simulation")
struct SimulationConsentTests {
    @Test("A prompt waits for the user, and the app gets locations when it is answered")
    func prompt() async {
        let simulation = CLSimulation()
        let app = await simulation.run { SessionRecorder() }
        app.perform(.requestWhenInUseAuthorization, .startUpdatingLocation(resumeAfter: nil))
        await simulation.settle()
        #expect(simulation.pendingPrompts.map(\.level) == [.whenInUse])
        #expect(simulation.authorizationStatus == .notDetermined)
        #expect(await simulation.feed(east: 0) == false)
        #expect(await simulation.answer(.whileUsing))
        #expect(simulation.authorizationStatus == .authorizedWhenInUse)
        #expect(simulation.pendingPrompts.isEmpty)
        #expect(await simulation.feed(east: 10))
        #expect(app.statuses == [.notDetermined, .authorizedWhenInUse])
        #expect(app.metresEast == [10])
        #expect(await simulation.answer(.deny) == false)
    }

    @Test("Who is denied is told so and gets nothing")
    func denied() async {
        let simulation = CLSimulation(authorization: .denied)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        #expect(app.errors == [.denied])
        #expect(app.metresEast == [])
        await simulation.authorize(.authorizedAlways)
        await simulation.feed(east: 10)
        #expect(app.metresEast == [10])
    }

    @Test("With reduced accuracy the app learns no more than a rough place")
    func reduced() async throws {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse, accuracy: .reducedAccuracy)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        let location = try #require(app.batches.joined().first)
        #expect(location.horizontalAccuracy >= 1000)
        #expect(simulation.accuracyAuthorization == .reducedAccuracy)
    }

    @Test("Full accuracy for a while is asked for, with the app's reason")
    func temporaryFullAccuracy() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse, accuracy: .reducedAccuracy)
        let usage = UsageDescriptions(whenInUse: "maps", temporaryFullAccuracy: ["turns": "to say where to turn"])
        let app = await simulation.run { SessionRecorder(usage: usage) }
        app.perform(.requestTemporaryFullAccuracyAuthorization(purposeKey: "turns"))
        await simulation.settle()
        #expect(simulation.pendingPrompts.map(\.usageDescription) == ["to say where to turn"])
        #expect(simulation.pendingPrompts.map(\.level) == [.temporaryFullAccuracy(purposeKey: "turns")])
        await simulation.answer(.once)
        #expect(simulation.accuracyAuthorization == .fullAccuracy)
        _ = app
    }

    @Test("Why nobody is asked for full accuracy is said, each cause by its own words")
    func noPrompt() async {
        for (simulation, cause) in [
            (CLSimulation(authorization: .authorizedWhenInUse), "may know precise locations already"),
            (CLSimulation(authorization: .denied), "is not authorized for locations at all"),
            (
                CLSimulation(
                    authorization: .authorizedWhenInUse, accuracy: .reducedAccuracy, requiresUsageDescriptions: true),
                "its purpose key is not declared"
            ),
        ] {
            let app = await simulation.run { SessionRecorder() }
            app.perform(.requestTemporaryFullAccuracyAuthorization(purposeKey: "turns"))
            await simulation.settle()
            let messages = app.told.compactMap {
                if case .didRequestTemporaryFullAccuracy(_, let error) = $0 { error?.message } else { nil }
            }
            #expect(messages.count == 1 && messages.first?.contains(cause) == true, "\(messages)")
        }
    }

    @Test("Why a region is not watched is said, each cause by its own words")
    func refusedRegions() async {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let app = await simulation.run { SessionRecorder() }
        for number in 1...21 {
            app.perform(
                .startMonitoring(
                    Region(
                        identifier: "r\(number)",
                        shape: .circle(center: Coordinate(latitude: 47, longitude: 11), radius: number == 1 ? 1e9 : 100)
                    )
                ))
        }
        app.perform(
            .startMonitoring(
                Region(
                    identifier: "more",
                    shape: .circle(center: Coordinate(latitude: 47, longitude: 11), radius: 100))))
        await simulation.settle()
        let messages = app.told.compactMap {
            if case .monitoringDidFail(_, let error) = $0 { error.message } else { nil }
        }
        #expect(messages.count == 2)
        #expect(messages.first?.contains("radius is larger than") == true, "\(messages)")
        #expect(messages.last?.contains("has 20 regions, and may have no more") == true, "\(messages)")
    }

    @Test("A request for one location that ends without one says so, and promises nothing")
    func unansweredRequest() async {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.requestLocation(timeout: 5))
        await simulation.advance(by: 10)
        let messages = app.told.compactMap {
            if case .didFailWithError(let error, _, _) = $0 { error.message } else { nil }
        }
        #expect(messages == ["cannot tell the location: none came within the time of the request"])
    }

    @Test("Services that are switched off for the device deny everything until they are on again")
    func services() async {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        await simulation.feed(east: 0)
        await simulation.setLocationServicesEnabled(false)
        #expect(simulation.authorizationStatus == .denied)
        #expect(await simulation.feed(east: 10) == false)
        await simulation.setLocationServicesEnabled(true)
        #expect(await simulation.feed(east: 20))
        #expect(app.metresEast == [0, 20])
        #expect(app.statuses == [.authorizedAlways, .denied, .authorizedAlways])
    }

    @Test("An app that must say what for and does not is refused its prompt")
    func usage() async {
        let simulation = CLSimulation(requiresUsageDescriptions: true)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.requestWhenInUseAuthorization)
        await simulation.settle()
        #expect(simulation.pendingPrompts.isEmpty)
        let refusals = app.events.compactMap { if case .refused(_, let error) = $0 { error.code } else { nil } }
        #expect(refusals == [.missingUsageDescription])
    }
}
