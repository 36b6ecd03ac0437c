// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// The commands of admins and agents.
extension GivenOptions {
    func administration(_ command: LocctlCommand) throws(LocctlError) -> Invocation.Action {
        switch command {
        case .apps: return .apps
        case .services: return try servicesAction()
        case .authorize: return try authorizeAction()
        case .requests: return try requestsAction()
        case .forget: return .forget(app: try appOperand(command))
        case .events: return .events(app: try appOperand(command))
        case .close: return .close(connection: try connectionOperand())
        case .reload: return .reload
        default:
            guard values[.desktop] == nil else {
                if let option = [LocctlOption.answer, .json].first(where: { values[$0] != nil }) {
                    throw .usage("cannot use --desktop with --\(option.name): it prints nothing, and a person answers")
                }
                return .desktopAgent
            }
            return .agent(
                try value(.answer) { text, option throws(LocctlError) in
                    guard let answer = AnswerWords.answer(text) else {
                        throw ArgumentReading.refusal(text, option, option.words.joined(separator: ", "))
                    }
                    return answer
                })
        }
    }

    private func servicesAction() throws(LocctlError) -> Invocation.Action {
        switch operands.first {
        case nil: return .services
        case "on"?: return .setServices(isEnabled: true)
        case "off"?: return .setServices(isEnabled: false)
        case let word?: throw .usage("cannot switch location services \"\(printable(word))\": allowed is on, off")
        }
    }

    private func authorizeAction() throws(LocctlError) -> Invocation.Action {
        let app = try appOperand(.authorize)
        let accuracy = try value(.grantedAccuracy) { text, option throws(LocctlError) in
            try ArgumentReading.word(text, option, AccuracyAuthorization.self)
        }
        guard operands.count > 1 else {
            guard accuracy != nil else {
                throw .usage(
                    "cannot authorize without a decision: "
                        + "allowed is \(AuthorizationWords.all.joined(separator: ", ")), or --accuracy alone")
            }
            return .authorize(AuthorizeParameters(app: app, accuracyAuthorization: accuracy))
        }
        guard let word = AuthorizationWords(rawValue: operands[1]) else {
            throw .usage(
                "cannot authorize \"\(printable(operands[1]))\": "
                    + "allowed is \(AuthorizationWords.all.joined(separator: ", "))")
        }
        guard word != .reset else {
            guard accuracy == nil else { throw .usage("cannot use --accuracy with reset: everything is forgotten") }
            return .resetAuthorization(app: app)
        }
        return .authorize(
            AuthorizeParameters(
                app: app, authorizationStatus: word.status, accuracyAuthorization: accuracy, once: word == .once))
    }

    private func requestsAction() throws(LocctlError) -> Invocation.Action {
        guard let first = operands.first else { return .requests }
        guard let number = UInt64(first), number > 0, number < 1 << 53 else {
            throw ArgumentReading.refusal(first, of: "a request", "its number, as locctl requests prints it")
        }
        let words = AnswerWords.all.joined(separator: ", ")
        guard operands.count > 1 else {
            throw .usage("cannot answer request \(number) without an answer: allowed is \(words)")
        }
        guard let answer = AnswerWords.answer(operands[1]) else {
            throw ArgumentReading.refusal(operands[1], of: "an answer", words)
        }
        return .answerRequest(number, answer)
    }

    private func connectionOperand() throws(LocctlError) -> UInt64 {
        guard let word = operands.first else {
            throw .usage("cannot close a connection without its number: `locctl status` shows it")
        }
        guard let number = UInt64(word), number > 0, number < 1 << 53 else {
            throw ArgumentReading.refusal(word, of: "a connection", "its number, as locctl status shows it")
        }
        return number
    }

    private func appOperand(_ command: LocctlCommand) throws(LocctlError) -> String {
        guard let app = operands.first else {
            throw .usage("cannot run locctl \(command.rawValue) without an app: `locctl apps` names them")
        }
        guard (1...256).contains(app.utf8.count) else {
            throw ArgumentReading.refusal(app, of: "an app", "1 to 256 bytes")
        }
        return app
    }
}
