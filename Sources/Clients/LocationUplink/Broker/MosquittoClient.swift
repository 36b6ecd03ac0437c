// SPDX-License-Identifier: Apache-2.0
import CMosquitto
import Glibc

/// One connection of libmosquitto, made anew for each attempt: what the library did not deliver goes with it, because the daemon's log is
/// the queue. It runs on the caller's thread and only when it is called.
final class MosquittoClient {
    /// One thing that the broker did.
    enum Event {
        /// It accepted the connection, or refused it and says why.
        case answered(refusal: String?)
        /// It has a message, or refuses it and says why.
        case published(Int32, refusal: String?)
        /// The connection is gone.
        case gone(reason: String)
    }

    /// Events that came since they were taken last, oldest first.
    private(set) var events: [Event] = []
    private let client: OpaquePointer
    private let version: BrokerSettings.Version
    private let trust: BrokerSettings.Trust
    /// Errors that the library told its log while it connects with encryption, oldest first.
    private var complaints: [String] = []
    /// The most of them that are kept.
    private static let mostComplaints = 4

    /// The first instance sets the library up, once for the process.
    private static let library: Int32 = mosquitto_lib_init()

    /// `will`: what the broker sends when the connection breaks.
    init(_ settings: BrokerSettings, will: Message) throws(BrokerTrouble) {
        _ = MosquittoClient.library
        // A clean session: what waits for us at the broker would wait for ever if we never came back.
        guard let created = mosquitto_new(settings.clientID, true, nil) else {
            throw BrokerTrouble("cannot make a client of the broker: \(String(cString: strerror(errno)))")
        }
        client = created
        version = settings.version
        trust = settings.trust
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        try configure(settings, will)
        setCallbacks()
    }

    deinit { mosquitto_destroy(client) }

    private func configure(_ settings: BrokerSettings, _ will: Message) throws(BrokerTrouble) {
        let number = settings.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, number), "choose the version of MQTT")
        try check(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1), "set up the socket")
        mosquitto_max_inflight_messages_set(client, UInt32(UplinkCarrier.broker.window))
        if let username = settings.username {
            try check(mosquitto_username_pw_set(client, username, settings.password), "use the user name and password")
        }
        switch settings.trust {
        case .none: break
        case .authorities(let trusted):
            let result = mosquitto_tls_set(
                client, trusted.file, trusted.directory, settings.certificate?.file, settings.certificate?.key, nil)
            let files = [trusted.file ?? trusted.directory, settings.certificate?.file, settings.certificate?.key]
            try check(result, "use the certificates of \(files.compactMap { $0 }.joined(separator: ", "))")
        case .sharedKey(let identity, let key):
            try check(mosquitto_tls_psk_set(client, key, identity, nil), "use the shared key")
        }
        if settings.trust != .none, let alpn = settings.alpn {
            try check(mosquitto_string_option(client, MOSQ_OPT_TLS_ALPN, alpn), "use ALPN=\(alpn)")
        }
        try check(
            mosquitto_will_set(client, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained),
            "set the will")
    }

    private func check(_ result: Int32, _ action: String) throws(BrokerTrouble) {
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw BrokerTrouble("cannot \(action): \(words(result))")
    }

    // MARK: The connection

    /// Begins to connect; the answer is an event. The system's resolver may keep the caller waiting.
    ///
    /// - Parameter onlyIPv4: Pass over the addresses of IPv6, which the library would try first and alone.
    func connect(_ settings: BrokerSettings, onlyIPv4: Bool) throws(BrokerTrouble) {
        let result = mosquitto_connect_bind_async(
            client, settings.host, Int32(settings.port), Int32(settings.keepAlive), onlyIPv4 ? "0.0.0.0" : nil)
        // Negative: it goes on by itself.
        guard result > 0 else { return }
        let reason =
            result == MOSQ_ERR_EAI.rawValue
            ? String(cString: gai_strerror(errno)) : words(result)
        throw BrokerTrouble("cannot connect to \(settings.host):\(settings.port): \(reason)")
    }

    /// Says goodbye, so that the broker does not send the will.
    func disconnect() { mosquitto_disconnect(client) }

    /// The socket; -1: there is none.
    var fileDescriptor: Int32 { mosquitto_socket(client) }

    /// Whether bytes wait for the socket.
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// Reads and writes what the socket has and takes.
    func work() {
        note(mosquitto_loop_read(client, 1))
        if wantsToWrite { note(mosquitto_loop_write(client, 1)) }
    }

    /// Keeps the connection alive, and finds that it is dead.
    func keepAlive() { note(mosquitto_loop_misc(client)) }

    /// Hands over a message, and returns its number.
    func publish(_ message: Message) throws(BrokerTrouble) -> Int32 {
        var number: Int32 = 0
        let result = mosquitto_publish_v5(
            client, &number, message.topic, Int32(message.payload.count), message.payload, 1, message.isRetained, nil)
        guard result == MOSQ_ERR_SUCCESS.rawValue else {
            throw BrokerTrouble("cannot publish to \(message.topic): \(words(result))")
        }
        return number
    }

    /// Takes out the events that came since the last call.
    func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    // MARK: What the library says

    private func setCallbacks() {
        if trust != .none {
            mosquitto_log_callback_set(client) { _, owner, level, line in
                guard level == MOSQ_LOG_ERR, let line else { return }
                MosquittoClient.of(owner)?.complain(String(cString: line))
            }
        }
        mosquitto_connect_v5_callback_set(client) { _, owner, code, _, _ in
            MosquittoClient.of(owner)?.answered(code)
        }
        mosquitto_publish_v5_callback_set(client) { _, owner, number, code, _ in
            // Success, or nobody has subscribed to it.
            let refusal = code < 0x80 ? nil : String(cString: mosquitto_reason_string(code))
            MosquittoClient.of(owner)?.events.append(.published(number, refusal: refusal))
        }
        mosquitto_disconnect_v5_callback_set(client) { _, owner, code, _ in
            guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
            MosquittoClient.of(owner)?.gone(code)
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> MosquittoClient? {
        owner.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func answered(_ code: Int32) {
        guard code != 0 else {
            // From here on it would write a line for each message.
            mosquitto_log_callback_set(client, nil)
            return events.append(.answered(refusal: nil))
        }
        let words = version == .v5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
        events.append(.answered(refusal: words.map { String(cString: $0) } ?? "code \(code)"))
    }

    private func gone(_ code: Int32) {
        // The broker's own reasons begin at 128.
        let reason = code >= 0x80 ? String(cString: mosquitto_reason_string(code)) : words(code)
        events.append(.gone(reason: reason))
    }

    private func note(_ result: Int32) {
        guard result > 0 else { return }
        events.append(.gone(reason: words(result)))
    }

    private func words(_ code: Int32) -> String {
        if code == MOSQ_ERR_ERRNO.rawValue { return String(cString: strerror(errno)) }
        let words = String(cString: mosquitto_strerror(code))
        guard code == MOSQ_ERR_TLS.rawValue, let trust = trust.shown else { return words }
        return "\(complaints.isEmpty ? words : "TLS: " + complaints.joined(separator: "; ")) (with \(trust))"
    }

    // The library has one code for all that TLS finds; only its log tells more, also of what OpenSSL says.
    private func complain(_ line: String) {
        guard complaints.count < MosquittoClient.mostComplaints else { return }
        // "OpenSSL Error[0]: error:CODE:LIBRARY:FUNCTION:REASON", or "Error: REASON."
        let colons = line.hasPrefix("OpenSSL") ? 5 : 1
        let parts = line.split(separator: ":", maxSplits: colons, omittingEmptySubsequences: false)
        let reason = parts.last?.drop { $0 == " " } ?? ""
        complaints.append(String(reason.hasSuffix(".") ? reason.dropLast() : reason))
    }
}
