// SPDX-License-Identifier: Apache-2.0

extension GPSDAddress {
    /// Whether every program of this machine can ask gpsd itself, which tells its location to all who do. A firewall may know better.
    ///
    /// - Parameter isAlone: This process has a network of its own.
    func isOpenToAll(isAlone: Bool) -> Bool {
        switch self {
        case .tcp: !isAlone
        // The path's permissions decide.
        case .unix: false
        }
    }
}
