// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Words on a command line for a person's answer to the question whether an app may have locations.
enum AnswerWords {
    private static let table: [(word: String, answer: AuthorizationAnswer)] = [
        ("always", .always), ("while-using", .whileUsing), ("once", .once), ("deny", .deny),
    ]

    /// All words.
    static let all = table.map(\.word)

    /// The answer of a whole word.
    static func answer(_ word: String) -> AuthorizationAnswer? { table.first { $0.word == word }?.answer }

    /// The answer of a line at a terminal: a word or the beginning of one, in either case.
    static func typed(_ line: String) -> AuthorizationAnswer? {
        let word = line.split(separator: " ").joined().lowercased()
        return word.isEmpty ? nil : table.first { $0.word.hasPrefix(word) }?.answer
    }

    /// The word of `answer`.
    static func word(_ answer: AuthorizationAnswer) -> String {
        table.first { $0.answer == answer }?.word ?? answer.rawValue
    }
}
