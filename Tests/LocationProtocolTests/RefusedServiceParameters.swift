// SPDX-License-Identifier: Apache-2.0

/// As `refusedParameters`, of consent, regions, visits, monitors, live updates, sessions and administration.
let refusedServiceParameters: [(method: String, params: String, member: String, says: String)] =
    refusedNames + refusedBeacons + refusedSightings + refusedNumbers + refusedRegions + refusedConditions + refusedApps
    + refusedDecisions
    + refusedHistory + refusedPlaces

private let refusedNames: [(method: String, params: String, member: String, says: String)] = [
    ("requestTemporaryFullAccuracyAuthorization", "purposeKey"), ("stopMonitoring", "identifier"),
    ("requestState", "identifier"), ("openMonitor", "name"),
].flatMap { method, member in
    [
        (method, "{}", member, "given nothing, allowed is a string of 1 to 128 bytes without control characters"),
        (method, #"{"\#(member)":null}"#, member, "given null"),
        (method, #"{"\#(member)":1}"#, member, "given 1"),
        (method, #"{"\#(member)":""}"#, member, "given \"\""),
        (method, #"{"\#(member)":"a\u0007"}"#, member, "1 to 128 bytes"),
        (method, #"{"\#(member)":"\#(String(repeating: "é", count: 65))"}"#, member, "1 to 128 bytes"),
        (method, #"{"\#(member)":"a","more":1}"#, "\"more\"", "only \(member)"),
    ]
}

private let refusedBeacons: [(method: String, params: String, member: String, says: String)] = [
    "startRangingBeacons", "stopRangingBeacons",
].flatMap { method in
    [
        (method, "{}", "uuid", "given nothing, allowed is a UUID: 8-4-4-4-12 hexadecimal digits"),
        (method, #"{"uuid":"\#(beacons.dropLast())"}"#, "uuid", "allowed is a UUID"),
        (method, #"{"uuid":"\#(beacons.dropLast())G"}"#, "uuid", "allowed is a UUID"),
        (
            method, #"{"uuid":"\#(beacons)","major":65536}"#, "major",
            "given 65536, allowed is a whole number, 0 to 65535"
        ),
        (method, #"{"uuid":"\#(beacons)","major":-1}"#, "major", "given -1"),
        (method, #"{"uuid":"\#(beacons)","major":1,"minor":1.5}"#, "minor", "given 1.5"),
        (method, #"{"uuid":"\#(beacons)","minor":1}"#, "minor", "only beside a major"),
    ]
}

private let refusedNumbers: [(method: String, params: String, member: String, says: String)] = [
    ("stopLiveUpdates", "updates", ""), ("closeMonitor", "monitor", ""),
    ("removeCondition", "monitor", #","identifier":"a""#), ("monitorRecord", "monitor", #","identifier":"a""#),
    ("addCondition", "monitor", #","identifier":"a""#), ("invalidateBackgroundActivitySession", "session", ""),
    ("invalidateServiceSession", "session", ""), ("acknowledge", "event", ""),
    ("answerRequest", "request", #","answer":"once""#),
].flatMap { method, member, rest in
    [
        (method, "{}", member, "given nothing, allowed is a number, 1 to 9007199254740991"),
        (method, #"{"\#(member)":0\#(rest)}"#, member, "given 0"),
        (method, #"{"\#(member)":-1\#(rest)}"#, member, "given -1"),
        (method, #"{"\#(member)":1.5\#(rest)}"#, member, "given 1.5"),
        (method, #"{"\#(member)":9007199254740992\#(rest)}"#, member, "given 9007199254740992"),
        (method, #"{"\#(member)":"1"\#(rest)}"#, member, "given \"1\""),
        (method, #"{"\#(member)":null\#(rest)}"#, member, "given null"),
    ]
}

private func region(_ members: String) -> String { #"{"region":{"identifier":"a",\#(members)}}"# }
private let center = #""center":{"latitude":1,"longitude":2}"#

private let refusedRegions: [(method: String, params: String, member: String, says: String)] = [
    ("{}", "region", "given nothing, allowed is an object"),
    (#"{"region":"home"}"#, "region", "given \"home\", allowed is an object"),
    (#"{"region":{}}"#, "region.identifier", "given nothing"),
    (#"{"region":{"identifier":"\#(String(repeating: "a", count: 129))"}}"#, "region.identifier", "1 to 128 bytes"),
    (#"{"region":{"identifier":"a"}}"#, "region.center", "given nothing, allowed is an object with latitude"),
    (region(#""centre":1"#), "\"region.centre\"", "only identifier, center, radius, vertices"),
    (region(#""center":[1,2],"radius":1"#), "region.center", "given an array, allowed is an object"),
    (region(#""center":{"latitude":1},"radius":1"#), "region.center.longitude", "given nothing"),
    (region(#""center":{"latitude":90.001,"longitude":0},"radius":1"#), "region.center.latitude", "-90 to 90"),
    (region(#""center":{"latitude":0,"longitude":-181},"radius":1"#), "region.center.longitude", "-180 to 180"),
    (region(#""center":{"latitude":0,"longitude":0,"altitude":1}"#), "\"region.center.altitude\"", "only latitude"),
    (region(center), "region.radius", "given nothing, allowed is a number of metres, more than 0"),
    (region(center + #","radius":0"#), "region.radius", "given 0"),
    (region(center + #","radius":-5"#), "region.radius", "given -5"),
    (region(center + #","radius":null"#), "region.radius", "given null"),
    (region(center + #","radius":5,"vertices":[]"#), "region.center", "either center and radius, or vertices, or uuid"),
    (region(#""radius":5,"vertices":[]"#), "region.radius", "beside vertices"),
    (region(#""vertices":[]"#), "region.vertices", "3 to 1000"),
    (region(#""uuid":"E2C56DB5""#), "region.uuid", "allowed is a UUID"),
    (region(#""uuid":"\#(beacons)","minor":1"#), "region.minor", "only beside a major"),
    (region(#""uuid":"\#(beacons)","major":65536"#), "region.major", "0 to 65535"),
    (region(#""uuid":"\#(beacons)","dwell":5"#), "region.dwell", "it beside uuid"),
    (region(center + #","radius":5,"uuid":"\#(beacons)""#), "region.center", "it beside uuid"),
    (region(center + #","radius":5,"major":1"#), "region.major", "it without uuid"),
    (region(#""vertices":[[0,0],[0,1]]"#), "region.vertices", "it has 2 vertices, 3 to 1000"),
    (region(#""vertices":[[0,0],[0,1],[1]]"#), "region.vertices", "given 1 numbers as the vertex 2"),
    (region(#""vertices":[[0,0],[0,1],[1,1,1]]"#), "region.vertices", "given 3 numbers as the vertex 2"),
    (region(#""vertices":[[0,0],[0,1],[91,0]]"#), "region.vertices", "as the vertex 2, allowed is latitudes of -90"),
    (region(#""vertices":[[0,0],[0,1],["0",0]]"#), "region.vertices", "given an array"),
    (region(#""vertices":{"a":1}"#), "region.vertices", "given an object"),
    (
        region(#""vertices":["# + (0...1000).map { "[\(Double($0) / 1000),1]" }.joined(separator: ",") + "]"),
        "region.vertices", "it has 1001 vertices, 3 to 1000"
    ),
    (region(center + #","radius":5,"notifyOnEntry":1"#), "region.notifyOnEntry", "true or false"),
    (region(center + #","radius":5,"notifyOnExit":"no""#), "region.notifyOnExit", "true or false"),
    (
        region(center + #","radius":5,"cushion":-1"#), "region.cushion",
        "given -1, allowed is a number of metres, 0 to 100000"
    ),
    (region(center + #","radius":5,"cushion":100001"#), "region.cushion", "given 100001"),
    (region(center + #","radius":5,"dwell":86401"#), "region.dwell", "allowed is a number of seconds, 0 to 86400"),
    (region(center + #","radius":5,"dwell":null"#), "region.dwell", "given null"),
    (region(center + #","radius":5,"notice":{}"#), "region.notice.title", "given nothing"),
    (region(center + #","radius":5,"notice":{"title":"\u2800"}"#), "region.notice.title", "visible"),
    (region(center + #","radius":5,"notice":{"title":"a","text":7}"#), "region.notice.text", "given 7"),
    (region(center + #","radius":5,"notice":{"title":"a","on":"never"}"#), "region.notice.on", "entry, exit, both"),
    (region(center + #","radius":5,"notice":{"title":"a","repeats":1}"#), "region.notice.repeats", "true or false"),
].map { ("startMonitoring", $0, $1, $2) }

private func condition(_ members: String) -> String { #"{"monitor":1,"identifier":"a","condition":{\#(members)}}"# }

private let refusedConditions: [(method: String, params: String, member: String, says: String)] = [
    ("addCondition", #"{"monitor":1}"#, "identifier", "given nothing"),
    ("removeCondition", #"{"monitor":1,"identifier":""}"#, "identifier", "1 to 128 bytes"),
    ("monitorRecord", #"{"monitor":1}"#, "identifier", "given nothing"),
    ("addCondition", #"{"monitor":1,"identifier":"a"}"#, "condition", "given nothing"),
    ("addCondition", condition(""), "condition.type", "given nothing, allowed is one of circle, polygon"),
    ("addCondition", condition(#""type":"square""#), "condition.type", "given \"square\""),
    ("addCondition", condition(#""type":"beacon""#), "condition.uuid", "given nothing, allowed is a UUID"),
    ("addCondition", condition(#""type":"beacon","radius":1"#), "condition.radius", "beside the type beacon"),
    ("addCondition", condition(#""type":"circle","uuid":"a""#), "condition.uuid", "beside the type circle"),
    (
        "addCondition", condition(#""type":"beacon","uuid":"\#(beacons)","minor":1"#), "condition.minor",
        "only beside a major"
    ),
    ("addCondition", condition(#""type":"circle","vertices":[]"#), "condition.vertices", "beside the type circle"),
    ("addCondition", condition(#""type":"polygon","radius":1"#), "condition.radius", "beside the type polygon"),
    ("addCondition", condition(#""type":"polygon",\#(center)"#), "condition.center", "beside the type polygon"),
    ("addCondition", condition(#""type":"polygon""#), "condition.vertices", "given nothing"),
    ("addCondition", condition(#""type":"circle",\#(center)"#), "condition.radius", "given nothing"),
    ("addCondition", condition(#""type":"circle","identifier":"b""#), "\"condition.identifier\"", "only type, center"),
    (
        "addCondition",
        #"{"monitor":1,"identifier":"a","condition":\#(circleShapeJSON),"assuming":"unmonitored"}"#, "assuming",
        "given \"unmonitored\", allowed is one of unknown, satisfied, unsatisfied"
    ),
    (
        "addCondition", #"{"monitor":1,"identifier":"a","condition":\#(circleShapeJSON),"assuming":1}"#, "assuming",
        "given 1"
    ),
    ("startLiveUpdates", #"{"configuration":"other"}"#, "configuration", "one of default, automotiveNavigation"),
    ("startLiveUpdates", #"{"configuration":0}"#, "configuration", "given 0"),
    ("startServiceSession", "{}", "requirement", "given nothing, allowed is one of none, whenInUse, always"),
    ("startServiceSession", #"{"requirement":2}"#, "requirement", "given 2"),
    (
        "startServiceSession", #"{"requirement":"none","fullAccuracyPurposeKey":""}"#, "fullAccuracyPurposeKey",
        "1 to 128 bytes"
    ),
]

private let refusedApps: [(method: String, params: String, member: String, says: String)] =
    ["authorize", "resetAuthorization", "forgetApp", "events"].flatMap { method in
        [
            (method, "{}", "app", "given nothing, allowed is the name that apps tells"),
            (method, #"{"app":""}"#, "app", "1 to 256 bytes"),
            (method, #"{"app":"a\n"}"#, "app", "without control characters"),
            (method, #"{"app":"\#(String(repeating: "a", count: 257))"}"#, "app", "given a string of 257 bytes"),
        ]
    }

private let refusedDecisions: [(method: String, params: String, member: String, says: String)] = [
    (
        "authorize", #"{"app":"a"}"#, "authorizationStatus",
        "given neither, allowed is authorizationStatus, accuracy"
    ),
    ("authorize", #"{"app":"a","authorizationStatus":"always"}"#, "authorizationStatus", "one of notDetermined"),
    ("authorize", #"{"app":"a","authorizationStatus":3}"#, "authorizationStatus", "given 3"),
    ("authorize", #"{"app":"a","accuracyAuthorization":null}"#, "accuracyAuthorization", "one of full, reduced"),
    ("authorize", #"{"app":"a","authorizationStatus":"authorizedAlways","once":true}"#, "once", "given true"),
    ("authorize", #"{"app":"a","accuracyAuthorization":"full","once":true}"#, "once", "only with"),
    ("authorize", #"{"app":"a","authorizationStatus":"denied","once":1}"#, "once", "given 1"),
    (
        "answerRequest", #"{"request":1}"#, "answer",
        "given nothing, allowed is one of always, whileUsing, once, deny"
    ),
    ("answerRequest", #"{"request":1,"answer":"yes"}"#, "answer", "given \"yes\""),
    ("acknowledgeNotice", #"{"event":1}"#, "identity", "given nothing"),
    ("acknowledgeNotice", #"{"identity":"a","label":"","event":1}"#, "label", "1 to 128 bytes"),
    ("acknowledgeNotice", #"{"identity":"a"}"#, "event", "given nothing"),
    ("setLocationServicesEnabled", "{}", "enabled", "given nothing, allowed is true or false"),
    ("setLocationServicesEnabled", #"{"enabled":"on"}"#, "enabled", "given \"on\""),
    ("closeConnection", "{}", "connection", "given nothing"),
    ("closeConnection", #"{"connection":0}"#, "connection", "given 0"),
    ("apps", #"{"uid":0}"#, "\"uid\"", "no members"),
]

private let refusedHistory: [(method: String, params: String, member: String, says: String)] =
    ["history", "historyEvents"].flatMap { method in
        [
            (method, #"{"after":-1}"#, "after", "given -1, allowed is a sequence number, 0 to 9007199254740991"),
            (method, #"{"limit":0}"#, "limit", "given 0, allowed is a whole number, 1 to 1000"),
            (method, #"{"limit":1.5}"#, "limit", "given 1.5, allowed is a whole number, 1 to 1000"),
            (method, #"{"limit":1001}"#, "limit", "given 1001, allowed is a whole number, 1 to 1000"),
        ]
    }
    + ["history", "historyEvents", "ledger", "forgetHistory"].flatMap { method in
        ["from", "to"].map { member in
            (method, #"{"\#(member)":"yesterday"}"#, member, "allowed is a time such as 2026-11-21T18:30:00.000Z")
        }
    } + [
        ("history", #"{"log":1}"#, "log", "given 1, allowed is true or false"),
        ("historyEvents", #"{"app":""}"#, "app", "given \"\", allowed is the name that apps tells"),
    ]

private func offer(_ members: String) -> String {
    #"{"latitude":1,"longitude":2,"horizontalAccuracy":30,"kind":"wifi","lifetime":60,\#(members)}"#
}

private func report(_ sightings: String) -> String { #"{"sightings":[\#(sightings)]}"# }

private let sighting = #"{"uuid":"\#(beacons)","major":1,"minor":2,"measuredPower":-59}"#

private let refusedSightings: [(method: String, params: String, member: String, says: String)] = [
    ("reportBeacons", "{}", "sightings", "given nothing, allowed is an array of at most 100"),
    ("reportBeacons", #"{"sightings":7}"#, "sightings", "given 7"),
    (
        "reportBeacons", report(Array(repeating: sighting, count: 101).joined(separator: ",")), "sightings",
        "given an array of 101, allowed is an array of at most 100"
    ),
    ("reportBeacons", report("\(sighting),5"), "sightings[1]", "allowed is an object"),
    (
        "reportBeacons", report(#"{"uuid":"\#(beacons)","minor":2,"measuredPower":-59}"#), "sightings[0].major",
        "given nothing, allowed is a whole number, 0 to 65535"
    ),
    (
        "reportBeacons", report(sighting.dropLast() + #","rssi":21}"#), "sightings[0].rssi",
        "given 21, allowed is a whole number, -127 to 20"
    ),
    (
        "reportBeacons", report(sighting.dropLast() + #","age":10.5}"#), "sightings[0].age",
        "given 10.5, allowed is a number of seconds, 0 to 10"
    ),
    ("reportBeacons", report(#"{"uuid":"1","major":1,"minor":2,"measuredPower":-59}"#), "sightings[0].uuid", "a UUID"),
    ("withdrawBeacons", #"{"reason":"a\u0007"}"#, "reason", "without control"),
]

private let refusedPlaces: [(method: String, params: String, member: String, says: String)] =
    ["offerLocation", "setPlace"].flatMap { method in
        [
            (method, "{}", "latitude", "given nothing, allowed is a number of degrees, -90 to 90"),
            (method, #"{"latitude":90.1,"longitude":0}"#, "latitude", "given 90.1"),
            (method, #"{"latitude":1,"longitude":"east"}"#, "longitude", "given \"east\""),
            (method, #"{"latitude":1,"longitude":2,"horizontalAccuracy":0}"#, "horizontalAccuracy", "given 0"),
            (
                method, #"{"latitude":1,"longitude":2,"horizontalAccuracy":2e7,"altitude":1e6}"#, "altitude",
                "given 1000000"
            ),
        ]
    } + [
        (
            "offerLocation", #"{"latitude":1,"longitude":2,"horizontalAccuracy":30,"kind":"manual"}"#, "kind",
            "one of wifi, cell, network, accessory, other"
        ),
        (
            "offerLocation", #"{"latitude":1,"longitude":2,"horizontalAccuracy":30,"kind":"wifi","lifetime":0.5}"#,
            "lifetime", "given 0.5, allowed is a number of seconds, 1 to 86400"
        ),
        ("offerLocation", offer(#""verticalAccuracy":-1"#), "verticalAccuracy", "given -1"),
        ("offerLocation", offer(#""altitude":5"#), "verticalAccuracy", "allowed is altitude and verticalAccuracy"),
    ]
