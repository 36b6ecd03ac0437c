// SPDX-License-Identifier: Apache-2.0
import BusSupport
import LocationModel

/// The desktop's notifications, by the interface of freedesktop.org.
final class DesktopScreen {
    /// Something that happens on the screen.
    enum Event {
        case shows(NoticeBoard.Item, ticket: UInt64, number: UInt32)
        /// `isThere`: there are notifications, so that it may work soon.
        case failed(ticket: UInt64, reason: String, isThere: Bool)
        case pressed(String, on: UInt32)
        case dismissed(UInt32)
        case came
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let unknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// The desktop starts what shows notifications where nothing does yet.
    private static let patience = 25.0

    private let bus: Bus
    private let date: () -> WallTime
    private let report: (Event) -> Void
    private var calls: [UInt64: BusSlot] = [:]
    private var ofOwner: BusSlot?
    private var ofButtons: BusSlot?
    /// The connection that showed what was shown last: nobody else's word counts for an answer.
    private var owner = ""

    init(_ bus: Bus, date: @escaping () -> WallTime, report: @escaping (Event) -> Void) {
        (self.bus, self.date, self.report) = (bus, date, report)
        let rule =
            "sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'"
        ofOwner = bus.listen(to: rule) { [unowned self] message in
            guard message.sender == "org.freedesktop.DBus", (try? message.readText("s")) == Self.name,
                (try? message.readText("s")) != nil, let owner = try? message.readText("s"), !owner.isEmpty,
                owner != self.owner
            else { return }
            self.report(.came)
        }
    }

    // MARK: Showing

    func show(_ item: NoticeBoard.Item, ticket: UInt64, replacing number: UInt32, quietly: Bool) {
        call(ticket, "GetCapabilities", []) { [unowned self] answer in
            let capabilities = (try? answer.readTexts()) ?? []
            let poster = Poster(
                item, hasMarkup: capabilities.contains("body-markup"), hasButtons: capabilities.contains("actions"),
                now: date())
            // The desktop decides how long a notice stays; a question waits for its answer, also when somebody clicks beside its buttons.
            let hints: [String: BusValue] =
                item.isQuestion
                ? ["urgency": .byte(2), "resident": .boolean(capabilities.contains("persistence"))]
                : quietly ? ["urgency": .byte(0), "suppress-sound": .boolean(true)] : [:]
            let values: [BusValue] = [
                .string(poster.app), .uint32(number), .string("mark-location"), .string(poster.summary),
                .string(poster.body), .strings(poster.buttons), .properties(hints), .int32(item.isQuestion ? 0 : -1),
            ]
            call(ticket, "Notify", values) { [unowned self] answer in
                guard let number = try? answer.readNumber() else {
                    return report(.failed(ticket: ticket, reason: "the desktop gave it no number", isThere: true))
                }
                owner = answer.sender
                report(.shows(item, ticket: ticket, number: number))
            }
        }
    }

    private func call(
        _ ticket: UInt64, _ method: String, _ values: [BusValue], _ completion: @escaping (BusMessage) -> Void
    ) {
        calls[ticket] = bus.call(
            Self.name, Self.path, Self.name, method, values, within: Self.patience, startsIt: true
        ) { [unowned self] answer in
            calls[ticket] = nil
            switch answer {
            case .success(let message): completion(message)
            case .failure(let error):
                let reason = error.message.isEmpty ? error.name : error.message
                report(.failed(ticket: ticket, reason: reason, isThere: error.name != Self.unknown))
            }
        }
    }

    func close(_ number: UInt32) {
        bus.send(Self.name, Self.path, Self.name, "CloseNotification", [.uint32(number)])
    }

    // MARK: Answers

    /// Every notification of the desktop that ends would wake this program, so it listens only while a question is there.
    func listen(toAnswers isListening: Bool) {
        guard isListening else { return ofButtons = nil }
        guard ofButtons == nil else { return }
        ofButtons = bus.listen(to: "interface='\(Self.name)',path='\(Self.path)'") { [unowned self] message in
            guard message.sender == owner, let number = try? message.readNumber() else { return }
            switch message.member {
            case "ActionInvoked": if let button = try? message.readText("s") { report(.pressed(button, on: number)) }
            case "NotificationClosed": report(.dismissed(number))
            default: break
            }
        }
    }
}

extension NoticeBoard.Item {
    fileprivate var isQuestion: Bool { if case .question = self { true } else { false } }
}
