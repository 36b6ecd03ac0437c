// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Reads NMEA 0183 sentences into the reports that gpsd would make of them, one of each kind per epoch.
///
/// An epoch is a run of sentences with one time of day. Its reports (SKY, GST, TPV in this order) come when the next one
/// begins, or with `finish`. Errors are computed from dilutions with gpsd's constants, so that the same accuracy model
/// serves. For recordings; nothing here waits or guesses what a receiver usually does.
package struct NMEAReader {
    /// Sentences read.
    package private(set) var sentences = 0
    /// Lines that are no sentence or whose checksum is wrong.
    package private(set) var badLines = 0
    /// Sentences that nothing here needs.
    package private(set) var unknownSentences = 0

    private let receiver: ReceiverID
    private var epoch = NMEAEpoch()
    // The last date that an RMC told, and the time of day it belonged to.
    private var date: (midnight: Int64, timeOfDay: Int)?

    /// A reader of the recording of one receiver.
    package init(receiver: ReceiverID = ReceiverID(rawValue: 0)) {
        self.receiver = receiver
    }

    /// Takes one line without its end; appends the reports of the epoch that it ends.
    package mutating func read(_ line: UnsafeRawBufferPointer, into reports: inout [GPSDReport]) {
        do {
            let sentence = try NMEASentence(line)
            sentences += 1
            take(sentence, into: &reports)
        } catch .unknownFormatter {
            unknownSentences += 1
        } catch {
            badLines += 1
        }
    }

    /// The recording is over: appends the reports of the last epoch.
    package mutating func finish(into reports: inout [GPSDReport]) {
        emit(into: &reports)
    }

    private mutating func take(_ sentence: NMEASentence, into reports: inout [GPSDReport]) {
        if let timeOfDay = sentence.epochTime {
            if let current = epoch.timeOfDay, current != timeOfDay { emit(into: &reports) }
            epoch.timeOfDay = timeOfDay
        }
        if sentence.formatter == .rmc, let told = sentence.date(9), let timeOfDay = epoch.timeOfDay {
            let year = told.year < 80 ? 2000 + told.year : 1900 + told.year
            let midnight = WallTime(year: year, month: told.month, day: told.day)
            date = (midnight.milliseconds, timeOfDay)
        }
        epoch.take(sentence)
    }

    private mutating func emit(into reports: inout [GPSDReport]) {
        guard let timeOfDay = epoch.timeOfDay else { return }
        let time = wallTime(timeOfDay)
        if let sky = epoch.sky(receiver) { reports.append(.sky(sky)) }
        if let gst = epoch.gst(receiver, time: time) { reports.append(.gst(gst)) }
        reports.append(.tpv(epoch.tpv(receiver, time: time)))
        epoch = NMEAEpoch()
    }

    // Without a date there is no time. After the last dated sentence, a time of day half a day smaller is the next day.
    private mutating func wallTime(_ timeOfDay: Int) -> WallTime? {
        guard var date else { return nil }
        let halfDay = 43_200_000
        if timeOfDay < date.timeOfDay - halfDay { date.midnight += 86_400_000 }
        if timeOfDay > date.timeOfDay + halfDay { date.midnight -= 86_400_000 }
        date.timeOfDay = timeOfDay
        self.date = date
        return WallTime(milliseconds: date.midnight + Int64(timeOfDay))
    }
}

extension NMEASentence {
    /// The time of day of the epoch it belongs to, for the sentences that tell it.
    fileprivate var epochTime: Int? {
        switch formatter {
        case .rmc, .gga, .gst: timeOfDay(1)
        case .gll: timeOfDay(5)
        case .gsa, .vtg: nil
        }
    }
}
