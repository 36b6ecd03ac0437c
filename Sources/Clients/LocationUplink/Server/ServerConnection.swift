// SPDX-License-Identifier: Apache-2.0
import LocationModel
import SystemSupport
import SystemdSupport

/// The server for the event loop: a request for each message, one at a time, over a connection that is kept between them.
final class ServerConnection: MessageCarrier {
    private let loop: EventLoop
    private let settings: ServerSettings
    private let report: ([UplinkEvent]) -> Void
    private var client: HTTPClient?
    /// Of the message whose answer is waited for.
    private var token: UInt64?
    private var sources: [Int32: EventLoop.Source] = [:]
    private var timer: EventLoop.Timer?
    /// For what is due at once, which a timer would serve some milliseconds later.
    private var turn: EventLoop.Source?

    /// `report` is called between calls of the library, never in one.
    init(
        _ loop: EventLoop, _ settings: ServerSettings, report: @escaping ([UplinkEvent]) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.settings = settings
        self.report = report
        timer = try loop.timer { [unowned self] in
            client?.work(on: nil)
            settle()
        }
        turn = try loop.deferred { [unowned self] in
            client?.work(on: nil)
            settle()
        }
    }

    // HTTP knows no connection before the first request, so there is nothing to wait for.
    func connect(attempt: Int) {
        disconnect()
        do throws(BrokerTrouble) {
            client = try HTTPClient(
                settings, watch: { [unowned self] in watch($0, $1) }, wake: { [unowned self] in wake(in: $0) })
            report([.brokerConnected])
        } catch {
            report([.brokerLost(error)])
        }
    }

    func disconnect() {
        sources.removeAll()
        timer?.set(nil)
        client = nil
        token = nil
    }

    func publish(_ token: UInt64, _ message: Message) {
        guard let client else { return }
        self.token = token
        do throws(BrokerTrouble) {
            try client.post(OwnTracks.withTopic(message))
        } catch {
            lost(error)
        }
    }

    // MARK: What the library wants

    private func watch(_ fd: Int32, _ interest: HTTPClient.Interest?) {
        guard let interest else {
            sources.removeValue(forKey: fd)?.cancel()
            return
        }
        // A source that cannot be made leaves the request without an answer, which the machine's deadline ends.
        let source =
            sources[fd]
            ?? (try? loop.watch(fd) { [unowned self] in
                client?.work(on: fd)
                settle()
            })
        source?.setInterest(reading: interest.reading, writing: interest.writing)
        sources[fd] = source
    }

    private func wake(in span: TimeSpan?) {
        guard let span, span > .zero else {
            timer?.set(nil)
            if span != nil { turn?.enableOnce() }
            return
        }
        timer?.set(in: span, slack: .milliseconds(10))
    }

    // MARK: What the server says

    private func settle() {
        guard let client, let token, let outcome = client.takeOutcome() else { return }
        self.token = nil
        let answer: ServerAnswer =
            switch outcome {
            case .answered(let status, let retryAfter):
                ServerAnswer(status: status, retryAfter: retryAfter, from: settings.shown)
            case .failed(let words): .trouble(BrokerTrouble("cannot send to \(settings.shown): \(words)"))
            }
        switch answer {
        case .taken: report([.published(token: token, refusal: nil)])
        case .unwanted(let reason): report([.unwanted(token: token, reason: reason)])
        case .trouble(let trouble): lost(trouble)
        }
    }

    private func lost(_ trouble: BrokerTrouble) {
        disconnect()
        report([.brokerLost(trouble)])
    }
}
