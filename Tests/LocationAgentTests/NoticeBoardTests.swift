// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import Testing

@testable import LocationAgent

@Suite("The board between locationd and the desktop")
struct NoticeBoardTests {
    private static let date = WallTime(milliseconds: 1_800_000_000_000)

    private static func notice(
        _ event: UInt64? = 1, region: String = "home", missed: Bool = false, text: String = ""
    ) -> RaisedNotice {
        RaisedNotice(
            RegionNotice(title: "You are home", text: text), region: region, .inside, event: event,
            identity: "uid:1000", label: "house", date: date, isMissed: missed)
    }

    private static func question(_ request: UInt64, _ level: AuthorizationLevel = .whenInUse) -> AuthorizationRequest {
        AuthorizationRequest(
            request: request, identity: "gpx uid:1000", label: nil, uid: 1000, user: "anna", level: level,
            purposeKey: nil, usageDescription: "Shows <you> & me.", since: date)
    }

    @Test func `a notice is acknowledged when it is on the screen, and not before`() {
        var board = NoticeBoard()
        let notice = Self.notice()
        #expect(board.take(.noticeRaised(notice)) == [.show(.notice(notice), ticket: 1)])
        let name = NoticeName(identity: "uid:1000", label: "house", event: 1)
        #expect(board.shows(.notice(notice), ticket: 1, as: 9) == [.acknowledge(name)])
    }

    @Test func `a notice that comes again is shown once, and acknowledged again`() {
        var board = NoticeBoard()
        let notice = Self.notice()
        _ = board.take(.noticeRaised(notice))
        #expect(board.take(.noticeRaised(notice)) == [])
        _ = board.shows(.notice(notice), ticket: 1, as: 9)
        _ = board.disconnected()
        let again = Self.notice(missed: true)
        #expect(
            board.take(.noticeRaised(again)) == [
                .acknowledge(NoticeName(identity: "uid:1000", label: "house", event: 1))
            ])
        #expect(board.take(.noticeRaised(Self.notice(2))).count == 1)
    }

    @Test func `one that is not stored is shown each time, and acknowledged never`() {
        var board = NoticeBoard()
        let notice = Self.notice(nil)
        for ticket in UInt64(1)...2 {
            #expect(board.take(.noticeRaised(notice)).count == 1)
            #expect(board.shows(.notice(notice), ticket: ticket, as: 9) == [])
        }
    }

    @Test func `one that is not stored and waits for the one before is shown though the daemon goes meanwhile`() {
        var board = NoticeBoard()
        let notice = Self.notice(nil)
        #expect(board.take(.noticeRaised(notice)).count == 1)
        #expect(board.take(.noticeRaised(notice)) == [])
        _ = board.disconnected()
        #expect(board.shows(.notice(notice), ticket: 1, as: 9).count == 1)
    }

    @Test func `of a region the newest takes the place of the one before, and disturbs nobody within a minute`() {
        var board = NoticeBoard()
        let start = BootInstant(nanoseconds: 1_000_000_000_000)
        for (event, (second, isQuiet)) in zip(
            UInt64(1)..., [(0.0, false), (30, true), (80, true), (140, false), (141, true)])
        {
            let (notice, now) = (Self.notice(event), start + .seconds(second))
            let show = NoticeBoard.Command.show(
                .notice(notice), ticket: event, replacing: event == 1 ? 0 : 9, quietly: isQuiet)
            #expect(board.take(.noticeRaised(notice), at: now) == [show])
            _ = board.shows(.notice(notice), ticket: event, as: 9, at: now)
        }
        let other = Self.notice(6, region: "work")
        #expect(board.take(.noticeRaised(other)) == [.show(.notice(other), ticket: 6)])
        #expect(board.screenCame() == [])
        let anew = Self.notice(7)
        #expect(board.take(.noticeRaised(anew)) == [.show(.notice(anew), ticket: 7)], "nothing of it is on this screen")
    }

    @Test func `of a region those that come together are shown one after the other, and none is left behind`() {
        var board = NoticeBoard()
        #expect(board.take(.noticeRaised(Self.notice(1))).count == 1)
        for event in UInt64(2)...3 { #expect(board.take(.noticeRaised(Self.notice(event))) == []) }
        #expect(board.take(.noticeRaised(Self.notice(2))) == [], "it waits already")
        let second = NoticeBoard.Command.show(.notice(Self.notice(2)), ticket: 2, replacing: 5, quietly: true)
        #expect(
            board.shows(.notice(Self.notice(1)), ticket: 1, as: 5) == [
                .acknowledge(NoticeName(identity: "uid:1000", label: "house", event: 1)), second,
            ])
        // The daemon tells them again, in their order.
        board.failed(ticket: 2)
        #expect(board.showAgain() == [.takeNotices])
        let again = board.take(.noticeRaised(Self.notice(2)))
        #expect(again == [.show(.notice(Self.notice(2)), ticket: 4, replacing: 5, quietly: true)])
    }

    @Test func `what no screen takes waits for the next screen, and is bounded`() {
        var board = NoticeBoard()
        for ticket in 1...UInt64(NoticeBoard.limit + 2) {
            _ = board.take(.noticeRaised(Self.notice(nil, region: "\(ticket)")))
            board.failed(ticket: ticket)
        }
        let (shown, first) = (board.screenCame(), Self.notice(nil, region: "3"))
        #expect(shown.count == NoticeBoard.limit && shown.first == .show(.notice(first), ticket: 3))
        #expect(board.screenCame() == [] && board.showAgain() == [], "the screen has them")
        board.failed(ticket: 3)
        #expect(board.showAgain() == [.show(.notice(first), ticket: 3)])
    }

    @Test func `what no screen takes is left to the daemon where that keeps it, and may be gone by then`() {
        var board = NoticeBoard()
        _ = board.take(.noticeRaised(Self.notice()))
        board.failed(ticket: 1)
        #expect(board.screenCame() == [.takeNotices] && board.screenCame() == [])
        #expect(board.take(.noticeRaised(Self.notice())) == [.show(.notice(Self.notice()), ticket: 2)])
    }

    @Test func `a question is answered by its button, once, and closed where it was answered elsewhere`() {
        var board = NoticeBoard()
        #expect(!board.asks)
        for request in UInt64(1)...2 {
            let question = Self.question(request)
            #expect(board.take(.authorizationRequested(question)) == [.show(.question(question), ticket: request)])
            #expect(board.shows(.question(question), ticket: request, as: UInt32(request) + 10) == [])
        }
        #expect(board.asks)
        #expect(board.pressed("default", on: 11) == [] && board.pressed("deny", on: 99) == [])
        #expect(board.pressed("deny", on: 11) == [.close(11), .answer(request: 1, .deny)])
        #expect(board.pressed("deny", on: 11) == [])
        #expect(board.take(.authorizationRequestClosed(request: 2, .once)) == [.close(12)])
        #expect(!board.asks)
    }

    @Test(arguments: ["always", "whileUsing", "once", "deny"])
    func `nobody consents by a click that was meant for something else; a denial counts at once`(button: String) throws
    {
        let start = BootInstant(nanoseconds: 1_000_000_000_000)
        let question = Self.question(1, .always)
        for (after, isEarly) in [(0.0, true), (0.99, true), (1, false), (3600, false)] {
            var board = NoticeBoard()
            _ = board.take(.authorizationRequested(question), at: start)
            _ = board.shows(.question(question), ticket: 1, as: 11, at: start)
            let answer = NoticeBoard.Command.answer(request: 1, try #require(AuthorizationAnswer(rawValue: button)))
            let pressed = board.pressed(button, on: 11, at: start + .seconds(after))
            guard isEarly, button != "deny" else {
                #expect(pressed == [.close(11), answer])
                continue
            }
            #expect(pressed == [.close(11), .show(.question(question), ticket: 2)])
            // What is shown anew is new to the person, too.
            let again = start + .seconds(after + 5)
            _ = board.shows(.question(question), ticket: 2, as: 12, at: again)
            #expect(board.pressed(button, on: 12, at: again + .seconds(0.5)).contains(.close(12)))
            _ = board.shows(.question(question), ticket: 3, as: 13, at: again)
            #expect(board.pressed(button, on: 13, at: again + .seconds(1)) == [.close(13), answer])
        }
    }

    @Test func `a question that is answered before it is seen is taken away as soon as it is`() {
        var board = NoticeBoard()
        _ = board.take(.authorizationRequested(Self.question(1)))
        #expect(board.take(.authorizationRequestClosed(request: 1, .deny)) == [])
        #expect(board.shows(.question(Self.question(1)), ticket: 1, as: 11) == [.close(11)])
        #expect(!board.asks)
    }

    @Test func `a screen that comes anew is told the questions, and one that a person waved away stays away`() {
        var board = NoticeBoard()
        for request in UInt64(1)...2 {
            _ = board.take(.authorizationRequested(Self.question(request)))
            _ = board.shows(.question(Self.question(request)), ticket: request, as: UInt32(request))
        }
        board.dismissed(2)
        #expect(board.screenCame() == [.show(.question(Self.question(1)), ticket: 3)])
        #expect(board.disconnected() == [] && board.screenCame() == [])
    }

    // MARK: On the desktop

    @Test func `a notice says who has it shown, and when it was missed, if it was`() {
        let now = Poster(.notice(Self.notice(text: "Shoes off")), hasMarkup: false, hasButtons: true, now: Self.date)
        #expect(now.app == "house (uid:1000)" && now.summary == "You are home")
        #expect(now.body == "Shoes off" && now.buttons == [])
        let missed = Poster(.notice(Self.notice(missed: true)), hasMarkup: false, hasButtons: true, now: Self.date)
        #expect(missed.body.wholeMatch(of: /Missed: \d\d:\d\d/) != nil)
        let later = WallTime(milliseconds: Self.date.milliseconds + 3 * 86_400_000)
        let old = Poster(.notice(Self.notice(missed: true)), hasMarkup: false, hasButtons: true, now: later)
        #expect(old.body.wholeMatch(of: /Missed: 2027-01-1\d \d\d:\d\d/) != nil)
    }

    @Test func `a question has the answers that fit as buttons, and the command where there are none`() {
        let asked = Poster(.question(Self.question(7)), hasMarkup: true, hasButtons: true, now: Self.date)
        #expect(asked.summary.hasPrefix("gpx uid:1000 asks for "))
        #expect(asked.body == "It says: “Shows &lt;you&gt; &amp; me.”")
        #expect(asked.buttons == ["whileUsing", "Allow", "once", "Once", "deny", "Deny"])
        let always = Poster(.question(Self.question(7, .always)), hasMarkup: false, hasButtons: true, now: Self.date)
        #expect(always.buttons.prefix(4) == ["always", "Allow always", "whileUsing", "While in use"])
        let mute = Poster(.question(Self.question(7)), hasMarkup: false, hasButtons: false, now: Self.date)
        #expect(mute.buttons == [] && mute.body.hasSuffix("\nTo answer: locctl requests 7 while-using|once|deny"))
    }
}

/// Long after, where a test says nothing of time.
extension NoticeBoard {
    private static let now = BootInstant(nanoseconds: 1_000_000_000_000)

    fileprivate mutating func take(_ notification: Notification) -> [Command] { take(notification, at: Self.now) }
    fileprivate mutating func shows(_ item: Item, ticket: UInt64, as number: UInt32) -> [Command] {
        shows(item, ticket: ticket, as: number, at: Self.now)
    }
    fileprivate mutating func screenCame() -> [Command] { screenCame(at: Self.now) }
    fileprivate mutating func showAgain() -> [Command] { showAgain(at: Self.now) }
    fileprivate mutating func pressed(_ button: String, on number: UInt32) -> [Command] {
        pressed(button, on: number, at: Self.now + .seconds(10))
    }
}
