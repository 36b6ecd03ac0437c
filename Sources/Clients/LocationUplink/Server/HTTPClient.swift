// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import LocationModel
import LocationProtocol

/// One server of libcurl's, and one request at a time. It runs on the caller's thread and only when it is called; names are looked up by
/// a thread of the library's own, which ends with that.
final class HTTPClient {
    /// A socket is watched for these.
    struct Interest {
        var reading: Bool
        var writing: Bool
    }

    /// The end of a request.
    enum Outcome {
        case answered(status: Int, retryAfter: Int64)
        /// There was no answer.
        case failed(String)
    }

    /// Bytes of an answer that are listened to. Commands for phones may stand there, which are for nobody here.
    private static let mostBody = 64 << 10

    private let watch: (Int32, Interest?) -> Void
    private let wake: (TimeSpan?) -> Void
    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The library writes what went wrong into it.
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var isBusy = false
    private var body = 0
    private var outcome: Outcome?

    /// The first instance sets the library up, once for the process.
    private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// `watch`: a socket from now on; nil: no longer. `wake`: call `work(on: nil)` after so long; nil: no longer.
    init(
        _ settings: ServerSettings, watch: @escaping (Int32, Interest?) -> Void, wake: @escaping (TimeSpan?) -> Void
    ) throws(BrokerTrouble) {
        guard HTTPClient.library == CURLE_OK, let multi = curl_multi_init(), let easy = curl_easy_init() else {
            throw BrokerTrouble("cannot set libcurl up")
        }
        (self.multi, self.easy, self.watch, self.wake) = (multi, easy, watch, wake)
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        let owner = Unmanaged.passUnretained(self).toOpaque()
        ccurl_on_events(
            multi,
            { _, socket, what, owner, _ in
                HTTPClient.of(owner)?.watch(
                    socket,
                    what == CURL_POLL_REMOVE
                        ? nil
                        : Interest(
                            reading: what & CURL_POLL_IN != 0, writing: what & CURL_POLL_OUT != 0))
                return 0
            },
            { _, milliseconds, owner in
                HTTPClient.of(owner)?.wake(milliseconds < 0 ? nil : .milliseconds(Int64(milliseconds)))
                return 0
            }, owner)
        try check(ccurl_set_words(easy, words))
        try check(
            ccurl_on_body(
                easy, { _, size, count, owner in HTTPClient.of(owner)?.received(size * count) ?? 0 }, owner))
        try configure(settings)
    }

    deinit {
        ccurl_on_events(multi, nil, nil, nil)
        if isBusy { curl_multi_remove_handle(multi, easy) }
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        curl_slist_free_all(headers)
        words.deallocate()
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> HTTPClient? {
        owner.map { Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func configure(_ settings: ServerSettings) throws(BrokerTrouble) {
        var url = settings.url
        if let query = settings.query { url += (url.contains("?") ? "&" : "?") + query }
        try set(CURLOPT_URL, url)
        // An answer that points elsewhere is not followed: the place would go where nobody said.
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_POST, 1)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_USERAGENT, "locationd-uplink/\(locationdVersion)")
        // Else the library would interrupt its lookups by a signal.
        try set(CURLOPT_NOSIGNAL, 1)
        switch settings.proof {
        case .none: break
        case .password(let user, let password):
            try set(CURLOPT_USERNAME, user)
            try set(CURLOPT_PASSWORD, password)
        case .token(let token):
            try check(ccurl_set_token(easy, token))
        }
        try set(CURLOPT_CAINFO, settings.authorities.file)
        try set(CURLOPT_CAPATH, settings.authorities.directory)
        if let certificate = settings.certificate {
            try set(CURLOPT_SSLCERT, certificate.file)
            try set(CURLOPT_SSLKEY, certificate.key)
        }
        for header in [
            "Content-Type: application/json", "X-Limit-U: \(settings.user)", "X-Limit-D: \(settings.device)",
        ] {
            headers = curl_slist_append(headers, header)
        }
        try check(ccurl_set_headers(easy, headers))
    }

    private func set(_ option: CURLoption, _ number: Int) throws(BrokerTrouble) {
        try check(ccurl_set_number(easy, option, number))
    }

    private func set(_ option: CURLoption, _ text: String?) throws(BrokerTrouble) {
        try check(ccurl_set_text(easy, option, text))
    }

    private func check(_ result: CURLcode) throws(BrokerTrouble) {
        guard result != CURLE_OK else { return }
        throw BrokerTrouble("cannot set the connection up: \(String(cString: curl_easy_strerror(result)))")
    }

    // MARK: Requests

    /// Begins to send `bytes`; the outcome comes later.
    func post(_ bytes: [UInt8]) throws(BrokerTrouble) {
        words[0] = 0
        body = 0
        outcome = nil
        try check(ccurl_set_body(easy, bytes, bytes.count))
        isBusy = curl_multi_add_handle(multi, easy) == CURLM_OK
        if !isBusy { throw BrokerTrouble("cannot begin a request") }
    }

    /// Goes on with a socket that is ready, or because the time has come.
    func work(on fd: Int32?) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, fd ?? CURL_SOCKET_TIMEOUT, 0, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            finish(message.pointee.data.result)
        }
    }

    private func finish(_ result: CURLcode) {
        let status = ccurl_status(easy)
        // A server that has said 200 has the message, whatever else it says.
        let isAnswered = result == CURLE_OK || result == CURLE_WRITE_ERROR && body > HTTPClient.mostBody
        let told = String(cString: words)
        outcome =
            isAnswered && status > 0
            ? .answered(status: status, retryAfter: Int64(ccurl_retry_after(easy)))
            : .failed(told.isEmpty ? String(cString: curl_easy_strerror(result)) : told)
        curl_multi_remove_handle(multi, easy)
        isBusy = false
    }

    /// The end of the request, told once; nil: it goes on.
    func takeOutcome() -> Outcome? {
        defer { outcome = nil }
        return outcome
    }

    // Less than what came ends the request.
    private func received(_ count: Int) -> Int {
        body += count
        return body > HTTPClient.mostBody ? 0 : count
    }
}
