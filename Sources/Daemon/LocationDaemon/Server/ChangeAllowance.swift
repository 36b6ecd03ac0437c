// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// How many durable changes a user may make (Protocol 8.4).
struct ChangeRate {
    /// In a second, for long.
    var perSecond: Int
    /// At once, after none for a while.
    var burst: Int

    fileprivate var most: Double { Double(max(perSecond, burst)) }
}

/// How many durable changes each user may still make. More wait; what a client said before it went cannot, and is owed.
struct ChangeAllowance {
    /// Changes that a user may owe: all that the apps of a few clients hold, and no more than a moment of writing.
    static let mostOwed = 128.0

    private struct Account {
        var balance: Double
        var at: BootInstant
    }

    private var accounts: [UInt32: Account] = [:]

    /// Takes one change of a user; nil: done, else when there is one again.
    mutating func take(_ uid: UInt32, rate: ChangeRate, at now: BootInstant) -> BootInstant? {
        take(uid, rate: rate, owing: 0, at: now)
    }

    /// Takes one change of a user whose client cannot wait; it must be paid back before the user may make the next. False: too much is owed.
    mutating func owe(_ uid: UInt32, rate: ChangeRate, at now: BootInstant) -> Bool {
        take(uid, rate: rate, owing: ChangeAllowance.mostOwed, at: now) == nil
    }

    private mutating func take(_ uid: UInt32, rate: ChangeRate, owing: Double, at now: BootInstant) -> BootInstant? {
        let (most, perSecond) = (rate.most, Double(rate.perSecond))
        var account = accounts[uid] ?? Account(balance: most, at: now)
        account.balance = min(account.balance + (now - account.at).seconds * perSecond, most)
        account.at = now
        // A user that has the whole allowance again needs no account.
        if accounts.count > 256 {
            accounts = accounts.filter { $0.value.balance + (now - $0.value.at).seconds * perSecond < most }
        }
        guard account.balance + owing >= 1 else {
            accounts[uid] = account
            return now + .seconds((1 - account.balance) / perSecond)
        }
        account.balance -= 1
        accounts[uid] = account
        return nil
    }
}

/// Connections whose next request is a change beyond their user's allowance.
struct ChangeQueue {
    private var allowance = ChangeAllowance()
    private var waiting: [Int: (due: BootInstant, order: UInt64)] = [:]
    private var order: UInt64 = 0

    /// When the first of them may go on; nil: none waits.
    var firstDue: BootInstant? { waiting.values.map(\.due).min() }

    func isWaiting(_ connection: Int) -> Bool { waiting[connection] != nil }

    /// Takes a change, or lets the connection wait. True: the change may be made now.
    mutating func enter(_ connection: Int, _ uid: UInt32, rate: ChangeRate, at now: BootInstant) -> Bool {
        guard let due = allowance.take(uid, rate: rate, at: now) else {
            waiting[connection] = nil
            return true
        }
        order += 1
        waiting[connection] = (due, order)
        return false
    }

    /// Takes a change of a client that is gone. False: its user owes too much.
    mutating func owe(_ uid: UInt32, rate: ChangeRate, at now: BootInstant) -> Bool {
        allowance.owe(uid, rate: rate, at: now)
    }

    mutating func leave(_ connection: Int) { waiting[connection] = nil }

    /// Takes out the connections that may try again, the longest waiting first; one with another change then goes behind the others.
    mutating func takeDue(at now: BootInstant) -> [Int] {
        let due = waiting.filter { $0.value.due <= now }.sorted { $0.value.order < $1.value.order }.map(\.key)
        for connection in due { waiting[connection] = nil }
        return due
    }
}

extension Method {
    /// Whether carrying it out is a change of its user's allowance. What acknowledges is bounded by what was stored, and administrators are
    /// trusted.
    var isCharged: Bool { effect == .durable || effect == .durablePreparation }
}
