// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A manager as locationd 0.1.0 wrote it into its slot, so that an upgrade loses no client. It says nothing of where services stand: its
/// client has to come back.
package struct ManagerRecordVersion1: Decodable {
    private struct Significant: Decodable {
        var y: Double?
        var x: Double?
        var t: Int64?
        var p: UInt64
    }

    private struct OldDeferral: Decodable {
        var n: UInt32
        var m: Double?
        var t: Int64
    }

    private struct OldRequest: Decodable {
        var n: UInt32
        var t: Int64
        var b: UInt64
        var a: Double?
    }

    private struct Finish: Decodable {
        var n: UInt32
        var e: Int?
        var s: UInt64
    }

    private let p: String
    private let q: [Double]
    private let s: [Double?]?
    private let a: UInt64
    private let c: Significant?
    private let d: OldDeferral?
    private let e: UInt32
    private let r: OldRequest?
    private let f: UInt32
    private let x: [Finish]
    private let k: Bool?
    private let g: Bool?
    private let i: Bool?
    private let h: Bool?
    /// Number and configuration of each stream of live updates, in turn.
    private let w: [Int]?
    /// Number and kind of each session, in turn.
    private let b: [Int]?
    /// The texts that sessions want full accuracy for, in the order of the sessions; empty: none.
    private let j: [String]?
    /// Number and hash of the name of each open monitor, in turn.
    private let m: [UInt64]?
    /// The numbers given last: live updates, sessions, monitors.
    private let o: [UInt32]?
    private let z: [Int]?

    /// The record; nil: no manager can have been so.
    package var record: ManagerRecord? {
        guard let presence = Presence(rawValue: p), let properties = ManagerProperties(coded: q) else { return nil }
        var record = ManagerRecord(app: AppID(rawValue: 0), presence: presence)
        record.properties = properties
        record.keepsEvents = k ?? false
        record.allowance = z.flatMap { UseAllowance(coded: $0) }
        guard fillUpdates(&record) else { return nil }
        fillNumbers(&record)
        record.heading.isWanted = h ?? false
        return record.isUsable ? record : nil
    }

    private func fillUpdates(_ record: inout ManagerRecord) -> Bool {
        guard let place = Self.place(s?.first ?? nil, s?.dropFirst().first ?? nil), let changed = Self.place(c?.y, c?.x)
        else { return false }
        record.standard.isWanted = s != nil
        record.standard.start = a
        record.standard.hasGap = g ?? false
        record.standard.wasPaused = i ?? false
        record.standard.reference = s?.count == 3 ? place : nil
        record.standard.referenceAccuracy = (s?.last ?? nil) ?? 0
        if let c {
            record.significantChange.isWanted = true
            record.significantChange.pending = c.p
            record.significantChange.reference = SignificantReference(
                place: changed, date: c.t.map { BootInstant(nanoseconds: $0) })
        }
        record.deferral.lastNumber = e
        record.deferral.running = d.map {
            Deferral(number: $0.n, endOfTravel: $0.m ?? .infinity, deadline: BootInstant(nanoseconds: $0.t))
        }
        record.request.lastNumber = f
        record.request.pending = r.map {
            LocationRequest(
                number: $0.n, deadline: BootInstant(nanoseconds: $0.t), best: $0.b, bestAccuracy: $0.a ?? .infinity)
        }
        record.deferral.unconfirmed = x.map {
            FinishedDeferral(
                number: $0.n, error: $0.e.map { LocationErrorCode(rawValue: $0) }, through: $0.s)
        }
        return x.allSatisfy { $0.n.isUsable && $0.s.isUsable }
    }

    private func fillNumbers(_ record: inout ManagerRecord) {
        for index in stride(from: 0, to: (w?.count ?? 0) - 1, by: 2) {
            guard let w, let stream = LiveService.Stream(coded: [Int64(w[index]), Int64(w[index + 1])]) else {
                continue
            }
            record.live.streams.append(stream)
        }
        for index in stride(from: 0, to: (b?.count ?? 0) - 1, by: 2) {
            guard let b, let number = UInt32(exactly: b[index]), let kind = Session.Kind(coded: b[index + 1]) else {
                continue
            }
            let purpose = j.flatMap { $0.indices.contains(index / 2) ? $0[index / 2] : nil } ?? ""
            record.sessions.held.append(
                Session(number: number, kind: kind, purposeKey: purpose.isEmpty ? nil : purpose))
        }
        for index in stride(from: 0, to: (m?.count ?? 0) - 1, by: 2) {
            guard let m, let held = Monitors.Held(coded: [m[index], m[index + 1]]) else { continue }
            record.monitors.held.append(held)
        }
        guard let o, o.count == 3 else { return }
        record.live.lastNumber = o[0]
        record.sessions.lastNumber = o[1]
        record.monitors.lastNumber = o[2]
    }

    /// nil: there can be no such place; .some(nil): none is said.
    private static func place(_ latitude: Double?, _ longitude: Double?) -> Coordinate?? {
        guard let latitude, let longitude else { return .some(nil) }
        return Coordinate(coded: [latitude, longitude]).map { .some($0) }
    }
}
