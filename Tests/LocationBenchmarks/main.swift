// SPDX-License-Identifier: Apache-2.0
import Glibc

// LocationBenchmarks DIRECTORY [engine|regions|power|detection|latency|fanout|memory|client|uplink|history [year]]...: measures the programs built into DIRECTORY.
let arguments = CommandLine.arguments.dropFirst()
guard let programs = arguments.first else {
    print(
        "usage: LocationBenchmarks DIRECTORY [engine|regions|power|detection|latency|fanout|memory|client|uplink|history [year]]..."
    )
    exit(64)
}
if programs == BareRelay.argument { exit(BareRelay.run(Array(arguments.dropFirst()))) }
if programs == BareWriter.argument { exit(BareWriter.run(Array(arguments.dropFirst()))) }
let chosen = Array(arguments.dropFirst())
func isChosen(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }

do {
    if isChosen("engine") { EngineBenchmark.run() }
    if isChosen("regions") { try RegionBenchmark.run() }
    if isChosen("power") { PowerBenchmark.run() }
    if isChosen("detection") { DetectionBenchmark.run(isTuning: chosen.contains("tuning")) }
    if isChosen("latency") { try LatencyBenchmark.run(programs: programs) }
    if isChosen("fanout") { try FanOutBenchmark.run(programs: programs) }
    if isChosen("memory") { try MemoryBenchmark.run(programs: programs) }
    if isChosen("client") { try ClientBenchmark.run(programs: programs) }
    if isChosen("uplink") { try UplinkBenchmark.run(programs: programs) }
    if isChosen("history") { try HistoryBenchmark.run(programs: programs, days: chosen.contains("year") ? 365 : 7) }
} catch {
    print("\(error)")
    exit(1)
}
