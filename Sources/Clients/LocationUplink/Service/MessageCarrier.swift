// SPDX-License-Identifier: Apache-2.0

/// The one door to what takes messages: a broker, or a server. What it does comes as events.
protocol MessageCarrier: AnyObject {
    /// Begins to connect, after whatever was before; `attempt` counts from 1 until one succeeds. An event says how it ended.
    func connect(attempt: Int)
    /// Ends the connection; what is in flight is forgotten.
    func disconnect()
    /// Hands over a message; an event with `token` says what became of it. Without a connection nothing happens.
    func publish(_ token: UInt64, _ message: Message)
}
