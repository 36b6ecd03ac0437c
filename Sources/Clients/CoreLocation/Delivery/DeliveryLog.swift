// SPDX-License-Identifier: Apache-2.0

/// Lines for the developer about what no callback tells. They never have coordinates.
struct DeliveryLog: Sendable {
    private let write: @Sendable (String) -> Void
    private let said = SaidLines()

    /// Where all of the library says what it has to say.
    init() { self.init { ApplicationLog.write($0) } }

    /// To `write`, a line without its end at a time.
    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// Says `line`.
    func say(_ line: String) { write(line.replacing("\n", with: " ")) }

    /// Says `line` unless something was said for `key` before.
    func sayOnce(_ key: String, _ line: @autoclosure () -> String) {
        if said.isNews(key) { say(line()) }
    }
}
