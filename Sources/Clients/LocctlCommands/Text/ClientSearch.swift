// SPDX-License-Identifier: Apache-2.0
package import LocationProtocol

/// Finds the clients that a person means.
package enum ClientSearch {
    /// The clients whose connection or process has the number `name`, or whose app or identity has this name. Throws
    /// when there is none, naming those that there are.
    package static func clients(
        named name: String, in status: Status, except ownProcess: Int? = nil
    ) throws(LocctlError) -> [ManagerStatus] {
        guard let all = status.managers else {
            throw LocctlError(
                "cannot see the clients of the daemon: only administrators and apps that may have locations can",
                .refused)
        }
        let others = shown(in: all, except: ownProcess)
        let found = others.filter { matches($0, name) }
        guard found.isEmpty else { return found }
        let names = others.map { "\(ClientTable.name($0)) (connection \($0.connection))" }
        let present = names.isEmpty ? "there is none" : "there are " + names.joined(separator: ", ")
        throw LocctlError("cannot find a client \"\(printable(name))\": \(present)", .refused)
    }

    /// The app of this name, label or identity in a list of apps.
    package static func app(named name: String, in status: Status) -> AppStatus? {
        let apps = status.apps ?? []
        return apps.first { $0.app == name || $0.identity == name || $0.labels.contains(name) }
            ?? apps.first { $0.user == name && $0.identity == "uid:\($0.uid)" }
    }

    /// The clients of the one name that begins with `part`, or else has it in it; names in capitals and not are the same. None: no name
    /// fits. Throws when several do, naming them.
    package static func clients(
        like part: String, in status: Status, except ownProcess: Int? = nil
    ) throws(LocctlError) -> [ManagerStatus] {
        let named = shown(in: status.managers ?? [], except: ownProcess).map { manager in
            Candidate(
                name: ClientTable.name(manager),
                words: [manager.app, manager.user].compactMap { $0 } + words(manager.identity),
                manager)
        }
        return try theOne(like: part, among: named)
    }

    /// The app of the one name, label or identity that begins with `part`, or else has it in it; nil: none does. Throws when several do,
    /// naming them.
    package static func app(like part: String, in status: Status) throws(LocctlError) -> AppStatus? {
        let named = (status.apps ?? []).map { app in
            Candidate(
                name: printable(app.app),
                words: [app.app] + words(app.identity) + app.labels + [app.user].compactMap { $0 },
                app)
        }
        return try theOne(like: part, among: named).first
    }

    private struct Candidate<Value> {
        var name: String
        var words: [String]
        var value: Value

        init(name: String, words: [String], _ value: Value) {
            (self.name, self.words, self.value) = (name, words.map { $0.lowercased() }, value)
        }
    }

    private static func theOne<Value>(
        like part: String, among candidates: [Candidate<Value>]
    ) throws(LocctlError) -> [Value] {
        let part = part.lowercased()
        guard !part.isEmpty else { return [] }
        let beginning = candidates.filter { $0.words.contains { $0.hasPrefix(part) } }
        let found = beginning.isEmpty ? candidates.filter { $0.words.contains { $0.contains(part) } } : beginning
        let names = Set(found.map(\.name)).sorted()
        guard names.count > 1 else { return found.map(\.value) }
        throw LocctlError(
            "cannot tell which one \"\(printable(part))\" is: there are \(names.joined(separator: ", "))", .refused)
    }

    // `unit:gpxlogger.service uid:1000`, and each of its words with and without what is before the colon.
    private static func words(_ identity: String) -> [String] {
        let words = identity.split(separator: " ")
        let names = words.compactMap { word in word.firstIndex(of: ":").map { word[word.index(after: $0)...] } }
        return [identity] + (words + names).map(String.init)
    }

    /// The clients that are worth a word: not this process, and none that has gone and asked for nothing.
    static func shown(in managers: [ManagerStatus], except ownProcess: Int?) -> [ManagerStatus] {
        managers.filter { manager in
            let isOver = manager.waitingToRejoin && !manager.asksForItself
            return !isOver && (ownProcess == nil || manager.pid != ownProcess)
        }
    }

    // `unit:gpxlogger.service uid:1000` is found by each of its words, with and without what is before the colon.
    private static func matches(_ manager: ManagerStatus, _ name: String) -> Bool {
        if let number = UInt64(name), manager.connection == number || manager.pid.map(UInt64.init) == number {
            return true
        }
        if manager.app == name || manager.identity == name || manager.user == name { return true }
        return manager.identity.split(separator: " ").contains { word in
            let value = word.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
            return word == name || (!word.hasPrefix("uid:") && (value == name || value == "\(name).service"))
        }
    }
}

extension ManagerStatus {
    /// Whether it has asked for something that ends with it: regions and visits are the app's, and every manager of the
    /// app has them.
    var asksForItself: Bool {
        request != nil || services.contains { ![.regions, .visits].contains($0.service) }
    }
}
