// SPDX-License-Identifier: Apache-2.0
public import LocationClient
package import LocationModel
public import LocationProtocol
package import SystemSupport
package import SystemdSupport

/// The connection of a program to locationd, in the program's event loop. It connects again for ever, and complains of each cause once.
///
/// A program greets and listens in a subclass.
open class DaemonLink {
    /// How long locationd may usually take for a reply.
    package static let usualTimeout = TimeSpan.seconds(5)

    /// The program's.
    package let loop: EventLoop
    private let address: DaemonAddress
    private let replyTimeout: TimeSpan
    private let say: (String) -> Void
    private var link: (connection: LocationConnection, source: EventLoop.Source)?
    private var isWanted = false
    private var wasRefused = false
    private var backoff = ReconnectBackoff()
    private var retry: EventLoop.Timer?
    private var reading: EventLoop.Source?
    private var complaints = ToldOnce()

    /// Not connected yet.
    ///
    /// - Parameters:
    ///   - replyTimeout: How long locationd may take for a reply; nothing else is served meanwhile.
    ///   - say: Tells an administrator.
    package init(
        _ loop: EventLoop, _ address: DaemonAddress, replyTimeout: TimeSpan = DaemonLink.usualTimeout,
        say: @escaping (String) -> Void
    ) throws(SystemError) {
        (self.loop, self.address, self.replyTimeout, self.say) = (loop, address, replyTimeout, say)
        retry = try loop.timer { [unowned self] in connect() }
        // Notifications that came together with a reply are read in a turn of their own: the reply's caller is served first.
        reading = try loop.deferred { [unowned self] in receive() }
    }

    // MARK: For subclasses

    /// The first requests of each connection. With what it throws the connection is given up, and tried again later.
    ///
    /// - Returns: Work that may need the connection, done as soon as there is one.
    open func greet(_ connection: LocationConnection) throws(LocationClientError) -> () -> Void { {} }

    /// Whether the connection goes on after a request that locationd refused.
    open func goesOn(after refusal: RPCError) -> Bool { false }

    /// Takes a notification; it may ask, and it may leave.
    open func heard(_ notification: Notification) {}

    /// Everything has been heard that had come.
    open func heardAll() {}

    /// The connection is gone, and the next attempt is set.
    open func lost(_ error: LocationClientError) {}

    /// The words for an attempt that failed.
    open func complaint(of error: any Error) -> String { "\(error)" }

    // MARK: Connecting

    /// Whether locationd was greeted, and is there as far as anybody knows.
    package var isConnected: Bool { link != nil }

    /// Connects, now or as soon as it can be done, until `leave`.
    package func connect() {
        isWanted = true
        guard link == nil else { return }
        do {
            let connection = try LocationConnection(to: address)
            connection.replyTimeout = replyTimeout
            let work = try greet(connection)
            let source = try loop.watch(connection.fileDescriptor) { [unowned self] in receive() }
            link = (connection, source)
            backoff = ReconnectBackoff()
            // A locationd that refused a request takes the greeting each time: its refusal is no news before it takes a request.
            if !wasRefused { complaints.forget() }
            reading?.enableOnce()
            work()
        } catch {
            guard isWanted else { return }
            complain(complaint(of: error))
            wait(backoff.nextDelay())
        }
    }

    /// Ends the connection until `connect`, with `farewell` if there is one; nothing is heard any more.
    package func leave(_ farewell: (LocationConnection) throws(LocationClientError) -> Void = { _ in }) {
        isWanted = false
        retry?.set(nil)
        if let link { try? farewell(link.connection) }
        unlink()
    }

    /// Asks, if there is a connection. With what `request` throws it is lost, unless it `goesOn` after that refusal.
    package func ask(_ request: (LocationConnection) throws(LocationClientError) -> Void) {
        guard let link else { return }
        do throws(LocationClientError) {
            try request(link.connection)
            wasRefused = false
            complaints.forget()
            reading?.enableOnce()
        } catch .refused(let refusal) where goesOn(after: refusal) {
            reading?.enableOnce()
        } catch {
            end(error)
        }
    }

    /// Says `reason`, unless it was said since locationd last did what it was asked for.
    package func complain(_ reason: String) { if complaints.isNew(reason) { say(reason) } }

    /// Connects again in `pause`, no sooner.
    package func wait(_ pause: TimeSpan) { retry?.set(in: pause, slack: .milliseconds(50)) }

    private func unlink() {
        // The loop lets go of the descriptor before the connection closes it.
        link?.source.cancel()
        link = nil
    }

    private func end(_ error: LocationClientError) {
        unlink()
        if case .refused = error { wasRefused = true }
        wait(backoff.nextDelay())
        lost(error)
    }

    private func receive() {
        while let connection = link?.connection {
            do throws(LocationClientError) {
                guard case .notification(let received) = try connection.nextNotification(by: bootClock()) else { break }
                heard(received.notification)
            } catch {
                end(error)
            }
        }
        heardAll()
    }
}
