// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
package import LocationModel
package import SystemSupport

/// sd-event for one thread: descriptors, one timer on the boot-time clock, signals, the watchdog.
///
/// Handlers run on the loop's thread. `dispatched` runs after every handler: it is where timers are set anew.
package final class EventLoop {
    /// Runs after each handler.
    package var dispatched: () -> Void = {}
    /// The `sd_event` itself, to attach other things of libsystemd to it.
    package let event: OpaquePointer
    private var served: [Source] = []

    /// The loop of this thread.
    package init() throws(SystemError) {
        var created: OpaquePointer?
        let result = sd_event_default(&created)
        guard result >= 0, let created else { throw SystemError(cannot: "create the event loop", code: -result) }
        event = created
    }

    deinit { sd_event_unref(event) }

    /// Feeds systemd's watchdog from the loop itself, if the unit asks for one.
    package func feedWatchdog() { sd_event_set_watchdog(event, 1) }

    /// Runs until `exit`. Returns 0, or another number when the message bus that it serves has gone.
    @discardableResult
    package func run() throws(SystemError) -> Int32 {
        let result = sd_event_loop(event)
        try check(result, "run the event loop")
        return result
    }

    /// Serves one source, if one is ready before `patience` is over. False: none was.
    package func runOnce(within patience: TimeSpan) throws(SystemError) -> Bool {
        let result = sd_event_run(event, UInt64(max(patience.nanoseconds, 0)) / 1000)
        try check(result, "run the event loop")
        return result > 0
    }

    /// Makes `run` return after this turn.
    package func exit() { sd_event_exit(event, 0) }

    /// Watches `fd`, which must stay open until the source is gone, until the returned source is gone.
    package func watch(_ fd: Int32, forWriting: Bool = false, _ handler: @escaping () -> Void) throws(SystemError)
        -> Source
    {
        let box = Source(loop: self, handler)
        let interest = UInt32(forWriting ? EPOLLOUT.rawValue : EPOLLIN.rawValue)
        let result = sd_event_add_io(
            event, &box.source, fd, interest,
            { _, _, _, box in Source.run(box) }, box.pointer)
        try check(result, "watch descriptor \(fd)")
        return box
    }

    /// The signal must be blocked in all threads.
    package func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> Source {
        let box = Source(loop: self, handler)
        let result = sd_event_add_signal(
            event, &box.source, signal,
            { _, _, box in Source.run(box) }, box.pointer)
        try check(result, "handle signal \(signal)")
        return box
    }

    /// Runs `handler` for each of these signals as long as the loop is there. Only before the process has threads: the signals wait
    /// for the loop from now on.
    package func serve(_ signals: Int32..., handler: @escaping () -> Void) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        guard sigprocmask(SIG_BLOCK, &set, nil) == 0 else { throw SystemError(cannot: "block signals") }
        for signal in signals { served.append(try onSignal(signal, handler)) }
    }

    /// Watches a directory for files that are written, come, go or change their rights, until the returned source is gone.
    package func watch(directory: String, _ handler: @escaping () -> Void) throws(SystemError) -> Source {
        let box = Source(loop: self, handler)
        let changes = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        let result = sd_event_add_inotify(
            event, &box.source, directory, UInt32(changes | IN_ONLYDIR),
            { _, _, box in Source.run(box) }, box.pointer)
        try check(result, "watch \(directory)")
        return box
    }

    /// A timer that is off until it is set.
    package func timer(_ handler: @escaping () -> Void) throws(SystemError) -> Timer {
        let box = Source(loop: self, handler)
        let result = sd_event_add_time(
            event, &box.source, CLOCK_BOOTTIME, UInt64.max, 1,
            { _, _, box in Source.run(box) }, box.pointer)
        try check(result, "create a timer")
        return Timer(box)
    }

    /// Something to be done in the next turn of the loop, after everybody else had a turn; off until `Source.enableOnce`.
    package func deferred(_ handler: @escaping () -> Void) throws(SystemError) -> Source {
        let box = Source(loop: self, handler)
        let result = sd_event_add_defer(
            event, &box.source,
            { _, box in Source.run(box) }, box.pointer)
        try check(result, "defer work")
        sd_event_source_set_enabled(box.source, Int32(SD_EVENT_OFF))
        return box
    }

    private func check(_ result: Int32, _ action: String) throws(SystemError) {
        if result < 0 { throw SystemError(cannot: action, code: -result) }
    }

    /// A handler that sd-event calls; gone with its last reference.
    package final class Source {
        fileprivate var source: OpaquePointer?
        private let handler: () -> Void
        private unowned let loop: EventLoop

        fileprivate init(loop: EventLoop, _ handler: @escaping () -> Void) {
            self.loop = loop
            self.handler = handler
        }

        deinit { sd_event_source_disable_unref(source) }

        fileprivate var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        // The result is what sd-event wants of a handler that did its work.
        fileprivate static func run(_ pointer: UnsafeMutableRawPointer?) -> Int32 {
            guard let pointer else { return 0 }
            // The handler may let go of its own source.
            let box = Unmanaged<Source>.fromOpaque(pointer).takeUnretainedValue()
            withExtendedLifetime(box) {
                box.handler()
                box.loop.dispatched()
            }
            return 0
        }

        /// Lets go of the descriptor at once, also from inside the handler, which keeps the source itself alive until it returns.
        package func cancel() { sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF)) }

        /// For a descriptor: what it is watched for from now on.
        package func setInterest(reading: Bool, writing: Bool) {
            let interest = (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
            sd_event_source_set_io_events(source, UInt32(interest))
        }

        /// For deferred work: run once, in the next turn.
        package func enableOnce() { sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT)) }

        /// Rank among sources that are ready in the same turn; lower comes first, 0 is usual.
        package func setPriority(_ priority: Int64) { sd_event_source_set_priority(source, priority) }
    }

    /// One timer with a window, so that the kernel and sd-event can serve several at once.
    package final class Timer {
        private let box: Source
        private var window: WakeWindow?

        fileprivate init(_ box: Source) { self.box = box }

        /// Sets the timer to a window, or off.
        package func set(_ new: WakeWindow?) {
            // It went off when it fired: then even the same window is another one.
            guard new != window || sd_event_source_get_enabled(box.source, nil) == 0 else { return }
            window = new
            guard let new else {
                sd_event_source_set_enabled(box.source, Int32(SD_EVENT_OFF))
                return
            }
            let kernel = ClockSpeed.kernelWindow(of: new)
            // Rounded up: served no earlier than asked.
            let earliest = UInt64(max(kernel.earliest.nanoseconds, 0) + 999) / 1000
            let accuracy = UInt64(max((kernel.latest - kernel.earliest).nanoseconds, 1000)) / 1000
            sd_event_source_set_time(box.source, earliest)
            sd_event_source_set_time_accuracy(box.source, accuracy)
            sd_event_source_set_enabled(box.source, Int32(SD_EVENT_ONESHOT))
        }

        /// Sets the timer to a time from now, or up to `slack` later.
        package func set(in span: TimeSpan, slack: TimeSpan) {
            let next = bootClock() + span
            set(WakeWindow(earliest: next, latest: next + slack))
        }
    }
}
