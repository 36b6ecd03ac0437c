// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel

/// A machine, a clock that only moves when told, and what the machine said since it was last asked.
final class ConnectionBench {
    var machine = GPSDConnectionMachine(address: "127.0.0.1:2947", jitterSeed: 1)
    var now = BootInstant(nanoseconds: 0)
    private var commands: [GPSDCommand] = []

    static let epoch = WallTime(year: 2026, month: 11, day: 21)
    static let version = "{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}"
    static let confirmation = "{\"class\":\"WATCH\",\"enable\":true,\"json\":true}"

    var seconds: Double { Double(now.nanoseconds) / 1e9 }
    var hostTime: WallTime { WallTime(milliseconds: Self.epoch.milliseconds + now.nanoseconds / 1_000_000) }

    func start() { machine.started(at: now, into: &commands) }
    func want(_ isWanted: Bool) { machine.demandChanged(isWanted: isWanted, at: now, into: &commands) }
    func connected() { machine.connected(at: now, into: &commands) }
    func refused() { machine.connectFailed(reason: "Connection refused", at: now, into: &commands) }
    func closed() { machine.closed(at: now, into: &commands) }

    func receive(_ lines: String...) {
        for line in lines {
            Array("\(line)\r\n".utf8).withUnsafeBytes {
                machine.received($0, at: now, hostTime: hostTime, into: &commands)
            }
        }
    }

    func tpv(_ path: String = "/dev/a", mode: Int = 3) {
        receive(
            "{\"class\":\"TPV\",\"device\":\"\(path)\",\"mode\":\(mode),\"time\":\"\(hostTime.rfc3339)\",\"lat\":1.0,\"lon\":2.0}"
        )
    }

    func devices(_ paths: String..., ageSeconds: Double? = 0) {
        let list = paths.map { path in
            let time = WallTime(milliseconds: hostTime.milliseconds - Int64((ageSeconds ?? 0) * 1000)).rfc3339
            let activated = ageSeconds == nil ? "" : ",\"activated\":\"\(time)\""
            return "{\"class\":\"DEVICE\",\"path\":\"\(path)\"\(activated)}"
        }
        receive("{\"class\":\"DEVICES\",\"devices\":[\(list.joined(separator: ","))]}")
    }

    /// Lets time pass, waking the machine whenever it wants to be woken.
    func pass(_ span: Double) {
        let end = now + .seconds(span)
        while let wake = machine.nextWake, wake.earliest <= end {
            now = max(now, wake.earliest)
            machine.woke(at: now, into: &commands)
        }
        now = end
    }

    /// The commands since the last call, in words.
    func said() -> [String] {
        defer { commands.removeAll() }
        return commands.map { command in
            switch command {
            case .connect: "connect"
            case .disconnect: "disconnect"
            case .send(let request): "\(request)?"
            case .fix: "fix"
            case .noFix(let satellites): "no fix, \(satellites) heard"
            case .attitude: "attitude"
            case .receiverFound(let id): "found \(id.rawValue)"
            case .receiverLost(let id): "lost \(id.rawValue)"
            case .stateChanged(let state): state.rawValue
            }
        }
    }

    /// A bench whose subscription gpsd has confirmed, and that has heard no receiver.
    static func subscribed() -> ConnectionBench {
        let bench = ConnectionBench()
        bench.start()
        bench.connected()
        bench.want(true)
        bench.receive(version, confirmation)
        _ = bench.said()
        return bench
    }

    /// A bench that watches one receiver with one report a second.
    static func watching() -> ConnectionBench {
        let bench = ConnectionBench()
        bench.want(true)
        bench.connected()
        bench.receive(version)
        bench.devices("/dev/a")
        bench.receive(confirmation)
        for _ in 0..<3 {
            bench.tpv()
            bench.pass(1)
        }
        _ = bench.said()
        return bench
    }
}
