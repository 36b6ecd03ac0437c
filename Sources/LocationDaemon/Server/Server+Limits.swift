// SPDX-License-Identifier: Apache-2.0

extension Server {
    /// Why a user may have no other connection; nil: it may.
    func objection(to uid: UInt32) -> String? {
        let limits = service.configuration.limits
        guard count < (uid == 0 ? limits.connections : limits.connections - limits.reservedConnections) else {
            return "\(limits.connections) in all are allowed"
        }
        guard uid == 0 || perUser[uid, default: 0] < limits.connectionsPerUser else {
            return "user \(uid) has \(limits.connectionsPerUser) already"
        }
        return nil
    }
}
