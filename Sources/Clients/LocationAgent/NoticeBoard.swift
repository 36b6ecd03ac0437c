// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The contents of the desktop, to be shown and shown: notices, which are acknowledged when they are on the screen, and questions, which stay
/// until somebody answers. Of a region the screen has one notice, the newest. Decides; knows no bus, no socket and no clock.
struct NoticeBoard {
    /// Something to show.
    enum Item: Hashable {
        case notice(RaisedNotice)
        case question(AuthorizationRequest)
    }

    /// Something to do.
    enum Command: Hashable {
        /// Put it on the screen, in place of what has the number there (0: of nothing), and say what came of it by its ticket. `quietly`: it
        /// disturbs nobody.
        case show(Item, ticket: UInt64, replacing: UInt32 = 0, quietly: Bool = false)
        /// Take what has this number off the screen.
        case close(UInt32)
        case acknowledge(NoticeName)
        /// Have the daemon tell once more which notices wait.
        case takeNotices
        case answer(request: UInt64, AuthorizationAnswer)
    }

    private struct Waiting {
        let ticket: UInt64
        let item: Item
        /// The screen has it and has not said yet that it shows it.
        var isUnderWay: Bool
    }

    /// Items that wait for a screen, and names of those that were shown: more are forgotten.
    static let limit = 128
    /// A person who presses a button before has seen something else there, and does not consent.
    static let grace = TimeSpan.seconds(1)
    /// A border that is crossed again within this time disturbs nobody again.
    static let calm = TimeSpan.seconds(60)

    private var lastTicket: UInt64 = 0
    /// The daemon keeps notices that no screen took: some may be gone by the next one.
    private var leftNotices = false
    private var waiting: [Waiting] = []
    /// The daemon tells a notice again whose acknowledgement it never got.
    private var shown: [NoticeName] = []
    /// The newest notice of each region on the screen, and since when.
    private var regions: [(region: [String?], number: UInt32, since: BootInstant)] = []
    /// By their number on the screen, and since when they are there.
    private var questions: [UInt32: (request: AuthorizationRequest, since: BootInstant)] = [:]

    /// Whether the screen has questions, whose answers are to be heard.
    var asks: Bool { !questions.isEmpty }

    // MARK: The daemon

    mutating func take(_ notification: Notification, at now: BootInstant) -> [Command] {
        switch notification {
        case .noticeRaised(let notice):
            if let name = notice.name {
                if shown.contains(name) { return [.acknowledge(name)] }
                if waiting.contains(where: { $0.item.name == name }) { return [] }
            }
            return show(.notice(notice), at: now)
        case .authorizationRequested(let request):
            guard !waiting.contains(where: { $0.item.request == request.request }),
                !questions.values.contains(where: { $0.request.request == request.request })
            else { return [] }
            return show(.question(request), at: now)
        case .authorizationRequestClosed(let number, _):
            waiting.removeAll { $0.item.request == number }
            return close { $0.request == number }
        default: return []
        }
    }

    /// The daemon is gone: one that comes back asks again, and tells again what was not acknowledged. What nobody acknowledges waits here.
    mutating func disconnected() -> [Command] {
        waiting.removeAll { $0.item.request != nil || !$0.isUnderWay && $0.item.name != nil }
        return close { _ in true }
    }

    private mutating func close(where isMeant: (AuthorizationRequest) -> Bool) -> [Command] {
        let numbers = questions.filter { isMeant($0.value.request) }.keys.sorted()
        for number in numbers { questions[number] = nil }
        return numbers.map { .close($0) }
    }

    // MARK: The screen

    private mutating func show(_ item: Item, at now: BootInstant) -> [Command] {
        lastTicket += 1
        waiting.append(Waiting(ticket: lastTicket, item: item, isUnderWay: false))
        if waiting.count > NoticeBoard.limit { waiting.removeFirst() }
        return begin(waiting.count - 1, at: now)
    }

    /// Hands it to the screen; of a region's notices one after the other, so that each takes the place of the one before.
    private mutating func begin(_ index: Int, at now: BootInstant) -> [Command] {
        let (item, region) = (waiting[index].item, waiting[index].item.region)
        guard !waiting[index].isUnderWay,
            region == nil || !waiting.contains(where: { $0.isUnderWay && $0.item.region == region })
        else { return [] }
        waiting[index].isUnderWay = true
        let former = regions.first { $0.region == region }
        let isQuiet = former.map { now - $0.since < NoticeBoard.calm } ?? false
        return [.show(item, ticket: waiting[index].ticket, replacing: former?.number ?? 0, quietly: isQuiet)]
    }

    /// It is on the screen as `number`.
    mutating func shows(_ item: Item, ticket: UInt64, as number: UInt32, at now: BootInstant) -> [Command] {
        let wasWaiting = waiting.contains { $0.ticket == ticket }
        waiting.removeAll { $0.ticket == ticket }
        switch item {
        case .notice(let notice):
            regions.removeAll { $0.region == notice.key }
            regions.append((notice.key, number, now))
            if regions.count > NoticeBoard.limit { regions.removeFirst() }
            let next = waiting.firstIndex { $0.item.region == notice.key }.map { begin($0, at: now) } ?? []
            guard let name = notice.name else { return next }
            shown.append(name)
            if shown.count > NoticeBoard.limit { shown.removeFirst() }
            return [.acknowledge(name)] + next
        case .question(let request):
            // It was answered elsewhere before it was seen.
            guard wasWaiting else { return [.close(number)] }
            questions[number] = (request, now)
            return []
        }
    }

    /// The screen did not take it: it waits for another one, here or with the daemon.
    mutating func failed(ticket: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        if waiting[index].item.name == nil {
            waiting[index].isUnderWay = false
        } else {
            let region = waiting[index].item.region
            // The daemon tells them in their order.
            waiting.removeAll { $0.item.name != nil && $0.item.region == region }
            leftNotices = true
        }
    }

    /// Another screen is there. Nothing of what the former one showed is on it.
    mutating func screenCame(at now: BootInstant) -> [Command] {
        let lost = questions.sorted { $0.key < $1.key }
        questions.removeAll()
        regions.removeAll()
        return showAgain(at: now) + lost.flatMap { show(.question($0.value.request), at: now) }
    }

    /// Items that the screen did not take are tried once more.
    mutating func showAgain(at now: BootInstant) -> [Command] {
        defer { leftNotices = false }
        return waiting.indices.flatMap { begin($0, at: now) } + (leftNotices ? [.takeNotices] : [])
    }

    /// Somebody pressed a button. The desktop may have taken it off the screen, and need not.
    mutating func pressed(_ button: String, on number: UInt32, at now: BootInstant) -> [Command] {
        guard let answer = AuthorizationAnswer(rawValue: button),
            let (request, since) = questions.removeValue(forKey: number)
        else { return [] }
        let isMeant = answer == .deny || now - since >= NoticeBoard.grace
        return [.close(number)]
            + (isMeant ? [.answer(request: request.request, answer)] : show(.question(request), at: now))
    }

    /// It is off the screen without an answer, for which the daemon goes on waiting.
    mutating func dismissed(_ number: UInt32) { questions[number] = nil }
}

extension NoticeBoard.Item {
    fileprivate var name: NoticeName? { if case .notice(let notice) = self { notice.name } else { nil } }
    fileprivate var region: [String?]? { if case .notice(let notice) = self { notice.key } else { nil } }
    fileprivate var request: UInt64? { if case .question(let request) = self { request.request } else { nil } }
}

extension RaisedNotice {
    /// Tells the region from those of other apps and users that give it the same name.
    fileprivate var key: [String?] { [identity, label, region] }
}
