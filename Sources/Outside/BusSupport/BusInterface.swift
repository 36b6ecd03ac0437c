// SPDX-License-Identifier: Apache-2.0
import CSystemd

/// Something on the bus that can be called and has properties.
open class BusObject {
    /// An object that nobody knows of yet.
    public init() {}

    /// The outcome of a call.
    public enum Answer {
        /// It is answered with these values.
        case now([BusValue])
        /// The message is kept, and answered or refused later.
        case later
    }

    /// A call of one of the interface's methods.
    open func call(_ method: String, _ message: BusMessage) throws(BusError) -> Answer { .now([]) }

    /// The value of a property.
    open func value(of property: String) -> BusValue { .string("") }

    /// A change of a writable property, whose value is the next argument of `message`.
    open func set(_ property: String, _ message: BusMessage) throws(BusError) {}
}

/// Finds the object at a path for each message, so that objects need not be registered one by one.
package final class BusDirectory {
    fileprivate let find: (_ path: String, _ caller: String) -> BusObject?

    /// `find`: the object at a path for the connection with this unique name; nil: for it there is none.
    package init(find: @escaping (_ path: String, _ caller: String) -> BusObject?) { self.find = find }
}

/// An interface: what its objects can be called for, and the table that sd-bus has of it, which is never changed and lives as
/// long as the program.
package struct BusInterface: @unchecked Sendable {
    /// A method; arguments as D-Bus signatures, and their names, each ended by a NUL, the input's first.
    package struct Method {
        let name: StaticString
        let input: StaticString
        let output: StaticString
        let arguments: StaticString

        package init(
            name: StaticString, input: StaticString = "", output: StaticString = "", arguments: StaticString = ""
        ) {
            (self.name, self.input, self.output, self.arguments) = (name, input, output, arguments)
        }
    }

    package struct Property {
        let name: StaticString
        let signature: StaticString
        let isWritable: Bool
        let isConstant: Bool

        package init(
            name: StaticString, signature: StaticString, isWritable: Bool = false, isConstant: Bool = false
        ) {
            (self.name, self.signature, self.isWritable, self.isConstant) = (name, signature, isWritable, isConstant)
        }
    }

    package struct Signal {
        let name: StaticString
        let signature: StaticString
        let arguments: StaticString

        package init(name: StaticString, signature: StaticString, arguments: StaticString) {
            (self.name, self.signature, self.arguments) = (name, signature, arguments)
        }
    }

    package let name: String
    let table: UnsafePointer<sd_bus_vtable>

    package init(_ name: String, methods: [Method] = [], properties: [Property], signals: [Signal] = []) {
        self.name = name
        var entry = UnsafeMutablePointer<sd_bus_vtable>.allocate(
            capacity: methods.count + properties.count + signals.count + 2)
        table = UnsafePointer(entry)
        func add(_ fill: (UnsafeMutablePointer<sd_bus_vtable>) -> Void) {
            fill(entry)
            entry += 1
        }
        add { csystemd_vtable_start($0) }
        for method in methods {
            add {
                csystemd_vtable_method(
                    $0, method.name.text, method.input.text, method.output.text, method.arguments.text, called)
            }
        }
        for property in properties {
            let setter = property.isWritable ? written : nil
            add {
                csystemd_vtable_property(
                    $0, property.name.text, property.signature.text, property.isConstant, read, setter)
            }
        }
        for signal in signals {
            add { csystemd_vtable_signal($0, signal.name.text, signal.signature.text, signal.arguments.text) }
        }
        add { csystemd_vtable_end($0) }
    }
}

extension StaticString {
    fileprivate var text: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

// MARK: What sd-bus calls

private func object(_ data: UnsafeMutableRawPointer?) -> BusObject? {
    data.map { Unmanaged<BusObject>.fromOpaque($0).takeUnretainedValue() }
}

private func tell(_ error: BusError, _ place: UnsafeMutablePointer<sd_bus_error>?) -> Int32 {
    sd_bus_error_set(place, error.name, error.message)
}

private let called: sd_bus_message_handler_t = { message, data, error in
    guard let message, let object = object(data) else { return 0 }
    let call = BusMessage(lent: message)
    do throws(BusError) {
        if case .now(let values) = try object.call(call.member, call) { call.reply(values) }
        return 1
    } catch let refusal {
        return tell(refusal, error)
    }
}

private let read: sd_bus_property_get_t = { _, _, _, property, reply, data, _ in
    guard let property, let reply, let object = object(data) else { return 0 }
    BusMessage(lent: reply).append(object.value(of: String(cString: property)))
    return 1
}

private let written: sd_bus_property_set_t = { _, _, _, property, value, data, error in
    guard let property, let value, let object = object(data) else { return 0 }
    do throws(BusError) {
        try object.set(String(cString: property), BusMessage(lent: value))
        return 1
    } catch let refusal {
        return tell(refusal, error)
    }
}

let findObject: sd_bus_object_find_t = { bus, path, _, data, found, _ in
    guard let path, let data else { return 0 }
    let directory = Unmanaged<BusDirectory>.fromOpaque(data).takeUnretainedValue()
    let caller = sd_bus_get_current_message(bus).flatMap { sd_bus_message_get_sender($0) }.map { String(cString: $0) }
    guard let object = directory.find(String(cString: path), caller ?? "") else { return 0 }
    found?.pointee = Unmanaged.passUnretained(object).toOpaque()
    return 1
}
