// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// One question to the daemon over a connection of its own, for methods of a class that may have no object.
final class DaemonQuestion: @unchecked Sendable {
    private let queue = DispatchQueue(label: "CoreLocation.question")
    private let answer = Mutex<Reply?>(nil)
    private let over = DispatchSemaphore(value: 0)
    private let call: Call
    // On the queue only, where connections live.
    private var connection: (any TransportConnection)?

    /// The daemon's answer to `call`; nil: there is none within a second.
    static func ask<Answer: Decodable>(
        _ call: Call, over transport: any SessionTransport = CoreLocationBackend.transport, _ type: Answer.Type
    ) -> Answer? {
        let question = DaemonQuestion(call)
        question.open(transport)
        _ = question.over.wait(timeout: .now() + ManagerCore.firstAnswer.seconds)
        question.close()
        return try? question.answer.withLock { $0 }?.result(type)
    }

    private init(_ call: Call) { self.call = call }

    private func open(_ transport: any SessionTransport) {
        queue.async { [self] in
            connection = transport.open(on: queue) { [weak self] in self?.handle($0) }
        }
    }

    // Behind the opening, however late that is.
    private func close() {
        queue.async { [self] in
            connection?.close()
            connection = nil
        }
    }

    private func handle(_ event: TransportEvent) {
        switch event {
        case .opened:
            connection?.send(call, as: .integer(1))
        case .line(let bytes):
            guard case .reply(let reply) = try? ServerMessage.decode(bytes) else { return }
            answer.withLock { $0 = reply }
            over.signal()
        case .closed:
            over.signal()
        }
    }
}
