// SPDX-License-Identifier: Apache-2.0

/// Parameters that are refused: method, params, the member that is named, what else is said.
let refusedParameters: [(method: String, params: String, member: String, says: String)] = [
    ("hello", "{}", "protocol", "given nothing, allowed is 1"),
    ("hello", #"{"protocol":2}"#, "protocol", "given 2, allowed is 1"),
    ("hello", #"{"protocol":"1"}"#, "protocol", "given \"1\""),
    ("hello", #"{"protocol":1,"app":""}"#, "app", "1 to 128 bytes"),
    ("hello", #"{"protocol":1,"app":"a\nb"}"#, "app", "without control or"),
    ("hello", #"{"protocol":1,"app":"a\u202Eb"}"#, "app", "bidirectional"),
    ("hello", #"{"protocol":1,"app":"a\u2066b"}"#, "app", "bidirectional"),
    ("hello", #"{"protocol":1,"app":7}"#, "app", "given 7"),
    ("hello", #"{"protocol":1,"app":null}"#, "app", "given null"),
    ("hello", #"{"protocol":1,"app":"\#(String(repeating: "a", count: 129))"}"#, "app", "1 to 128 bytes"),
    (
        "hello", #"{"protocol":1,"presence":"asleep"}"#, "presence",
        "given \"asleep\", allowed is one of background, foreground"
    ),
    ("hello", #"{"protocol":1,"events":1}"#, "events", "given 1, allowed is true or false"),
    ("hello", #"{"protocol":1,"manager":"0123"}"#, "manager", "32 lowercase hexadecimal digits"),
    ("hello", #"{"protocol":1,"manager":"0123456789ABCDEF0123456789ABCDEF"}"#, "manager", "32 lowercase"),
    ("hello", #"{"protocol":1,"usageDescriptions":[]}"#, "usageDescriptions", "given an array, allowed is an object"),
    ("hello", #"{"protocol":1,"usageDescriptions":null}"#, "usageDescriptions", "given null"),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"never":"x"}}"#, "\"usageDescriptions.never\"",
        "only whenInUse, always"
    ),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"always":"a\u202Eb"}}"#, "usageDescriptions.always",
        "bidirectional"
    ),
    ("hello", #"{"protocol":1,"usageDescriptions":{"whenInUse":"\u0007"}}"#, "usageDescriptions.whenInUse", "control"),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"always":"\#(String(repeating: "a", count: 257))"}}"#,
        "usageDescriptions.always", "given a string of 257 bytes, allowed is a string of at most 256"
    ),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"temporaryFullAccuracy":{"k":1}}}"#,
        "usageDescriptions.temporaryFullAccuracy.k", "given 1"
    ),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"temporaryFullAccuracy":{"":"x"}}}"#,
        "usageDescriptions.temporaryFullAccuracy", "keys of 1 to 128 bytes"
    ),
    ("hello", #"{"protocol":1,"zeta":1,"alpha":1}"#, "\"alpha\"", "only protocol, app"),
    ("setPresence", "{}", "presence", "given nothing"),
    ("setPresence", #"{"presence":true}"#, "presence", "given true"),
    (
        "setProperties", #"{"distanceFilter":"some"}"#, "distanceFilter",
        "given \"some\", allowed is \"none\" or a number of metres"
    ),
    ("setProperties", #"{"distanceFilter":null}"#, "distanceFilter", "given null"),
    ("setProperties", #"{"distanceFilter":[5]}"#, "distanceFilter", "given an array"),
    ("setProperties", #"{"headingFilter":{}}"#, "headingFilter", "given an object"),
    ("setProperties", #"{"desiredAccuracy":0}"#, "desiredAccuracy", "given 0"),
    ("setProperties", #"{"desiredAccuracy":-3}"#, "desiredAccuracy", "given -3"),
    ("setProperties", #"{"desiredAccuracy":"fine"}"#, "desiredAccuracy", "bestForNavigation, best, nearestTenMeters"),
    ("setProperties", #"{"activityType":0}"#, "activityType", "given 0"),
    ("setProperties", #"{"activityType":6}"#, "activityType", "given 6"),
    ("setProperties", #"{"activityType":1.5}"#, "activityType", "given 1.5"),
    ("setProperties", #"{"activityType":"Fitness"}"#, "activityType", "given \"Fitness\""),
    (
        "setProperties", #"{"pausesLocationUpdatesAutomatically":"yes"}"#, "pausesLocationUpdatesAutomatically",
        "\"yes\""
    ),
    ("setProperties", #"{"allowsBackgroundLocationUpdates":0}"#, "allowsBackgroundLocationUpdates", "given 0"),
    ("setProperties", #"{"desiredAcuracy":"best"}"#, "\"desiredAcuracy\"", "desiredAccuracy"),
    ("startUpdatingLocation", #"{"resumeAfter":-1}"#, "resumeAfter", "given -1, allowed is a sequence number"),
    ("startUpdatingLocation", #"{"resumeAfter":1.5}"#, "resumeAfter", "given 1.5"),
    ("startUpdatingLocation", #"{"resumeAfter":9007199254740992}"#, "resumeAfter", "given 9007199254740992"),
    ("startUpdatingLocation", #"{"resumeAfter":null}"#, "resumeAfter", "given null"),
    (
        "requestLocation", #"{"timeout":0}"#, "timeout",
        "given 0, allowed is a number of seconds, more than 0 and at most 600"
    ),
    ("requestLocation", #"{"timeout":600.5}"#, "timeout", "given 600.5"),
    ("requestLocation", #"{"timeout":-1}"#, "timeout", "given -1"),
    ("requestLocation", #"{"timeout":null}"#, "timeout", "given null"),
    ("requestLocation", #"{"timeout":"10"}"#, "timeout", "given \"10\""),
    (
        "allowDeferredLocationUpdates", #"{"timeout":"long"}"#, "timeout",
        "given \"long\", allowed is a number of seconds"
    ),
    ("allowDeferredLocationUpdates", #"{"untilTraveled":true}"#, "untilTraveled", "given true"),
    ("allowDeferredLocationUpdates", #"{"distance":1}"#, "\"distance\"", "only untilTraveled, timeout"),
    ("status", #"{"scope":"everything"}"#, "scope", "one of self, all"),
    ("status", #"{"scope":null}"#, "scope", "given null"),
    ("location", #"{"cached":true}"#, "\"cached\"", "no members"),
    ("reload", #"{"now":true}"#, "\"now\"", "no members"),
]
