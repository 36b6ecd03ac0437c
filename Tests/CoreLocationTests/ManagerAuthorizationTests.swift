// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A location manager and what the app may do", .asynchronous)
struct ManagerAuthorizationTests {
    @Test("tells the authorization once when it was made, to the first delegate that it has, and before any location")
    func initialAuthorization() async throws {
        let app = try ManagedApp()
        app.session.connect(.authorizedWhenInUse)
        app.session.tell(
            .didChangeAuthorization(
                AuthorizationChange(
                    authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: .full, isInitial: true)))
        await app.settle()
        let diary = Diary()
        try app.use { $0.delegate = diary }
        app.session.tell(.didUpdateLocations(.at(1)))
        await app.settle()
        // The daemon comes back.
        app.session.connect(.authorizedWhenInUse)
        app.session.tell(
            .didChangeAuthorization(
                AuthorizationChange(
                    authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: .full, isInitial: true)))
        app.session.tell(.didUpdateLocations(.at(2)))
        await app.settle()
        #expect(diary.all == ["authorization 4 0", "locations 1", "locations 2"])
    }

    @Test("tells a change of the authorization, and of the accuracy alone")
    func changes() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect(.notDetermined)
        await app.settle()
        for accuracy in [AccuracyAuthorization.full, .reduced] {
            app.session.tell(
                .didChangeAuthorization(
                    AuthorizationChange(authorizationStatus: .authorizedAlways, accuracyAuthorization: accuracy)))
            await app.settle()
        }
        #expect(diary.all == ["authorization 0 0", "authorization 3 0", "authorization 3 1"])
    }

    @Test("calls the completion of a request for full accuracy once, with what became of it")
    func fullAccuracy() async throws {
        let app = try ManagedApp(Diary())
        let errors = Notes<Int?>()
        for key in ["one", "two"] {
            try app.use {
                $0.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
                    errors.add((error as? CLError)?.code.rawValue)
                }
            }
        }
        app.session.tell(
            .didRequestTemporaryFullAccuracy(purposeKey: "two", error: LocationError(.promptDeclined)),
            .didRequestTemporaryFullAccuracy(purposeKey: "one", error: nil),
            .didRequestTemporaryFullAccuracy(purposeKey: "one", error: nil))
        await app.settle()
        #expect(errors.all == [18, nil])
        #expect(app.session.commands.count == 2)
    }

    @Test("a purpose key that nothing declares is named, with where to put it")
    func missingPurposeKey() async throws {
        let app = try ManagedApp()
        let errors = Notes<String>()
        try app.use {
            $0.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Summit") { error in
                errors.add(error?.localizedDescription ?? "")
            }
        }
        app.session.tell(
            .didRequestTemporaryFullAccuracy(purposeKey: "Summit", error: LocationError(.promptDeclined)))
        await app.settle()
        for text in errors.all + app.log.all {
            #expect(text.contains("NSLocationTemporaryUsageDescriptionDictionary[\"Summit\"]"))
            #expect(text.contains("Info.plist"))
        }
        #expect(errors.all.count == 1 && app.log.all.count == 1)
    }

    @Test("a missing usage description is said on standard error, and denies nothing that nobody has decided")
    func missingUsageDescription() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect(.notDetermined)
        try app.use { $0.requestWhenInUseAuthorization() }
        let refusal = RPCError(.missingUsageDescription, "cannot ask: usageDescriptions.whenInUse is missing")
        app.session.say(.refused(SessionCommand(.requestWhenInUseAuthorization), refusal))
        await app.settle()
        await app.settle()
        #expect(diary.all == ["authorization 0 0"])
        #expect(
            app.log.all.contains { $0.contains("NSLocationWhenInUseUsageDescription") && $0.contains("Info.plist") })
    }

    @Test("a missing usage description denies nothing to an app that is authorized")
    func missingUsageDescriptionOfAuthorized() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect(.authorizedAlways)
        let refusal = RPCError(.missingUsageDescription, "cannot ask: usageDescriptions.whenInUse is missing")
        app.session.say(.refused(SessionCommand(.requestWhenInUseAuthorization), refusal))
        await app.settle()
        await app.settle()
        #expect(diary.all == ["authorization 3 0"])
        #expect(!app.log.all.isEmpty)
    }
}
