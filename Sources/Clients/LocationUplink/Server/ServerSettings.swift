// SPDX-License-Identifier: Apache-2.0
import CCurl

/// How the server that takes messages by HTTP is reached, and who this is there.
package struct ServerSettings: Sendable, Equatable {
    /// How this device proves who it is.
    package enum Proof: Sendable, Equatable {
        case none
        /// A name and a password, sent with each request.
        case password(user: String, password: String)
        /// A token, sent with each request.
        case token(String)
    }

    /// `https://HOST[:PORT]/PATH`.
    package var url = ""
    /// Follows a `?`, and is shown to nobody, for servers that want a key there; nil: nothing.
    package var query: String?
    /// Values of the headers `X-Limit-U` and `X-Limit-D`, by which OwnTracks' Recorder files what it gets.
    package var user = "", device = ""
    /// How this device proves who it is.
    package var proof = Proof.none
    /// Authorities that vouch for the server.
    package var authorities = Authorities.system
    /// Files in PEM that prove who this is: a certificate and its key.
    package var certificate: ClientCertificate?

    /// A server of which nothing is known yet.
    package init() {}

    /// The URL for people, without what may be a secret: no query, which may hold a key.
    package var shown: String { String(url.prefix { $0 != "?" }) }
}

/// URLs of HTTP, as the library understands them that uses them.
enum ServerURL {
    /// Whether `text` is one: with a host, which the library would take from the path, with a port that can be, and without a fragment,
    /// which nobody would get.
    static func isOne(_ text: String) -> Bool {
        guard !text.contains(":///") else { return false }
        return parsed(text) { url in
            ["http", "https"].contains(part(CURLUPART_SCHEME, of: url)) && part(CURLUPART_FRAGMENT, of: url) == nil
                && part(CURLUPART_PORT, of: url).map { Int($0) != 0 } ?? true
        } ?? false
    }

    /// Whether it names a user or has a password.
    static func hasUser(_ text: String) -> Bool {
        parsed(text) { part(CURLUPART_USER, of: $0) != nil || part(CURLUPART_PASSWORD, of: $0) != nil } ?? false
    }

    /// Whether what is sent there is encrypted.
    static func isEncrypted(_ text: String) -> Bool { parsed(text) { part(CURLUPART_SCHEME, of: $0) } == "https" }

    // nil: it is none.
    private static func parsed<Answer>(_ text: String, _ read: (OpaquePointer) -> Answer) -> Answer? {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        return curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK ? read(url) : nil
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var found: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &found, 0) == CURLUE_OK, let found else { return nil }
        defer { curl_free(found) }
        return String(cString: found)
    }
}
