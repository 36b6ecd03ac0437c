// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// How many durable changes each user may still make: so many a second, and as many at once (protocol.md, limits). More wait.
struct ChangeAllowance {
    private struct Account {
        var balance: Double
        var at: BootInstant
    }

    private var accounts: [UInt32: Account] = [:]

    /// Takes one change of a user; nil: done, else when there is one again.
    mutating func take(_ uid: UInt32, rate: Int, at now: BootInstant) -> BootInstant? {
        let most = Double(rate)
        var account = accounts[uid] ?? Account(balance: most, at: now)
        account.balance = min(account.balance + (now - account.at).seconds * most, most)
        account.at = now
        // Who has not spent anything lately needs no account.
        if accounts.count > 256 { accounts = accounts.filter { now - $0.value.at < .seconds(1) } }
        guard account.balance >= 1 else {
            accounts[uid] = account
            return now + .seconds((1 - account.balance) / most)
        }
        account.balance -= 1
        accounts[uid] = account
        return nil
    }
}

extension Call {
    /// Whether carrying it out writes to the disk for this client alone. What acknowledges is bounded by what was stored, and
    /// administrators are trusted.
    var isDurableChange: Bool {
        switch self {
        case .startMonitoring, .stopMonitoring, .startMonitoringVisits, .stopMonitoringVisits, .openMonitor,
            .addCondition, .removeCondition, .startMonitoringSignificantLocationChanges,
            .stopMonitoringSignificantLocationChanges:
            true
        default: false
        }
    }
}
