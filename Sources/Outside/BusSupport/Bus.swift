// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
import LocationModel
package import SystemSupport
package import SystemdSupport

/// A message bus, the system's or the session's, served by the event loop. When it goes, the loop ends: the bus, or systemd, starts the program again.
package final class Bus {
    fileprivate let bus: OpaquePointer
    private var directories: [BusDirectory] = []
    private var objects: [BusObject] = []

    /// Connects; `DBUS_SYSTEM_BUS_ADDRESS` names another bus than the system's, `DBUS_SESSION_BUS_ADDRESS` than the session's.
    package init(_ loop: EventLoop, ofSession: Bool = false) throws(SystemError) {
        var opened: OpaquePointer?
        let result = ofSession ? sd_bus_open_user(&opened) : sd_bus_open_system(&opened)
        let name = ofSession ? "the session bus" : "the system bus"
        guard result >= 0, let opened else { throw SystemError(cannot: "connect to \(name)", code: -result) }
        bus = opened
        sd_bus_set_exit_on_disconnect(bus, 1)
        try check(sd_bus_attach_event(bus, loop.event, 0), "wait for \(name)")
    }

    deinit { sd_bus_flush_close_unref(bus) }

    private func check(_ result: Int32, _ action: String) throws(SystemError) {
        if result < 0 { throw SystemError(cannot: action, code: -result) }
    }

    // MARK: Names

    /// Takes a name, which must be free.
    package func own(_ name: String) throws(SystemError) {
        let result = sd_bus_request_name(bus, name, 0)
        if result == -EEXIST { throw SystemError("cannot own \(name) on the system bus: another program does") }
        try check(result, "own \(name) on the system bus")
    }

    /// Gives a name back. Calls of it that the bus has passed on already are here then, and are worked off by `work`.
    package func giveBack(_ name: String) { sd_bus_release_name(bus, name) }

    /// Works off what has come.
    package func work() { while sd_bus_process(bus, nil) > 0 {} }

    // MARK: Objects

    /// An object that is there for everybody, as long as the program.
    package func add(_ object: BusObject, at path: String, _ interface: BusInterface) throws(SystemError) {
        objects.append(object)
        let data = Unmanaged.passUnretained(object).toOpaque()
        try check(sd_bus_add_object_vtable(bus, nil, path, interface.name, interface.table, data), "serve \(path)")
    }

    /// Answers what objects there are at and below a path.
    package func addObjectManager(at path: String) throws(SystemError) {
        try check(sd_bus_add_object_manager(bus, nil, path), "serve \(path)")
    }

    /// All objects below a path that have the interface.
    package func add(_ directory: BusDirectory, below path: String, _ interface: BusInterface) throws(SystemError) {
        directories.append(directory)
        let data = Unmanaged.passUnretained(directory).toOpaque()
        let result = sd_bus_add_fallback_vtable(
            bus, nil, path, interface.name, interface.table, findObject, data)
        try check(result, "serve what is below \(path)")
    }

    // MARK: Signals

    /// Emits a signal to one connection.
    package func emit(
        _ signal: String, _ values: [BusValue], from path: String, _ interface: String, to destination: String
    ) {
        guard let message = newSignal(path, interface, signal) else { return }
        message.append(values)
        sd_bus_message_set_destination(message.message, destination)
        message.send()
    }

    /// Says that properties changed, to one connection; nil: to all.
    package func emitChanges(
        _ changes: [(name: String, value: BusValue)], of path: String, _ interface: String, to destination: String?
    ) {
        guard !changes.isEmpty,
            let message = newSignal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged")
        else { return }
        message.appendChanges(changes, of: interface)
        if let destination { sd_bus_message_set_destination(message.message, destination) }
        message.send()
    }

    private func newSignal(_ path: String, _ interface: String, _ signal: String) -> BusMessage? {
        var message: OpaquePointer?
        guard sd_bus_message_new_signal(bus, &message, path, interface, signal) >= 0 else { return nil }
        return message.map(BusMessage.init(adopting:))
    }

    // MARK: Others on the bus

    /// Calls a method of somebody else. `completion` gets the reply, or a refusal, and nothing once the object that is returned is gone.
    ///
    /// - Parameters:
    ///   - seconds: How long the answer may take.
    ///   - startsIt: The bus may start who is called. It must not for a question.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ values: [BusValue],
        within seconds: Double, startsIt: Bool = false, _ completion: @escaping (Result<BusMessage, BusError>) -> Void
    ) -> BusSlot {
        let slot = BusSlot { message in completion(message.refusal.map(Result.failure) ?? .success(message)) }
        var call: OpaquePointer?
        guard sd_bus_message_new_method_call(bus, &call, destination, path, interface, method) >= 0, let call else {
            return slot
        }
        let message = BusMessage(adopting: call)
        sd_bus_message_set_auto_start(call, startsIt ? 1 : 0)
        message.append(values)
        sd_bus_call_async(bus, &slot.slot, call, BusSlot.handler, slot.pointer, UInt64(seconds * 1e6))
        return slot
    }

    /// Calls a method of somebody else, whose answer nobody waits for.
    package func send(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ values: [BusValue]
    ) {
        var call: OpaquePointer?
        guard sd_bus_message_new_method_call(bus, &call, destination, path, interface, method) >= 0, let call else {
            return
        }
        let message = BusMessage(adopting: call)
        sd_bus_message_set_expect_reply(call, 0)
        sd_bus_message_set_auto_start(call, 0)
        message.append(values)
        message.send()
    }

    /// Hears all signals that a rule of the bus fits until the object that is returned is gone.
    package func listen(to rule: String, _ handler: @escaping (BusMessage) -> Void) -> BusSlot {
        let slot = BusSlot(handler)
        sd_bus_add_match_async(bus, &slot.slot, "type='signal'," + rule, BusSlot.handler, nil, slot.pointer)
        return slot
    }

    /// Hears a signal of one connection until the object that is returned is gone.
    package func listen(
        _ sender: String, _ path: String, _ interface: String, _ signal: String, _ handler: @escaping () -> Void
    ) -> BusSlot {
        let slot = BusSlot { _ in handler() }
        sd_bus_match_signal(bus, &slot.slot, sender, path, interface, signal, BusSlot.handler, slot.pointer)
        return slot
    }

    /// Calls `gone` once when a connection has left the bus. nil: it has left already.
    package func watch(_ name: String, gone: @escaping () -> Void) -> BusWatch? {
        let watch = BusWatch(gone)
        guard sd_bus_track_new(bus, &watch.track, BusWatch.handler, watch.pointer) >= 0,
            sd_bus_track_add_name(watch.track, name) >= 0
        else { return nil }
        return watch
    }
}

/// A handler that sd-bus has; gone with its last reference.
package final class BusSlot {
    fileprivate var slot: OpaquePointer?
    private let heard: (BusMessage) -> Void

    fileprivate init(_ heard: @escaping (BusMessage) -> Void) { self.heard = heard }

    deinit { sd_bus_slot_unref(slot) }

    fileprivate var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    fileprivate static let handler: sd_bus_message_handler_t = { message, data, _ in
        guard let message, let data else { return 0 }
        let slot = Unmanaged<BusSlot>.fromOpaque(data).takeUnretainedValue()
        // The handler may let go of its own slot.
        withExtendedLifetime(slot) { slot.heard(BusMessage(lent: message)) }
        return 0
    }
}

/// A look at one connection of the bus; gone with its last reference.
package final class BusWatch {
    fileprivate var track: OpaquePointer?
    private let gone: () -> Void

    fileprivate init(_ gone: @escaping () -> Void) { self.gone = gone }

    deinit { sd_bus_track_unref(track) }

    fileprivate var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    fileprivate static let handler: sd_bus_track_handler_t = { _, data in
        guard let data else { return 0 }
        let watch = Unmanaged<BusWatch>.fromOpaque(data).takeUnretainedValue()
        withExtendedLifetime(watch) { watch.gone() }
        return 0
    }
}
