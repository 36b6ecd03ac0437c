// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// A method of the protocol: everything that is known of a request, said once.
///
/// Each is declared in the file of its family beside the values that it takes, and stands in that family's list. Reading,
/// writing, `rpc.discover`, the manual page, who may ask and what a request costs follow from the declaration. To add one: a case of
/// `Request`, or of `Call` where the engine is not asked, the declaration, and what carries it out.
package final class Method: Sendable {
    /// The clients that may send it.
    package enum Sender: Sendable, Hashable {
        /// Apps, for what they are told or may.
        case app
        /// Any client, also one that is no app.
        case anyone
        /// Agents and administrators.
        case agent
        /// Programs that the configuration names, and administrators.
        case provider
        /// Administrators.
        case administrator
    }

    /// How long the effect of a request lasts.
    package enum Effect: Sendable, Hashable {
        /// Nothing that outlives its connection and the time in which it may be taken back.
        case passing
        /// Something that outlives the program. It is no writing to the disk of the client's own.
        case lasting
        /// Something that outlives the program, by a writing to the disk for this client alone.
        case durable
        /// A writing to the disk for this client alone, which serves only what is asked next.
        case durablePreparation
        /// A person's decision. The daemon writes one that allows more before it is in force; one that allows less is in force at once.
        case decision
    }

    /// Things that a connection can have several of, each with a number from 1.
    package enum NumberedKind: Sendable, Hashable, CaseIterable {
        case updates, monitor, session
    }

    /// On the wire.
    package let name: String
    /// For people.
    package let summary: String
    /// Its members, in the order in which they are read and written.
    package let params: [JSONSchema.Member]
    /// The shape of what it is answered with.
    package let result: JSONSchema
    /// The refusals that it can have beside those of every request.
    package let errors: [RPCErrorCode]
    /// Core Location's name for it; nil where it has nothing like it.
    package let coreLocation: String?
    package let sender: Sender
    package let effect: Effect
    /// The kind of thing that it opens and its result numbers; nil: none.
    package let opens: NumberedKind?
    /// The kind of thing that it closes; nil: none.
    package let closes: NumberedKind?
    /// The request that it undoes, of a service that is on or off; nil: none.
    package let undoes: Request?

    /// Reads params. Throws -32602 for the first member that is not allowed.
    let read: @Sendable (GivenObject) throws(RPCError) -> Call
    /// Writes the members of a request of this method.
    let write: @Sendable (Call, inout JSONWriter) -> Void
    /// Whether the call is one of this method.
    let isOf: @Sendable (Call) -> Bool
    /// The call with what the closure says in place of the number of a stream, monitor or session.
    let renumber: @Sendable (Call, (NumberedKind, UInt64) -> UInt64) -> Call

    /// A method with these members.
    ///
    /// - Parameters:
    ///   - call: The request, from the values of its members in order.
    ///   - values: Those of the members; nil: the call is another method's.
    init<each Value: Sendable>(
        _ name: String, _ summary: String, _ members: repeat Member<each Value>, result: JSONSchema = .nothing,
        errors: [RPCErrorCode] = [], coreLocation: String? = nil, sender: Sender = .app, effect: Effect = .passing,
        opens: NumberedKind? = nil, closes: NumberedKind? = nil, undoes: Request? = nil,
        check: (@Sendable (GivenObject, repeat each Value) throws(RPCError) -> Void)? = nil,
        call: @escaping @Sendable (repeat each Value) -> Call,
        values: @escaping @Sendable (Call) -> (repeat each Value)?
    ) {
        let parts = (repeat each members)
        var descriptions: [JSONSchema.Member] = []
        var names: [StaticString] = []
        for member in repeat each members {
            descriptions.append(member.description)
            names.append(member.name)
        }
        self.name = name
        self.summary = summary
        params = descriptions
        self.result = result
        self.errors = errors
        self.coreLocation = coreLocation
        self.sender = sender
        self.effect = effect
        self.opens = opens
        self.closes = closes
        self.undoes = undoes
        read = { [names] object throws(RPCError) in
            try object.refuseOthers(than: names)
            let given = (repeat try (each parts).read(object))
            try check?(object, repeat each given)
            return call(repeat each given)
        }
        write = { call, writer in
            guard let given = values(call) else { return }
            repeat (each parts).write(each given, &writer)
        }
        isOf = { call in if let _ = values(call) { true } else { false } }
        renumber = { former, number in
            guard let given = values(former) else { return former }
            return call(repeat (each parts).renumber(each given, number))
        }
    }

    /// A method whose requests are for the engine.
    ///
    /// - Parameters:
    ///   - request: The request, from the values of its members in order.
    ///   - values: Those of the members; nil: the request is another method's.
    convenience init<each Value: Sendable>(
        _ name: String, _ summary: String, _ members: repeat Member<each Value>, result: JSONSchema = .nothing,
        errors: [RPCErrorCode] = [], coreLocation: String? = nil, sender: Sender = .app, effect: Effect = .passing,
        opens: NumberedKind? = nil, closes: NumberedKind? = nil, undoes: Request? = nil,
        check: (@Sendable (GivenObject, repeat each Value) throws(RPCError) -> Void)? = nil,
        request: @escaping @Sendable (repeat each Value) -> Request,
        values: @escaping @Sendable (Request) -> (repeat each Value)?
    ) {
        self.init(
            name, summary, repeat each members, result: result, errors: errors, coreLocation: coreLocation,
            sender: sender, effect: effect, opens: opens, closes: closes, undoes: undoes, check: check,
            call: { (value: repeat each Value) in .asked(request(repeat each value)) },
            values: { call in if case .asked(let request) = call { values(request) } else { nil } })
    }

    /// A method without members, whose request is always `call`.
    convenience init(
        _ name: String, _ summary: String, _ call: Call, result: JSONSchema = .nothing, errors: [RPCErrorCode] = [],
        coreLocation: String? = nil, sender: Sender = .app, effect: Effect = .passing
    ) {
        self.init(
            name, summary, result: result, errors: errors, coreLocation: coreLocation, sender: sender, effect: effect,
            call: { call }, values: { $0 == call ? () : nil })
    }

    /// A method without members, whose request is always `request`.
    convenience init(
        _ name: String, _ summary: String, _ request: Request, result: JSONSchema = .nothing,
        errors: [RPCErrorCode] = [], coreLocation: String? = nil, sender: Sender = .app, effect: Effect = .passing,
        opens: NumberedKind? = nil, undoes: Request? = nil
    ) {
        self.init(
            name, summary, result: result, errors: errors, coreLocation: coreLocation, sender: sender, effect: effect,
            opens: opens, undoes: undoes, request: { request }, values: { $0 == request ? () : nil })
    }
}

extension Method: Hashable {
    /// Methods are the same if their names are.
    package static func == (left: Method, right: Method) -> Bool { left.name == right.name }
    /// By name.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Method: CaseIterable {
    /// Every method, in the order in which a reader wants to learn them.
    package static var allCases: [Method] { families.flatMap { $0() } }

    /// A search goes no further than the family that has the method: a daemon makes the declarations only of what it is asked.
    private static let families: [@Sendable () -> [Method]] = [
        { session }, { standardUpdates }, { deferral }, { significantChange }, { consent }, { regions }, { visits },
        { heading }, { ranging }, { liveUpdates }, { monitors }, { sessions }, { acknowledgement }, { operation },
        { history }, { providers }, { beaconProviders }, { agents }, { notices }, { administration },
    ]

    private static func first(where isMeant: (Method) -> Bool) -> Method? {
        for family in families {
            if let method = family().first(where: isMeant) { return method }
        }
        return nil
    }

    /// The method of a name; nil: there is none.
    package static func named(_ name: String) -> Method? { first { $0.name == name } }

    fileprivate static func of(_ call: Call) -> Method? { first { $0.isOf(call) } }
}

extension Call {
    /// The declaration of its method.
    package var method: Method {
        if let method = Method.of(self) { return method }
        preconditionFailure("cannot find the method of \(self): each call has one in its family's list")
    }
}

extension Request {
    /// The declaration of its method.
    package var method: Method { Call.asked(self).method }

    /// The stream, monitor or session that it is about; nil: it is about none that has a number already.
    package var numbered: (kind: Method.NumberedKind, number: UInt64)? {
        var found: (Method.NumberedKind, UInt64)?
        _ = method.renumber(.asked(self)) { kind, number in
            found = (kind, number)
            return number
        }
        return found
    }

    /// The same about the stream, monitor or session `number`.
    package func about(_ number: UInt64) -> Request {
        method.renumber(.asked(self)) { _, _ in number }.request ?? self
    }

    /// The request that undoes it, of a service that is on or off; nil: none.
    package var opposite: Request? { method.undoes ?? Request.undoing[self] }

    /// The services that are on or off, each as what begins it, in the order of the methods.
    package static let switches = Method.allCases.compactMap(\.undoes)

    private static let undoing = Dictionary(
        uniqueKeysWithValues: Method.allCases.compactMap { method in
            method.undoes.flatMap { begin in (try? method.read(GivenObject(nil)))?.request.map { (begin, $0) } }
        })
}
