// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc

// A program with one CLLocationManager, for the benchmark, which measures it from outside, and for tests of its main thread:
//
//     CoreLocationProbe follow          writes for each location its date and when the delegate had it
//     CoreLocationProbe count N         writes a line when the delegate has had N locations
//     CoreLocationProbe turn            turns the main thread's run loop, also inside of a callback
//     CoreLocationProbe worker          makes a manager on a thread of Dispatch, which ends, and waits for another location
//     CoreLocationProbe last WAY        asks for something lasting in the last moment and ends in one of many ways
//     CoreLocationProbe churn N...      makes and drops managers, and writes its memory after each N of them
//     CoreLocationProbe thread N...     does so on a thread of its own
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().compactMap { Int($0) }

switch (arguments.first, numbers.first) {
case ("follow", nil):
    run(Follower())
case ("count", let count?):
    run(Counter(count))
case ("turn", nil):
    Turner().run()
case ("worker", nil):
    Worker().run()
case ("last", nil):
    LastMoment.run(arguments.dropFirst().first ?? "")
case ("churn", _?):
    Churn.run(numbers)
case ("thread", _?):
    let numbers = numbers
    Thread.detachNewThread {
        Churn.run(numbers)
        exit(0)
    }
    dispatchMain()
default:
    say("usage: CoreLocationProbe follow|count N|turn|worker|last WAY|churn N...|thread N...")
    exit(64)
}

@MainActor
func run(_ delegate: any CLLocationManagerDelegate) {
    let manager = CLLocationManager()
    manager.delegate = delegate
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.startUpdatingLocation()
    withExtendedLifetime((manager, delegate)) { RunLoop.main.run() }
}
