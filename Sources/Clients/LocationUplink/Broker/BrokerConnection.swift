// SPDX-License-Identifier: Apache-2.0
import LocationModel
import SystemSupport
import SystemdSupport

/// The broker for the event loop: what the machine wants of it, and what it does.
final class BrokerConnection: MessageCarrier {
    private let loop: EventLoop
    private let settings: BrokerSettings
    private let topics: Topics
    private let report: ([UplinkEvent]) -> Void
    private var client: MosquittoClient?
    private var source: EventLoop.Source?
    private var keeper: EventLoop.Timer?
    // By the library's numbers.
    private var tokens: [Int32: UInt64] = [:]
    private var isAccepted = false
    private var lastTraffic = BootInstant(nanoseconds: 0)

    /// `report` is called between calls of the library, never in one.
    init(
        _ loop: EventLoop, _ settings: BrokerSettings, _ topics: Topics, report: @escaping ([UplinkEvent]) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.settings = settings
        self.topics = topics
        self.report = report
        keeper = try loop.timer { [unowned self] in keepAlive() }
    }

    // MARK: What the machine wants

    func connect(attempt: Int) {
        drop()
        do {
            let will = Message(topic: topics.lastWill, payload: OwnTracks.lastWill(connected: wallClock()))
            let made = try MosquittoClient(settings, will: will)
            // An attempt has one address: the next one tries the other family.
            try made.connect(settings, onlyIPv4: attempt % 2 == 0)
            client = made
            source = try loop.watch(made.fileDescriptor) { [unowned self] in work() }
            source?.setInterest(reading: true, writing: true)
        } catch let trouble as BrokerTrouble {
            lost(trouble)
        } catch {
            lost(BrokerTrouble("\(error)"))
        }
    }

    func disconnect() {
        client?.disconnect()
        drop()
    }

    func publish(_ token: UInt64, _ message: Message) {
        guard let client, isAccepted else { return }
        do throws(BrokerTrouble) {
            tokens[try client.publish(message)] = token
            lastTraffic = bootClock()
            settle()
        } catch {
            lost(error)
        }
    }

    // MARK: What the broker does

    private func work() {
        client?.work()
        lastTraffic = bootClock()
        settle()
    }

    private func keepAlive() {
        client?.keepAlive()
        settle()
    }

    // Takes the events of the library's last call, and watches the socket for what it waits for now.
    private func settle() {
        guard let client else { return }
        var told: [UplinkEvent] = []
        for event in client.takeEvents() {
            switch event {
            case .answered(nil):
                isAccepted = true
                told.append(.brokerConnected)
            case .answered(let refusal?):
                drop()
                told.append(
                    .brokerLost(
                        BrokerTrouble(
                            "cannot connect to \(settings.host):\(settings.port): the broker refuses: \(refusal)",
                            isRefusal: true)))
            case .published(let number, let refusal):
                guard let token = tokens.removeValue(forKey: number) else { continue }
                told.append(.published(token: token, refusal: refusal))
            case .gone(let reason):
                guard self.client != nil else { continue }
                drop()
                told.append(
                    .brokerLost(
                        BrokerTrouble("cannot go on with the broker \(settings.host):\(settings.port): \(reason)")))
            }
        }
        watch()
        if !told.isEmpty { report(told) }
    }

    private func watch() {
        guard let client else { return }
        source?.setInterest(reading: true, writing: client.wantsToWrite)
        // The library says PINGREQ when nothing was said for so long, and finds that nobody answers.
        let due = lastTraffic + .seconds(Double(settings.keepAlive))
        let earliest = max(due, bootClock() + .seconds(1))
        keeper?.set(WakeWindow(earliest: earliest, latest: earliest + .seconds(1)))
    }

    private func lost(_ trouble: BrokerTrouble) {
        drop()
        report([.brokerLost(trouble)])
    }

    private func drop() {
        source?.cancel()
        source = nil
        client = nil
        tokens.removeAll()
        isAccepted = false
        keeper?.set(nil)
    }
}
