// SPDX-License-Identifier: Apache-2.0
package import LocationProtocol

/// Finds the clients that a person means.
package enum ClientSearch {
    /// The clients whose connection or process has the number `name`, or whose identity has this name; where no client and no app is known
    /// by it, those that call themselves so. Throws when there is none, naming those that there are.
    package static func clients(
        named name: String, in status: Status, except ownProcess: Int? = nil
    ) throws(LocctlError) -> [ManagerStatus] {
        guard let all = status.managers else {
            throw LocctlError(
                "cannot see the clients of the daemon: only administrators and apps that may have locations can",
                .refused)
        }
        let others = shown(in: all, except: ownProcess)
        let known = others.filter { matches($0, name) }
        guard known.isEmpty else { return known }
        let claiming = knownApp(name, in: status) == nil ? others.filter { $0.app == name } : []
        guard claiming.isEmpty else { return claiming }
        let names = others.map(ClientTable.fullName)
        let present = names.isEmpty ? "there is none" : "there are " + names.joined(separator: ", ")
        throw LocctlError("cannot find a client \"\(printable(name))\": \(present)", .refused)
    }

    /// The app of this name, identity or user in a list of apps; only where none is known by it, one that calls itself so.
    package static func app(named name: String, in status: Status) -> AppStatus? {
        knownApp(name, in: status) ?? (status.apps ?? []).first { $0.labels.contains(name) }
    }

    private static func knownApp(_ name: String, in status: Status) -> AppStatus? {
        let apps = status.apps ?? []
        return apps.first { $0.app == name || $0.identity == name }
            ?? apps.first { $0.user == name && $0.identity == "uid:\($0.uid)" }
    }

    /// The clients of the one name that begins with `part`, or else has it in it; names in capitals and not are the same. What clients
    /// call themselves counts where nobody is known by such a name. None: no name fits. Throws when several do, naming them.
    package static func clients(
        like part: String, in status: Status, except ownProcess: Int? = nil
    ) throws(LocctlError) -> [ManagerStatus] {
        let others = shown(in: status.managers ?? [], except: ownProcess)
        let known = others.map { manager in
            Candidate(
                name: ClientTable.name(manager), words: [manager.user].compactMap { $0 } + words(manager.identity),
                manager)
        }
        let found = try theOne(like: part, among: known)
        guard found.isEmpty, try theOne(like: part, among: knownApps(status)).isEmpty else { return found }
        return try theOne(
            like: part,
            among: others.compactMap { manager in
                manager.app.map { Candidate(name: claimed($0), words: [$0], manager) }
            })
    }

    /// The app of the one name, identity or user that begins with `part`, or else has it in it; else the one that calls itself so; nil:
    /// none does. Throws when several do, naming them.
    package static func app(like part: String, in status: Status) throws(LocctlError) -> AppStatus? {
        if let known = try theOne(like: part, among: knownApps(status)).first { return known }
        let claiming = (status.apps ?? []).map { Candidate(name: printable($0.app), words: $0.labels, $0) }
        return try theOne(like: part, among: claiming).first
    }

    private static func knownApps(_ status: Status) -> [Candidate<AppStatus>] {
        (status.apps ?? []).map { app in
            Candidate(
                name: printable(app.app), words: [app.app] + words(app.identity) + [app.user].compactMap { $0 }, app)
        }
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
        if manager.identity == name || manager.user == name { return true }
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
