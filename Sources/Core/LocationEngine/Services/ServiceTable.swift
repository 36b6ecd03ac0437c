// SPDX-License-Identifier: Apache-2.0

/// A service of one manager.
protocol ManagerService: Sendable {
    var manager: ManagerID { get }
}

/// The running services of one kind, at most one for a manager, packed so that a fix touches nothing else.
struct ServiceTable<Service: ManagerService>: Sendable {
    private(set) var services: [Service] = []
    /// Position by manager slot; -1: none.
    private var positions: [Int32] = []

    var isEmpty: Bool { services.isEmpty }
    var indices: Range<Int> { services.indices }

    subscript(position: Int) -> Service {
        _read { yield services[position] }
        _modify { yield &services[position] }
    }

    /// All services in place, for work that must cost nothing more than it does.
    @inline(__always)
    mutating func withServices(_ body: (UnsafeMutableBufferPointer<Service>) -> Void) {
        services.withUnsafeMutableBufferPointer { body($0) }
    }

    func position(of manager: ManagerID) -> Int? {
        guard manager.index < positions.count, positions[manager.index] >= 0 else { return nil }
        return Int(positions[manager.index])
    }

    func contains(_ manager: ManagerID) -> Bool { position(of: manager) != nil }

    subscript(of manager: ManagerID) -> Service? { position(of: manager).map { services[$0] } }

    mutating func insert(_ service: Service) {
        let index = service.manager.index
        while positions.count <= index { positions.append(-1) }
        if positions[index] >= 0 {
            services[Int(positions[index])] = service
        } else {
            positions[index] = Int32(services.count)
            services.append(service)
        }
    }

    /// The last service takes the place of the removed one.
    @discardableResult
    mutating func remove(_ manager: ManagerID) -> Service? {
        guard let position = position(of: manager) else { return nil }
        positions[manager.index] = -1
        let removed = services[position]
        let moved = services.removeLast()
        if moved.manager != manager {
            services[position] = moved
            positions[moved.manager.index] = Int32(position)
        }
        return removed
    }
}
