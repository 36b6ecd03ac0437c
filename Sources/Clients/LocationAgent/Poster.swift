// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol

/// A notice or a question as the desktop's notifications have it.
struct Poster: Hashable {
    /// The app that has it shown, as the daemon found out, behind its own word: anybody can say any.
    let app: String
    let summary: String
    var body: String
    /// Keys and words of buttons, in turn.
    let buttons: [String]

    /// - Parameters:
    ///   - hasMarkup: The desktop takes the body for markup.
    ///   - hasButtons: It has buttons.
    ///   - now: The date.
    init(_ item: NoticeBoard.Item, hasMarkup: Bool, hasButtons: Bool, now: WallTime) {
        switch item {
        case .notice(let notice):
            let identity = notice.identity ?? "locationd"
            app = notice.label.map { "\($0) (\(identity))" } ?? identity
            summary = notice.title
            let missed = notice.isMissed ? notice.date.map { "Missed: \(Poster.moment($0, now: now))" } : nil
            body = [notice.text, missed ?? ""].filter { !$0.isEmpty }.joined(separator: "\n")
            buttons = []
        case .question(let request):
            app = "locationd"
            summary = "\(request.identity) asks for \(request.level.wish)"
            let name = request.label.map { "It calls itself “\($0)” and" } ?? "It"
            body =
                request.usageDescription == AuthorizationRequest.noReason
                ? "\(name) does not say what for." : "\(name) says: “\(request.usageDescription)”"
            if !hasButtons {
                let always = request.level == .always ? "always|" : ""
                body += "\nTo answer: locctl requests \(request.request) \(always)while-using|once|deny"
            }
            buttons = hasButtons ? Poster.answers(to: request.level) : []
        }
        if hasMarkup { body = Poster.escaped(body) }
    }

    private static func answers(to level: AuthorizationLevel) -> [String] {
        let always = [AuthorizationAnswer.always.rawValue, "Allow always"]
        let whileUsing = [AuthorizationAnswer.whileUsing.rawValue, level == .always ? "While in use" : "Allow"]
        return (level == .always ? always : []) + whileUsing
            + [AuthorizationAnswer.once.rawValue, "Once", AuthorizationAnswer.deny.rawValue, "Deny"]
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// A moment by this place's clock: the time of today, else with the date.
    private static func moment(_ date: WallTime, now: WallTime) -> String {
        let isToday = written(date, "%F") == written(now, "%F")
        return written(date, isToday ? "%H:%M" : "%F %H:%M")
    }

    private static func written(_ date: WallTime, _ format: String) -> String {
        var (seconds, parts) = (time_t(date.milliseconds / 1000), tm())
        localtime_r(&seconds, &parts)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { strftime($0.baseAddress, $0.count, format, &parts) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
