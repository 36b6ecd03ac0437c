// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// Decides when to ask gpsd about a receiver that has gone silent, and when gpsd itself counts as dead.
///
/// gpsd 3.22 waits for its devices without a timeout and does not notice a pulled cable by itself; any command wakes it.
/// The first answer still lists such a device, so a second question follows. A healthy gpsd can be stuck for 62 s
/// (closing the socket of a client that does not read), so only a longer silence ends the connection.
struct SilenceWatch {
    static let secondQuestion = TimeSpan.seconds(2)
    static let laterQuestions = TimeSpan.seconds(60)
    static let answerLimit = TimeSpan.seconds(75)

    private static let margin = TimeSpan.milliseconds(500)

    private var questions = 0
    private var firstQuestion = BootInstant(nanoseconds: 0)
    private var lastQuestion = BootInstant(nanoseconds: 0)
    private var unansweredSince: BootInstant?

    /// Whether a question about the present silence was asked.
    var isAsking: Bool { questions > 0 }

    /// When gpsd counts as dead; nil while nothing was asked in vain.
    var giveUpAt: BootInstant? { unansweredSince.map { $0 + Self.answerLimit } }

    /// When to ask next about a silence that counts as one from `deadline` on: twice, once more when data that was new at
    /// the first question is older than `patience`, and from time to time.
    ///
    /// Data looks new at the first question even of a device that is gone: gpsd opens it again then, in vain.
    func nextQuestion(deadline: BootInstant, patience: TimeSpan) -> BootInstant {
        switch questions {
        case 0: deadline
        case 1: max(deadline, lastQuestion + Self.secondQuestion)
        case 2: max(deadline, firstQuestion + patience + Self.margin, lastQuestion + Self.secondQuestion)
        default: max(deadline, lastQuestion + Self.laterQuestions)
        }
    }

    mutating func asked(at now: BootInstant) {
        if questions == 0 { firstQuestion = now }
        questions += 1
        lastQuestion = now
        unansweredSince = unansweredSince ?? now
    }

    /// A line came: gpsd lives.
    mutating func heardGPSD() { unansweredSince = nil }

    /// No receiver is silent any more.
    mutating func silenceEnded() { questions = 0 }
}
