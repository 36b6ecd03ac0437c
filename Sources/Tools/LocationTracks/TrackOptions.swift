// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel

/// The command line of `locationd-track`.
struct TrackOptions {
    /// The use of the journey.
    enum Purpose {
        case write
        /// Listen on this port of 127.0.0.1.
        case serve(port: UInt16)
        /// Run a command with a locationd of its own.
        case run([String])
    }

    var journey: Journey
    /// The date of the first point; nil: the moment at which it is written.
    var from: WallTime?
    var duration: TimeSpan
    var writesJSON = false
    var purpose: Purpose
    /// Epochs per due epoch.
    var speed = 1.0
    /// Somebody has to decide what the command may know.
    var asks = false

    enum Request {
        case help
        case run(TrackOptions)
    }

    static let usage = """
        usage: locationd-track SOURCE [--seconds N] [--rate HZ] [--seed N] [--start LAT,LON] [--from RFC3339|now] [--json]
               locationd-track SOURCE --serve [--port N] [--speed X] [...]
               locationd-track SOURCE [--speed X] [--ask] [...] -- COMMAND [ARGUMENT]...
               locationd-track --help

        """

    static let help =
        usage + """

            Writes a journey as a receiver would tell it. SOURCE is a kind of made-up journey (walk, drive, parked, tunnel,
            ferry) or a file in the GPX format, whose name ends with .gpx: its tracks, without any its routes, without those
            its waypoints. Between two places of a file the device moves in a straight line; at its end it rests.

              --seconds N        length of the journey (default 3600, or that of the file; with --serve and COMMAND: until
                                 stopped)
              --rate HZ          points per second, above 0 to 1000 (default 1)
              --seed N           another number, another made-up journey (default 1)
              --start LAT,LON    where a made-up journey starts, degrees (default 45,-30)
              --pace M/S         metres per second along a file that says no times (default 10)
              --from DATE        date of the first point, 2025-03-03T08:00:00Z or "now"
                                 (default 2025-03-03T08:00:00Z, or that of the file; with --serve and COMMAND: now)
              --json             lines as gpsd writes them (TPV, SKY) instead of NMEA sentences
              --serve            listen on 127.0.0.1, say where on standard output, and send every epoch when it is due;
                                 the journey begins with the first connection and goes on whether anybody listens or not
              --port N           with --serve: port to listen on (default 0: any)
              --speed X          with --serve or COMMAND: X seconds of the journey per second, above 0 to 1000, with COMMAND
                                 0.1 to 60 (default 1)
              --help             this text

            To feed gpsd:  gpsd -N -S 2947 tcp://127.0.0.1:PORT

            With COMMAND it starts a gpsd and a locationd for this command alone, which find the device on the journey, sets
            LOCATIOND_SOCKET, and ends with the command and its exit status. The journey begins when the command first asks for
            locations. With --speed the clocks of this locationd run as fast as the journey, so that pauses, visits and time
            limits come in its time; dates of locations are then ahead of the clock.

              --ask              nobody has decided yet what the command may know (default: it may always know)

            """

    static func parse(_ arguments: [String]) throws(TrackError) -> Request {
        var words = OptionWords(arguments)
        var given = GivenOptions()
        while let (option, value) = try words.next() {
            guard option != .help else { return .help }
            try given.set(option, value)
        }
        guard let source = words.rest.first else { throw .usage("cannot run without SOURCE") }
        guard words.rest.count == 1 else { throw .usage("cannot use \(words.rest[1]): SOURCE is a single word") }
        return .run(try TrackOptions(source, given, words.command))
    }

    private init(_ source: String, _ given: GivenOptions, _ command: [String]?) throws(TrackError) {
        purpose = try given.purpose(command)
        speed = given.speed ?? 1
        writesJSON = given.writesJSON
        asks = given.asks
        journey = try given.journey(source)
        var (isEndless, startsNow) = (true, true)
        if case .write = purpose { (isEndless, startsNow) = (false, false) }
        duration = given.seconds.map(TimeSpan.seconds) ?? (isEndless ? .unlimited : journey.length)
        from = journey.begin
        if given.from == "now" || (given.from == nil && startsNow) {
            from = nil
        } else if let text = given.from {
            guard let date = WallTime(rfc3339: text) else {
                throw .usage("cannot read --from \(text): a date like 2025-03-03T08:00:00Z, or now")
            }
            from = date
        }
    }

    /// Appends `point` in the form asked for.
    func append(_ point: TrackPoint, to bytes: inout [UInt8]) {
        if writesJSON {
            GPSDJSONWriter().append(point, to: &bytes)
        } else {
            NMEAWriter().append(point, to: &bytes)
        }
    }
}

/// The options as they were given; nil: not given.
private struct GivenOptions {
    var (seconds, speed, pace, rate): (Double?, Double?, Double?, Double?)
    var from: String?
    var seed: UInt64?
    var start: Coordinate?
    var port: UInt16?
    var (writesJSON, serves, asks) = (false, false, false)

    mutating func set(_ option: OptionWords.Option, _ value: String) throws(TrackError) {
        switch option {
        case .help: break
        case .json: writesJSON = true
        case .serve: serves = true
        case .ask: asks = true
        case .from: from = value
        case .seconds: seconds = try number(value, "--seconds", "a number of seconds above 0") { $0 > 0 }
        case .rate: rate = try number(value, "--rate", "above 0 to 1000") { $0 > 0 && $0 <= 1000 }
        case .speed: speed = try number(value, "--speed", "above 0 to 1000") { $0 > 0 && $0 <= 1000 }
        case .pace: pace = try number(value, "--pace", "above 0 to 1000") { $0 > 0 && $0 <= 1000 }
        case .seed: seed = try integer(value, "--seed", "a whole number from 0")
        case .port: port = try integer(value, "--port", "0 to 65535")
        case .start: start = try coordinate(value)
        }
    }

    func purpose(_ command: [String]?) throws(TrackError) -> TrackOptions.Purpose {
        if let command {
            guard !command.isEmpty else { throw .usage("cannot run without a COMMAND behind --") }
            guard !serves, port == nil, !writesJSON else {
                throw .usage("cannot use --serve, --port or --json with a COMMAND")
            }
            guard (0.1...60).contains(speed ?? 1) else {
                throw .usage("cannot use --speed \(speed ?? 1) with a COMMAND: 0.1 to 60")
            }
            return .run(command)
        }
        guard !asks else { throw .usage("cannot use --ask without a COMMAND") }
        guard serves || port == nil else { throw .usage("cannot use --port without --serve") }
        guard serves || speed == nil else { throw .usage("cannot use --speed without --serve or a COMMAND") }
        return serves ? .serve(port: port ?? 0) : .write
    }

    func journey(_ source: String) throws(TrackError) -> Journey {
        if source.lowercased().hasSuffix(".gpx") {
            guard seed == nil, start == nil else { throw .usage("cannot use --seed or --start with a file") }
            return try Journey(gpx: source, pace: pace ?? 10, rate: rate ?? 1)
        }
        guard let kind = TrackKind(rawValue: source) else {
            let kinds = TrackKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                "cannot make a journey \"\(source)\": SOURCE is one of \(kinds), or a file that ends with .gpx")
        }
        guard pace == nil else { throw .usage("cannot use --pace with a made-up journey") }
        return .madeUp(
            Track(kind, start: start ?? Track.defaultStart, rate: rate ?? 1, seed: seed ?? 1))
    }

    private func number(
        _ text: String, _ option: String, _ allowed: String, where isAllowed: (Double) -> Bool
    ) throws(TrackError) -> Double {
        guard let value = Double(text), value.isFinite, isAllowed(value) else {
            throw .usage("cannot use \(option) \(text): \(allowed)")
        }
        return value
    }

    private func integer<Value: FixedWidthInteger>(
        _ text: String, _ option: String, _ allowed: String
    ) throws(TrackError) -> Value {
        guard let value = Value(text) else { throw .usage("cannot use \(option) \(text): \(allowed)") }
        return value
    }

    private func coordinate(_ text: String) throws(TrackError) -> Coordinate {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
            case let coordinate = Coordinate(latitude: latitude, longitude: longitude), coordinate.isValid
        else { throw .usage("cannot use --start \(text): LAT,LON in degrees, like 45.5,-30") }
        return coordinate
    }
}
