// SPDX-License-Identifier: Apache-2.0

extension DeliveryLog {
    /// Of all managers of the process: what each of a hundred would say is said once.
    static let ofManagers = DeliveryLog()

    /// Says `line` unless it was said before: another reason, or another subject, is another line.
    func sayOnce(_ line: String) { sayOnce(line, line) }
}
