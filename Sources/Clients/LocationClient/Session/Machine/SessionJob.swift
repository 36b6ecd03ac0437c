// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// A request to the daemon, in the words of the program: the daemon's numbers are filled in when it is sent.
struct SessionJob: Sendable {
    enum Content: Sendable, Hashable {
        /// The program's own wish.
        case command(SessionCommand)
        /// The program wished it earlier, of a manager that the daemon has forgotten.
        case restore(SessionCommand)
        case query(UInt64, SessionQuery)
        /// Ends what the daemon may have begun by a request whose reply was lost, or what nobody here knows.
        case end(Method.NumberedKind, UInt64)
    }

    var content: Content
    /// Which deferral or one-shot request of the program it is about, from 1; 0: about none.
    var ordinal: UInt64 = 0
    /// The one-shot request has been answered without the daemon: what it says no longer counts.
    var isAbandoned = false

    var command: SessionCommand? {
        switch content {
        case .command(let command), .restore(let command): command
        case .query, .end: nil
        }
    }

    var isRestoration: Bool {
        if case .restore = content { true } else { false }
    }
}

/// A job that the daemon has, and has not replied to.
struct SentJob: Sendable {
    var id: Int64
    var job: SessionJob
}

/// Jobs in the order in which they are to be sent.
struct JobQueue: Sendable {
    private var jobs: [SessionJob] = []
    private var taken = 0

    var count: Int { jobs.count - taken }
    var isEmpty: Bool { count == 0 }
    var first: SessionJob? { isEmpty ? nil : jobs[taken] }
    var all: ArraySlice<SessionJob> { jobs[taken...] }

    mutating func append(_ job: SessionJob) {
        // Properties that nobody has seen yet are one change.
        if !isEmpty, case .command(let command) = job.content, case .setProperties(let later) = command.request,
            case .command(let former) = jobs[jobs.count - 1].content, case .setProperties(let earlier) = former.request
        {
            jobs[jobs.count - 1].content = .command(SessionCommand(.setProperties(earlier.followed(by: later))))
        } else if count >= 2, case .command(let command) = job.content, let opposite = command.request.opposite,
            jobs[jobs.count - 1].content == .command(SessionCommand(opposite)),
            jobs[jobs.count - 2].content == job.content
        {
            // Switched on, off and on again, or the other way round, before anybody heard of it.
            jobs.removeLast()
        } else {
            jobs.append(job)
        }
    }

    mutating func putFirst(_ first: [SessionJob]) {
        guard !first.isEmpty else { return }
        jobs.replaceSubrange(..<taken, with: first)
        taken = 0
    }

    mutating func removeFirst() {
        taken += 1
        if taken == jobs.count {
            jobs.removeAll(keepingCapacity: jobs.count <= 16)
            taken = 0
        }
    }

    mutating func removeAll(where isUnwanted: (SessionJob) -> Bool) {
        jobs = jobs[taken...].filter { !isUnwanted($0) }
        taken = 0
    }
}

extension PropertiesPatch {
    /// This change and then `later`, as one.
    func followed(by later: PropertiesPatch) -> PropertiesPatch {
        PropertiesPatch(
            distanceFilter: later.distanceFilter ?? distanceFilter,
            desiredAccuracy: later.desiredAccuracy ?? desiredAccuracy,
            activityType: later.activityType ?? activityType,
            pausesLocationUpdatesAutomatically: later.pausesLocationUpdatesAutomatically
                ?? pausesLocationUpdatesAutomatically,
            allowsBackgroundLocationUpdates: later.allowsBackgroundLocationUpdates ?? allowsBackgroundLocationUpdates,
            headingFilter: later.headingFilter ?? headingFilter)
    }
}
