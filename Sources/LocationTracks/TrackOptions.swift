// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel

/// What the command line of `locationd-track` asks for.
struct TrackOptions {
    var track: Track
    /// The date of the first point is the moment at which it is written.
    var startsNow = false
    var writesJSON = false
    /// Listen on this port of 127.0.0.1 instead of writing to standard output.
    var servePort: UInt16?
    /// Epochs per due epoch.
    var speed = 1.0

    enum Request {
        case help
        case run(TrackOptions)
    }

    static let usage = """
        usage: locationd-track KIND [--seconds N] [--rate HZ] [--seed N] [--start LAT,LON] [--from RFC3339|now] [--json]
               locationd-track KIND --serve [--port N] [--speed X] [...]
               locationd-track --help

        """

    static let help =
        usage + """

            Writes a made-up journey as a receiver would tell it. KIND is one of walk, drive, parked, tunnel, ferry.

              --seconds N        length of the journey (default 3600; with --serve: until stopped)
              --rate HZ          points per second, above 0 to 1000 (default 1)
              --seed N           another number, another journey (default 1)
              --start LAT,LON    degrees (default 45,-30)
              --from DATE        date of the first point, 2025-03-03T08:00:00Z or "now"
                                 (default 2025-03-03T08:00:00Z; with --serve: now)
              --json             lines as gpsd writes them (TPV, SKY) instead of NMEA sentences
              --serve            listen on 127.0.0.1, say where on standard output, and send every epoch when it is due;
                                 the journey begins with the first connection and goes on whether anybody listens or not
              --port N           port to listen on (default 0: any)
              --speed X          X seconds of the journey per second
              --help             this text

            To feed gpsd:  gpsd -N -S 2947 tcp://127.0.0.1:PORT

            """

    static func parse(_ arguments: [String]) throws(TrackError) -> Request {
        var words = OptionWords(arguments)
        var options = TrackOptions(track: Track(.walk))
        var seconds: Double?
        var from: String?
        var (serves, port): (Bool, UInt16?) = (false, nil)
        while let (option, value) = try words.next() {
            switch option {
            case .help: return .help
            case .json: options.writesJSON = true
            case .serve: serves = true
            case .from: from = value
            case .seconds: seconds = try number(value, "--seconds", "a number of seconds above 0") { $0 > 0 }
            case .rate: options.track.rate = try number(value, "--rate", "above 0 to 1000") { $0 > 0 && $0 <= 1000 }
            case .speed: options.speed = try number(value, "--speed", "above 0 to 1000") { $0 > 0 && $0 <= 1000 }
            case .seed: options.track.seed = try integer(value, "--seed", "a whole number from 0")
            case .port: port = try integer(value, "--port", "0 to 65535")
            case .start: options.track.start = try coordinate(value)
            }
        }
        guard let word = words.rest.first else { throw .usage("cannot run without KIND") }
        guard words.rest.count == 1 else { throw .usage("cannot use \(words.rest[1]): KIND is a single word") }
        guard let kind = TrackKind(rawValue: word) else {
            let kinds = TrackKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("cannot make a journey \"\(word)\": KIND is one of \(kinds)")
        }
        guard serves || (port == nil && options.speed == 1) else {
            throw .usage("cannot use --port or --speed without --serve")
        }
        options.track.kind = kind
        options.track.duration = seconds.map(TimeSpan.seconds) ?? (serves ? .unlimited : .seconds(3600))
        options.servePort = serves ? port ?? 0 : nil
        try options.setStart(from ?? (serves ? "now" : nil))
        return .run(options)
    }

    /// Appends `point` in the form asked for.
    func append(_ point: TrackPoint, to bytes: inout [UInt8]) {
        if writesJSON {
            GPSDJSONWriter().append(point, to: &bytes)
        } else {
            NMEAWriter().append(point, to: &bytes)
        }
    }

    private mutating func setStart(_ from: String?) throws(TrackError) {
        guard let from else { return }
        guard from != "now" else { return startsNow = true }
        guard let date = WallTime(rfc3339: from) else {
            throw .usage("cannot read --from \(from): a date like 2025-03-03T08:00:00Z, or now")
        }
        track.from = date
    }

    private static func number(
        _ text: String, _ option: String, _ allowed: String, where isAllowed: (Double) -> Bool
    ) throws(TrackError) -> Double {
        guard let value = Double(text), value.isFinite, isAllowed(value) else {
            throw .usage("cannot use \(option) \(text): \(allowed)")
        }
        return value
    }

    private static func integer<Value: FixedWidthInteger>(
        _ text: String, _ option: String, _ allowed: String
    ) throws(TrackError) -> Value {
        guard let value = Value(text) else { throw .usage("cannot use \(option) \(text): \(allowed)") }
        return value
    }

    private static func coordinate(_ text: String) throws(TrackError) -> Coordinate {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
            case let coordinate = Coordinate(latitude: latitude, longitude: longitude), coordinate.isValid
        else { throw .usage("cannot use --start \(text): LAT,LON in degrees, like 45.5,-30") }
        return coordinate
    }
}

/// The words of a command line, sorted by getopt_long.
private struct OptionWords {
    enum Option: Int32, CaseIterable {
        case help = 256
        case seconds, rate, seed, start, from, json, serve, port, speed

        var takesArgument: Bool {
            switch self {
            case .help, .json, .serve: false
            case .seconds, .rate, .seed, .start, .from, .port, .speed: true
            }
        }
    }

    /// The words that are not options.
    private(set) var rest: [String] = []
    private let arguments: [String]
    private var index: Int32 = 1

    init(_ arguments: [String]) { self.arguments = arguments.isEmpty ? ["locationd-track"] : arguments }

    // The next option and its argument, empty if it takes none; nil at the end.
    mutating func next() throws(TrackError) -> (Option, String)? {
        while true {
            let result = parseOne()
            // The plus in the option string stops at each word that is no option; it is taken out here.
            guard result.value == -1 else {
                index = result.nextIndex
                if result.value == 0x3F { throw .usage("cannot understand \(result.offending)") }
                if result.value == 0x3A { throw .usage("cannot use \(result.offending) without a value") }
                guard let option = Option(rawValue: result.value) else {
                    throw .usage("cannot understand \(result.offending)")
                }
                return (option, result.argument)
            }
            index = result.nextIndex
            guard index < arguments.count else { return nil }
            let isAfterDashes = index > 1 && arguments[Int(index) - 1] == "--"
            guard !isAfterDashes else {
                rest += arguments[Int(index)...]
                index = Int32(arguments.count)
                return nil
            }
            rest.append(arguments[Int(index)])
            index += 1
        }
    }

    private func parseOne() -> (value: Int32, argument: String, offending: String, nextIndex: Int32) {
        guard index < arguments.count else { return (-1, "", "", index) }
        let storage = arguments.map { strdup($0) }
        defer { storage.forEach { free($0) } }
        return Option.allCases.withOptionTable { table in
            (storage + [nil]).withUnsafeBufferPointer { argv in
                let result = clinux_next_option(
                    Int32(arguments.count), argv.baseAddress, "+:", table.baseAddress, table.count, index)
                return (
                    result.value, result.argument.map { String(cString: $0) } ?? "",
                    result.offending.map { String(cString: $0) } ?? "", result.next_index
                )
            }
        }
    }
}

extension [OptionWords.Option] {
    // The C table, whose names live as long as `body` runs.
    fileprivate func withOptionTable<Result>(
        _ body: (UnsafeBufferPointer<clinux_option>) -> Result
    ) -> Result {
        let names = map { strdup("\($0)") }
        defer { names.forEach { free($0) } }
        let table = zip(self, names).map { option, name in
            clinux_option(name: name, takes_argument: option.takesArgument, value: option.rawValue)
        }
        return table.withUnsafeBufferPointer(body)
    }
}
