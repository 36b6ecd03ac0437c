// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc

/// A message of the bus, to read or to fill and send.
public final class BusMessage {
    let message: OpaquePointer

    /// Takes over a reference.
    init(adopting message: OpaquePointer) { self.message = message }

    /// A message that sd-bus lends to a handler.
    init(lent message: OpaquePointer) { self.message = sd_bus_message_ref(message) }

    deinit { sd_bus_message_unref(message) }

    /// The unique name of the connection that sent it; empty: the bus did not say.
    package var sender: String { sd_bus_message_get_sender(message).map { String(cString: $0) } ?? "" }
    /// The method that is called.
    package var member: String { sd_bus_message_get_member(message).map { String(cString: $0) } ?? "" }

    /// The object that it is of.
    package var path: String { sd_bus_message_get_path(message).map { String(cString: $0) } ?? "" }

    // MARK: Reading

    /// The next argument, a string or an object's path.
    package func readText(_ type: Character) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try read(type, &text)
        return text.map { String(cString: $0) } ?? ""
    }

    /// The next argument, a number.
    package func readNumber() throws(BusError) -> UInt32 {
        var number: UInt32 = 0
        try read("u", &number)
        return number
    }

    /// The next argument, yes or no.
    package func readBoolean() throws(BusError) -> Bool {
        var value: Int32 = 0
        try read("b", &value)
        return value != 0
    }

    /// Enters the variant that comes next, which must hold a value of `signature`.
    package func enterVariant(of signature: String) throws(BusError) {
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "v")), signature) > 0 else {
            throw .invalidArguments("cannot read \(member): a variant of \(signature) is expected")
        }
    }

    /// Leaves the variant that was entered.
    package func exit() { sd_bus_message_exit_container(message) }

    /// The next argument, a number from -32768.
    package func readInt16() throws(BusError) -> Int16 {
        var number: Int16 = 0
        try read("n", &number)
        return number
    }

    /// The next argument, a number up to 65535.
    package func readUInt16() throws(BusError) -> UInt16 {
        var number: UInt16 = 0
        try read("q", &number)
        return number
    }

    /// The next argument, an array of bytes.
    package func readBytes() throws(BusError) -> [UInt8] {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard sd_bus_message_read_array(message, code("y"), &bytes, &count) >= 0 else {
            throw .invalidArguments("cannot read \(member): bytes are expected")
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// The next argument, an array of strings.
    package func readTexts() throws(BusError) -> [String] {
        var texts: [String] = []
        try each("s") { () throws(BusError) in texts.append(try readText("s")) }
        return texts
    }

    /// Calls `body` for each entry of the dictionary that comes next: it has to read the whole entry. `contents`: `{sv}`, for instance.
    package func eachEntry(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try each(contents) { () throws(BusError) in
            guard sd_bus_message_enter_container(message, code("e"), String(contents.dropFirst().dropLast())) > 0 else {
                throw .invalidArguments("cannot read \(member): an entry of \(contents) is expected")
            }
            try body()
            exit()
        }
    }

    private func each(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        guard sd_bus_message_enter_container(message, code("a"), contents) > 0 else {
            throw .invalidArguments("cannot read \(member): an array of \(contents) is expected")
        }
        while sd_bus_message_at_end(message, 0) == 0 { try body() }
        exit()
    }

    /// Passes over the next argument.
    package func skip(_ signature: String) throws(BusError) {
        guard sd_bus_message_skip(message, signature) >= 0 else {
            throw .invalidArguments("cannot read \(member): \(signature) is expected")
        }
    }

    private func read(_ type: Character, _ place: UnsafeMutableRawPointer) throws(BusError) {
        guard sd_bus_message_read_basic(message, code(type), place) > 0 else {
            throw .invalidArguments("cannot read the arguments of \(member)")
        }
    }

    // MARK: Filling

    package func append(_ values: [BusValue]) { for value in values { append(value) } }

    package func append(_ value: BusValue) {
        switch value {
        case .string(let text), .path(let text):
            let type = code(Character(value.signature))
            _ = text.withCString { sd_bus_message_append_basic(message, type, $0) }
        case .uint32(var number): sd_bus_message_append_basic(message, code("u"), &number)
        case .int32(var number): sd_bus_message_append_basic(message, code("i"), &number)
        case .strings(let texts): container("a", "s") { for text in texts { append(.string(text)) } }
        case .boolean(let isTrue):
            var number: Int32 = isTrue ? 1 : 0
            sd_bus_message_append_basic(message, code("b"), &number)
        case .byte(var number): sd_bus_message_append_basic(message, code("y"), &number)
        case .uint16(var number): sd_bus_message_append_basic(message, code("q"), &number)
        case .double(var number): sd_bus_message_append_basic(message, code("d"), &number)
        case .pattern(var start, var type, let bytes):
            container("a", "(yyay)") {
                container("r", "yyay") {
                    sd_bus_message_append_basic(message, code("y"), &start)
                    sd_bus_message_append_basic(message, code("y"), &type)
                    sd_bus_message_append_array(message, code("y"), bytes, bytes.count)
                }
            }
        case .properties(let properties): append(properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        case .pair(var first, var second):
            container("r", "tt") {
                sd_bus_message_append_basic(message, code("t"), &first)
                sd_bus_message_append_basic(message, code("t"), &second)
            }
        }
    }

    /// The arguments of `PropertiesChanged`: `sa{sv}as`.
    package func appendChanges(_ changes: [(name: String, value: BusValue)], of interface: String) {
        append(.string(interface))
        append(changes)
        container("a", "s") {}
    }

    private func append(_ properties: [(name: String, value: BusValue)]) {
        container("a", "{sv}") {
            for (name, value) in properties {
                container("e", "sv") {
                    append(.string(name))
                    container("v", value.signature) { append(value) }
                }
            }
        }
    }

    private func container(_ type: Character, _ contents: String, _ fill: () -> Void) {
        sd_bus_message_open_container(message, code(type), contents)
        fill()
        sd_bus_message_close_container(message)
    }

    private func code(_ type: Character) -> CChar { CChar(truncatingIfNeeded: type.asciiValue ?? 0) }

    // MARK: Sending

    /// Sends it where it is addressed to. A message that cannot be sent is lost: then the bus, or the program, is on its way out.
    package func send() { sd_bus_send(nil, message, nil) }

    /// Answers this call.
    package func reply(_ values: [BusValue] = []) {
        var reply: OpaquePointer?
        guard sd_bus_message_new_method_return(message, &reply) >= 0, let reply else { return }
        let answer = BusMessage(adopting: reply)
        answer.append(values)
        answer.send()
    }

    /// Refuses this call.
    package func refuse(_ error: BusError) {
        var refusal = sd_bus_error()
        sd_bus_error_set(&refusal, error.name, error.message)
        sd_bus_reply_method_error(message, &refusal)
        sd_bus_error_free(&refusal)
    }

    /// For the reply to a call: the refusal, if it is one.
    package var refusal: BusError? {
        guard sd_bus_message_is_method_error(message, nil) > 0, let error = sd_bus_message_get_error(message) else {
            return nil
        }
        return BusError(
            name: error.pointee.name.map { String(cString: $0) } ?? "",
            message: error.pointee.message.map { String(cString: $0) } ?? "")
    }
}
