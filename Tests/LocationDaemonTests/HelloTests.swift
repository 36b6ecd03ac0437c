// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Hello", .blocking)
struct HelloTests {
    @Test("tells the protocol, the version, who the client is, a token and the authorization")
    func result() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let result = try client.call("hello", #"{"protocol":1,"app":"Röver","events":true,"presence":"foreground"}"#)
        #expect(result["protocol"]?.int == 1)
        #expect(result["version"]?.string?.isEmpty == false)
        #expect(result["app"]?.string == "Röver")
        #expect(result["identity"]?.string?.contains("uid:") == true)
        let token = result["manager"]?.string ?? ""
        #expect(token.count == 32 && token.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(result["rejoined"]?.bool == false)
        #expect(result["authorizationStatus"]?.string == "authorizedAlways")
        #expect(result["accuracyAuthorization"]?.string == "full")
        #expect(result["capabilities"]?["deferredLocationUpdates"]?.bool == true)
        #expect(result["eventsDropped"]?.int == 0)
        try client.wait(for: "authorization authorizedAlways full initial")
        #expect(client.trace() == ["-> hello", "authorization authorizedAlways full initial"])
    }

    @Test("gives every connection another token")
    func tokens() throws {
        let daemon = try DaemonFixture()
        var tokens: Set<String> = []
        for _ in 0..<20 { tokens.insert(try daemon.connectWithToken().token) }
        #expect(tokens.count == 20)
    }

    @Test("with not determined authorization, accuracy is null")
    func undetermined() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=notDetermined\n")
        let client = try daemon.connect()
        let result = try client.call("hello", #"{"protocol":1}"#)
        #expect(result["authorizationStatus"]?.string == "notDetermined")
        #expect(result["accuracyAuthorization"] == .null)
        try client.wait(for: "authorization notDetermined null initial")
    }

    @Test("refuses names that are empty, long or hold control characters", arguments: ["", "\\u0000", "a\\nb"])
    func names(name: String) throws {
        let daemon = try DaemonFixture()
        let refusal = try daemon.connect().refusal("hello", #"{"protocol":1,"app":"\#(name)"}"#)
        #expect(refusal.code == -32602)
        #expect(refusal.message.contains("app"))
    }

    @Test("takes 32 labels of one identity and refuses the next")
    func labels() throws {
        let daemon = try DaemonFixture()
        for number in 1...32 {
            #expect(try daemon.connectWithToken(#","app":"app \#(number)""#).token.count == 32)
        }
        let refusal = try daemon.connect().refusal("hello", #"{"protocol":1,"app":"one more"}"#)
        #expect(refusal.code == -32004)
        #expect(refusal.name == "limitExceeded")
        _ = try daemon.connectWithToken(#","app":"app 7""#)
    }
}

@Suite("The first authorization notice", .blocking)
struct InitialAuthorizationTests {
    private static let notice = "authorization authorizedAlways full initial"

    @Test(
        "comes once, right after the reply to the first hello, start or request",
        arguments: [
            "hello", "startUpdatingLocation", "requestLocation", "startMonitoringSignificantLocationChanges",
        ])
    func first(method: String) throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("location")
        try client.call("getProperties")
        try client.call("setPresence", #"{"presence":"foreground"}"#)
        try client.call("status")
        try client.call("stopUpdatingLocation")
        try client.call("disallowDeferredLocationUpdates")
        #expect(client.notifications.isEmpty)
        client.close()

        let asking = try daemon.connect()
        try asking.call(method, method == "hello" ? #"{"protocol":1}"# : nil)
        try asking.settle()
        #expect(asking.trace().first?.hasPrefix("-> \(method)") == true)
        #expect(asking.notifications.count == 1)
        for again in ["startUpdatingLocation", "requestLocation", "startMonitoringSignificantLocationChanges"] {
            try asking.call(again)
        }
        try asking.settle()
        let notices = asking.transcript.filter { $0.hasPrefix("authorization") }
        #expect(notices == [InitialAuthorizationTests.notice])
        #expect(asking.transcript.firstIndex(of: InitialAuthorizationTests.notice) == 1)
    }

    @Test("comes before the location that the same request causes")
    func beforeLocations() throws {
        let daemon = try DaemonFixture()
        let first = try daemon.startUpdating()
        try daemon.fix()
        try first.waitForStandard(1)
        let client = try daemon.connect()
        try client.call("startUpdatingLocation")
        try client.settle()
        #expect(
            client.trace() == [
                "-> startUpdatingLocation running", InitialAuthorizationTests.notice, "standard 1 cached",
            ])
    }

    @Test("comes with a denied start too, before the error")
    func denied() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=denied\n")
        let client = try daemon.connect()
        for (method, failure) in [
            ("startUpdatingLocation", "fail 1 standard"), ("requestLocation", "fail 1 request request=1"),
            ("startMonitoringSignificantLocationChanges", "fail 1 significantChange"),
        ] {
            try client.call(method)
            try client.settle()
            var expected = ["-> \(method) denied", failure]
            if method == "startUpdatingLocation" { expected.insert("authorization denied full initial", at: 1) }
            #expect(client.trace() == expected)
        }
        #expect(!daemon.isWatching)
    }

    @Test("seq counts notifications from 1 on each connection, replies not")
    func sequence() throws {
        let daemon = try DaemonFixture()
        let one = try daemon.startUpdating()
        let other = try daemon.startUpdating()
        for count in 1...20 {
            try daemon.fix()
            try one.call("location")
            try other.waitForStandard(count)
            try one.waitForStandard(count)
        }
        // The client checks each number.
        #expect(one.notifications.count == 21)
        #expect(other.notifications.last?["params"]?["seq"]?.int == 21)
    }
}
