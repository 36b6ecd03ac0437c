// SPDX-License-Identifier: Apache-2.0

extension Database {
    /// Numbers of authorization requests are reserved so many at a time.
    private static let requestBlock: UInt64 = 64

    /// Whether location services are on for everyone; true if nobody said otherwise.
    package func locationServicesEnabled() throws(StoreError) -> Bool {
        var isEnabled = true
        try connection.statement("SELECT location_services_enabled FROM service WHERE id = 1")
            .forEachRow { row in isEnabled = row.flag(0) }
        return isEnabled
    }

    /// Turns location services on or off for everyone.
    package func setLocationServicesEnabled(_ isEnabled: Bool) throws(StoreError) {
        haveDecisionsChanged = true
        try change(
            .power,
            """
            INSERT INTO service (id, location_services_enabled) VALUES (1, ?)
            ON CONFLICT (id) DO UPDATE SET location_services_enabled = excluded.location_services_enabled
            """, .flag(isEnabled))
    }

    /// A number for an authorization request that none had before, across restarts and power cuts too; counts from 1.
    ///
    /// Throws if no more can be reserved: no number is given then.
    package func nextAuthorizationRequest() throws(StoreError) -> UInt64 {
        let known: (next: UInt64, reserved: UInt64)
        if let requests { known = requests } else { known = try startOfRequests() }
        if known.next > known.reserved {
            let bound = known.reserved + Database.requestBlock
            try keepRequests(above: bound)
            requests = (known.next + 1, bound)
        } else {
            requests = (known.next + 1, known.reserved)
        }
        return known.next
    }

    private func startOfRequests() throws(StoreError) -> (next: UInt64, reserved: UInt64) {
        let reserved = try connection.integer("SELECT authorization_requests FROM service WHERE id = 1")
        let bound = UInt64(max(0, reserved))
        return (bound + 1, bound)
    }

    /// Numbers up to `bound` will not be given by a later process.
    func keepRequests(above bound: UInt64) throws(StoreError) {
        try change(
            .power,
            """
            INSERT INTO service (id, authorization_requests) VALUES (1, ?)
            ON CONFLICT (id) DO UPDATE SET
                authorization_requests = max(authorization_requests, excluded.authorization_requests)
            """, .count(bound))
    }

    /// Returns the state that the visit detector wrote last; nil: none.
    package func stay() throws(StoreError) -> [UInt8]? {
        var state: [UInt8]?
        try connection.statement("SELECT state FROM stay WHERE id = 1").forEachRow { row in state = row.bytes(0) }
        return state
    }

    /// Keeps what the visit detector needs to go on after a restart; nil: nothing. Its form is the detector's own.
    package func saveStay(_ state: [UInt8]?, _ durability: Durability = .process) throws(StoreError) {
        if let state {
            try change(durability, "INSERT OR REPLACE INTO stay (id, state) VALUES (1, ?)", .blob(state))
        } else {
            try change(durability, "DELETE FROM stay")
        }
    }
}
