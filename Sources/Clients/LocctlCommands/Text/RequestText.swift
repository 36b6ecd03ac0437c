// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The question what an app may do: who asks as the daemon has found out, and then the app's own words.
package enum RequestText {
    /// The answers that a person at a terminal may give.
    package static let prompt = "[a]lways, [w]hile using, [o]nce, [d]eny? "

    /// The line that takes the place of a question that is gone while another waits.
    static let interruption = "Press Enter for the next question. "

    /// The question at the date `now`; ends with a line break.
    package static func question(
        _ request: AuthorizationRequest, now: WallTime, _ style: Style = Style()
    ) -> String {
        let identity = request.identity.contains("uid:") ? request.identity : "\(request.identity) uid:\(request.uid)"
        let who = style.wrapped(
            "\(shown(identity, user: request.user)) asks for \(wish(request)).", behind: "request \(request.request): ")
        let name = request.label.map { "It calls itself \(claimed($0))" }
        let age = LocationText.ageText(Double(now.milliseconds - request.since.milliseconds) / 1000)
        let reason =
            request.usageDescription == AuthorizationRequest.noReason
            ? "\(name.map { "\($0) and" } ?? "It") does not say what for"
            : "\(name.map { "\($0) and" } ?? "It") says: \(claimed(request.usageDescription))"
        let words = style.wrapped("\(reason) (\(age))", behind: "    ")
        return "\(style.paint(who, .heading))\n\(words)\n"
    }

    /// All that wait, and how to answer.
    static func list(_ requests: [AuthorizationRequest], now: WallTime, _ style: Style) -> String {
        guard !requests.isEmpty else { return "nothing waits for a decision\n" }
        return requests.map { question($0, now: now, style) }.joined()
            + style.paint("answer with `locctl requests NUMBER \(AnswerWords.all.joined(separator: "|"))`", .aside)
            + "\n"
    }

    /// Nobody has to decide about `request` any more.
    package static func closed(_ request: UInt64, _ outcome: AuthorizationOutcome?) -> String {
        let words =
            switch outcome {
            case .withdrawn?: "was withdrawn"
            case let outcome?:
                "was answered: "
                    + (AuthorizationAnswer(rawValue: outcome.rawValue).map(AnswerWords.word) ?? outcome.rawValue)
            case nil: "is closed"
            }
        return "request \(request) \(words)"
    }

    /// About whom `call` decided what; nil: about no app, or the daemon does not say about which.
    static func decided(_ call: Call, _ result: DecisionResult) -> String? {
        guard let app = result.app.map(printable) else { return nil }
        switch call {
        case .authorize(let decision):
            let word = AuthorizationWords.word(for: decision)?.rawValue
            let accuracy = decision.accuracyAuthorization.map { "\($0.word) accuracy" }
            return "\(app): \([word, accuracy].compactMap { $0 }.joined(separator: ", "))\n"
        case .resetAuthorization: return "\(app): \(AuthorizationWords.reset.rawValue)\n"
        default: return nil
        }
    }

    /// A decision is in force that the disk has not taken; nil: it has.
    package static func notStored(_ result: DecisionResult) -> String? {
        guard !result.isStored else { return nil }
        let reason = result.problem.map { " (\(printable($0)))" } ?? ""
        return
            "that is in force, but not on the disk yet\(reason): a reboot undoes it unless locationd can write it before"
    }

    private static func wish(_ request: AuthorizationRequest) -> String {
        request.level.wish + (request.purposeKey.map { " (\(claimed($0)))" } ?? "")
    }
}
