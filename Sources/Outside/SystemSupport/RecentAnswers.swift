// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Answers of the system's databases of users and groups, each taken for a short while: a screen of hundreds of connections asks for the
/// same few, and the databases may be files, or slower.
package struct RecentAnswers<Question: Hashable, Answer> {
    /// How long an answer is taken for the one that would be given.
    package static var lifetime: TimeSpan { .seconds(2) }

    /// Asks the database; tests have users of their own.
    package var ask: (Question) -> Answer?
    private var answers: [Question: Answer?] = [:]
    private var askedAt = BootInstant(nanoseconds: 0)

    /// Nothing was asked yet.
    package init(_ ask: @escaping (Question) -> Answer?) { self.ask = ask }

    /// The answer of the database; nil: it has none.
    package mutating func answer(to question: Question, at now: BootInstant) -> Answer? {
        if now - askedAt > Self.lifetime {
            answers.removeAll()
            askedAt = now
        }
        if let known = answers[question] { return known }
        let answer = ask(question)
        answers[question] = .some(answer)
        return answer
    }
}
