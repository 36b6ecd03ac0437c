// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport
import SystemdSupport

/// The source of locations that nobody measures: a place set by hand, GeoClue's file, programs that provide locations.
///
/// `ProvidedPlaces` decides which place is told. The file is read, and its directory watched, only while locations are wanted.
final class ProvidedLocations: FixSource {
    var fixReceived: (Fix, BootInstant) -> Void = { _, _ in }
    var headingReceived: (Heading, BootInstant) -> Void = { _, _ in }
    var fixEnded: (BootInstant) -> Void = { _ in }
    private(set) var places: ProvidedPlaces
    private let hand: PlaceByHand
    /// The path of GeoClue's file.
    private let file: String
    private let loop: EventLoop?
    private let journal: () -> Journal
    private let date: () -> WallTime
    private var watch: EventLoop.Source?
    /// Why the file says nothing; nil: it says a place, or is not there.
    private var fileProblem: String?
    /// The same of the place that was set by hand.
    private var handProblem: String?

    /// - Parameters:
    ///   - stateDirectory: Where the place set by hand is kept; nil: nowhere.
    ///   - file: Another file than GeoClue's.
    ///   - loop: Tells when the file changes; nil: nobody does.
    init(
        stateDirectory: String?, file: String, patience: TimeSpan, loop: EventLoop?, date: @escaping () -> WallTime,
        journal: @escaping () -> Journal
    ) {
        places = ProvidedPlaces(patience: patience)
        hand = PlaceByHand(directory: stateDirectory)
        (self.file, self.loop, self.date, self.journal) = (file, loop, date, journal)
    }

    /// After so long without a fix a receiver has none.
    var patience: TimeSpan {
        get { places.patience }
        set { places.patience = newValue }
    }

    // MARK: A source

    func start(at now: BootInstant) {
        do throws(GeolocationText.Fault) {
            if let place = try hand.read() { tell(place, .person, at: now) }
        } catch {
            let problem = "cannot use \(hand.path ?? ""): \(error.reason)"
            handProblem = problem
            journal().error(problem)
        }
        // Clients of a former process may want it already.
        settle(at: now)
    }

    func setDemand(_ isWanted: Bool, at now: BootInstant) {
        places.setWanted(isWanted)
        if isWanted {
            readFile(at: now)
            watch = try? loop?.watch(directory: directory) { [unowned self] in fileChanged() }
        } else {
            watch = nil
        }
        settle(at: now)
    }

    var nextWake: WakeWindow? { places.nextWake }

    func woke(at now: BootInstant) { settle(at: now) }

    func noteMeasured(_ location: Location, at now: BootInstant) {
        places.noteFix(accuracy: location.horizontalAccuracy, at: now)
    }

    func noteAsked(at now: BootInstant) {
        places.noteAsked(at: now)
        settle(at: now)
    }

    func receivers(at now: BootInstant) -> [ReceiverStatus] { [] }
    func path(of receiver: ReceiverID) -> String? { nil }
    // Every app hears this, and the file may be readable for few.
    var problem: String { "nobody provides a location" }

    var notice: String? {
        places.current.map { offer in
            // Every app that asks for a location hears this, and which apps others use is not its to know.
            let name = offer.isOfClient ? "another program" : offer.name
            return "\(name) says where the device is, to \(Int(offer.place.horizontalAccuracy.rounded(.up))) m"
        }
    }

    private func settle(at now: BootInstant) {
        switch places.take(at: now, date()) {
        case .tell(let fix): fixReceived(fix, now)
        case .end: fixEnded(now)
        case nil: break
        }
    }

    private func tell(_ place: OfferedLocation, _ origin: ProvidedPlaces.Origin, at now: BootInstant) {
        let name = origin == .person ? ProvidedLocations.personsName : file
        // Only clients are held to a rate.
        try? places.offer(ProvidedPlaces.Offer(origin, name: name, place, since: now))
    }

    /// As people read it.
    static let personsName = "locctl locate"

    // MARK: GeoClue's file

    private var directory: String {
        let path = file.prefix(upTo: file.lastIndex(of: "/") ?? file.startIndex)
        return path.isEmpty ? "/" : String(path)
    }

    private func fileChanged() {
        let now = bootClock()
        readFile(at: now)
        settle(at: now)
    }

    private func readFile(at now: BootInstant) {
        let former = fileProblem
        fileProblem = nil
        do throws(GeolocationText.Fault) {
            let content = SmallFile(at: file, limit: GeolocationText.maximumLength)
            if case .refused(let reason) = content { throw GeolocationText.Fault(reason: reason) }
            if let text = content.text, let place = try GeolocationText.place(in: text) {
                if places.offers.first(where: { $0.origin == .file })?.place != place { tell(place, .file, at: now) }
            } else {
                places.withdraw(.file)
            }
        } catch {
            places.withdraw(.file)
            fileProblem = "cannot use \(file): \(error.reason)"
        }
        if let fileProblem, fileProblem != former { journal().warning(fileProblem) }
    }

    // MARK: Requests

    /// The answer to a request about a location that somebody provides; nil: it is another request.
    func answer(_ request: ClientRequest) throws(RPCError) -> [UInt8]? {
        switch request.call {
        case .offerLocation(let place, let lifetime):
            try places.offer(
                ProvidedPlaces.Offer(
                    .client(request.manager.connection), name: request.manager.decider, place, since: request.now,
                    until: request.now + .seconds(lifetime)))
        case .withdrawLocation: places.withdraw(.client(request.manager.connection))
        case .setPlace(let place):
            try hand.write(place)
            handProblem = nil
            tell(place, .person, at: request.now)
            journal().info("the place of the device is set by \(request.manager.decider)")
        case .clearPlace:
            try hand.remove()
            handProblem = nil
            places.withdraw(.person)
            journal().info("the place of the device is cleared by \(request.manager.decider)")
        default: return nil
        }
        settle(at: request.now)
        return ReplyWriter.empty(request.id)
    }

    /// Withdraws the place that a client provided when its connection ends.
    func clientLeft(_ client: ClientManager, at now: BootInstant) {
        guard places.offers.contains(where: { $0.origin == .client(client.connection) }) else { return }
        places.withdraw(.client(client.connection))
        settle(at: now)
    }

    /// Ends what those said who may say nothing any more; `mayProvide` is asked by the number of a connection.
    func keepOffers(at now: BootInstant, of mayProvide: (UInt64) -> Bool) {
        for case .client(let connection) in places.offers.map(\.origin) where !mayProvide(connection) {
            places.withdraw(.client(connection))
        }
        settle(at: now)
    }

    /// The providers that say where the device is, for people. `all`: also which apps they are, and what is wrong with a file.
    func status(all: Bool, at now: BootInstant) -> [ProviderStatus] {
        var providers = places.offers.map { offer in
            ProviderStatus(
                name: all || !offer.isOfClient ? offer.name : nil, kind: offer.place.kind.word,
                horizontalAccuracy: offer.place.horizontalAccuracy,
                remaining: offer.until.map { max(($0 - now).seconds, 0) }, told: offer == places.current)
        }
        for (name, problem) in [(ProvidedLocations.personsName, handProblem), (file, fileProblem)] where all {
            if let problem { providers.append(ProviderStatus(name: name, problem: problem)) }
        }
        return providers
    }
}
