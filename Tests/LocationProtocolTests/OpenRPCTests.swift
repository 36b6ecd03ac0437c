// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LocationModel
import LocationProtocol
import Testing

/// What of `value` does not fit `schema`, nil if it fits. Stricter than JSON Schema: objects have no other members.
private func misfit(_ value: JSONValue, _ schema: JSONSchema, at path: String = "$") -> String? {
    switch (schema, value) {
    case (.named(let name), _):
        guard let target = OpenRPC.schemas[name] else { return "\(path): no schema \(name)" }
        return name == "any" ? nil : misfit(value, target, at: path)
    case (.anyOf(let choices), _):
        return choices.contains { misfit(value, $0) == nil } ? nil : "\(path): none of the choices, \(value)"
    case (.boolean, .bool), (.null, .null): return nil
    case (.number(let minimum, let exclusive, let maximum), .number(let number)):
        let fits = number >= minimum ?? number && number <= maximum ?? number && number > exclusive ?? -.infinity
        return fits ? nil : "\(path): \(number) out of range"
    case (.numbers(let numbers), .number(let number)):
        return numbers.contains(number) ? nil : "\(path): \(number) is none of \(numbers)"
    case (.integer(let minimum, let maximum), .number(let number)):
        let fits = number == number.rounded() && number >= Double(minimum) && number <= Double(maximum)
        return fits ? nil : "\(path): \(number) is no such integer"
    case (.string(_, let length), .string(let text)):
        return text.utf8.count <= length ?? .max ? nil : "\(path): too long"
    case (.words(let words), .string(let text)): return words.contains(text) ? nil : "\(path): \(text) is no word"
    case (.array(let element), .array(let values)):
        return values.enumerated().lazy.compactMap { misfit($1, element, at: "\(path)[\($0)]") }.first
    case (.map(let element), .object(let members)):
        return members.lazy.compactMap { misfit($1, element, at: "\(path).\($0)") }.first
    case (.object(let known), .object(let members)):
        if let missing = known.first(where: { $0.isRequired && members[$0.name] == nil }) {
            return "\(path): \(missing.name) is missing"
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let member = known.first(where: { $0.name == name }) else {
                return "\(path).\(name) is not described"
            }
            if let inner = misfit(value, member.schema, at: "\(path).\(name)") { return inner }
        }
        return nil
    default: return "\(path): \(value) is not \(schema)"
    }
}

private func allNames(_ schema: JSONSchema) -> Set<String> {
    guard case .object(let members) = schema else { return [] }
    return Set(members.map(\.name))
}

@Suite("rpc.discover")
struct OpenRPCTests {
    @Test("the methods are these, each once")
    func methods() {
        let names = """
            hello setPresence setProperties getProperties startUpdatingLocation stopUpdatingLocation requestLocation location
            allowDeferredLocationUpdates disallowDeferredLocationUpdates startMonitoringSignificantLocationChanges
            stopMonitoringSignificantLocationChanges requestWhenInUseAuthorization requestAlwaysAuthorization
            requestTemporaryFullAccuracyAuthorization startMonitoring stopMonitoring requestState monitoredRegions
            startMonitoringVisits stopMonitoringVisits startUpdatingHeading stopUpdatingHeading startRangingBeacons
            stopRangingBeacons startLiveUpdates stopLiveUpdates openMonitor closeMonitor addCondition removeCondition
            monitorRecord startBackgroundActivitySession invalidateBackgroundActivitySession startServiceSession
            invalidateServiceSession acknowledge status satellites rpc.discover history historyEvents ledger
            forgetHistory offerLocation withdrawLocation setPlace clearPlace offerBeacons withdrawBeacons reportBeacons
            registerAgent answerRequest takeNotices acknowledgeNotice apps authorize resetAuthorization forgetApp
            setLocationServicesEnabled pendingRequests events closeConnection reload
            """
        #expect(Method.allCases.map(\.name) == names.split { $0 == " " || $0 == "\n" }.map(String.init))
    }

    @Test("the parameters of every row are those that the decoder takes", arguments: Method.allCases)
    func parameters(_ row: Method) throws {
        // The refusal of an unknown member lists what the decoder knows.
        let json = #"{"jsonrpc":"2.0","id":1,"method":"\#(row.name)","params":{"?":1}}"#
        guard case .failure(let refusal) = RequestDecoder().decode(line(json)) else {
            Issue.record("an unknown member was taken")
            return
        }
        let names = row.params.map(\.name).joined(separator: ", ")
        let allowed = names.isEmpty ? "no members" : "only " + names
        #expect(refusal.error.message == #"cannot take the unknown member "?": allowed are \#(allowed)"#)
    }

    @Test("a parameter is required in the table exactly if the decoder needs it", arguments: Method.allCases)
    func requiredParameters(_ row: Method) throws {
        let json = #"{"jsonrpc":"2.0","id":1,"method":"\#(row.name)"}"#
        let required = row.params.filter(\.isRequired)
        switch RequestDecoder().decode(line(json)) {
        case .success: #expect(required == [])
        case .failure(let refusal):
            let member = try #require(required.first)
            #expect(refusal.error.message.hasPrefix("cannot take \(member.name): given nothing"))
        }
    }

    @Test("what a client writes fits the parameters of its method")
    func requestsFit() throws {
        for example in requestExamples {
            guard case .object(let request) = try decode(JSONValue.self, example),
                case .string(let name) = request["method"] ?? .null
            else { continue }
            let row = try #require(Method.allCases.first { $0.name == name })
            #expect(misfit(request["params"] ?? .object([:]), .object(row.params)) == nil)
        }
    }

    @Test("every notification has a row, and what is written fits it")
    func notifications() throws {
        let error = LocationError(.deferredCanceled)
        let update = UpdateAttributes(
            source: .standard, cached: true, deferral: 1, early: true, dropped: 2, gap: true, request: 3, event: 4)
        var batch = LocationBatch()
        batch.begin(update)
        _ = batch.append(fullLocation)
        _ = batch.append(bareLocation)
        let samples =
            serviceNotificationSamples + [
                batch.finish(more: true), NotificationWriter.didFailWithError(error, source: .request, request: 1),
                NotificationWriter.didCancelRequest(1, by: .stopUpdatingLocation),
                NotificationWriter.didFinishDeferredUpdates(1, error: error),
                NotificationWriter.didChangeAuthorization(.denied, accuracy: .full, provisional: true, initial: true),
                NotificationWriter.didFinishDeferredUpdates(1, error: nil),
                NotificationWriter.didChangeAuthorization(
                    .notDetermined, accuracy: nil, provisional: true, initial: true),
            ]
        var seen: [String: Set<String>] = [:]
        for sample in samples {
            guard case .object(let message) = try decode(JSONValue.self, text(withTail(sample, 1))),
                case .string(let name) = message["method"], let params = message["params"],
                case .object(let members) = params
            else {
                Issue.record("not a notification: \(text(sample))")
                continue
            }
            let row = try #require(Notification.rows.first { $0.name == name })
            #expect(misfit(params, row.schema) == nil, "\(name)")
            seen[name, default: []].formUnion(members.keys)
        }
        for row in Notification.rows { #expect(seen[row.name] == allNames(row.schema), "\(row.name)") }
        #expect(seen.count == Notification.rows.count)
    }

    @Test("every notification of the table is one that clients read")
    func notificationsAreRead() throws {
        for row in Notification.rows {
            // Empty parameters: a known notification misses its members, an unknown one needs none.
            let line = #"{"jsonrpc":"2.0","method":"\#(row.name)","params":{"seq":1}}"#
            guard case .notification(let read, _) = try? ServerMessage.decode(Array(line.utf8)) else { continue }
            #expect(read != .unknown(method: row.name))
        }
    }

    @Test("results fit the schemas of their methods, which describe no member that never comes")
    func results() throws {
        let hello = HelloResult(
            version: "1", app: "a", identity: "i", manager: ManagerToken(high: 0, low: 0), rejoined: false,
            authorizationStatus: .denied, accuracyAuthorization: .reduced,
            capabilities: Capabilities(
                maximumRegionMonitoringDistance: 1, maximumRegions: 2, maximumConditions: 3),
            eventsDropped: 1)
        let state = StateResult(.prompted, reason: "r", asked: true, request: 1, deferral: 2, updates: 3)
        let record = try written(fullRecord)
        let samples: [(Method, JSONValue)] = [
            (.hello, try json(hello)), (.setProperties, try json(ManagerProperties())),
            (.getProperties, try json(ManagerProperties())),
            (.requestLocation, try json(state)), (.startLiveUpdates, try json(state)),
            (.startServiceSession, try json(SessionResult(session: 4))), (.requestAlwaysAuthorization, try json(state)),
            (.openMonitor, try json(MonitorResult(monitor: 1, identifiers: ["a"]))), (.monitorRecord, record),
            (.monitorRecord, .null), (.monitoredRegions, try written(MonitoredRegions([circle, triangle]))),
            (.apps, try json([fullApp])), (.pendingRequests, try json([fullRequest])),
            (.events, try written(StoredEvents(storedEvents))),
            (.historyLocations, try written(fullPage)), (.historyEvents, try written(fullEventsPage)),
            (.ledger, try written(fullLedger)), (.forgetHistory, try json(fullForgotten)),
            (.location, try json(LocationResult(fullLocation))), (.location, .null), (.status, try json(fullStatus)),
            (.stopUpdatingLocation, .object([:])), (.discover, OpenRPC.document()),
        ]
        for (method, sample) in samples {
            #expect(misfit(sample, method.result) == nil, "\(method.name)")
        }
        let complete: [(String, JSONValue)] = [
            ("hello", try json(hello)), ("location", try json(LocationResult(fullLocation))),
            ("properties", try json(ManagerProperties())), ("error", try json(LocationError(.denied))),
            ("state", try json(state)), ("status", try json(fullStatus)), ("manager", try json(fullManager)),
            ("app", try json(fullApp)), ("authorizationRequest", try json(fullRequest)), ("record", record),
            ("monitor", try json(MonitorResult(monitor: 1, identifiers: []))),
            ("session", try json(SessionResult(session: 4))),
            ("history", try written(fullPage)), ("historyEvents", try written(fullEventsPage)),
            ("ledger", try written(fullLedger)), ("historyForgotten", try json(fullForgotten)),
        ]
        for (name, sample) in complete {
            guard case .object(let members) = sample else { continue }
            #expect(Set(members.keys) == allNames(OpenRPC.schemas[name] ?? .null), "\(name)")
        }
    }

    @Test("every code of a refusal is in the document, under its name")
    func errors() throws {
        guard case .object(let document) = OpenRPC.document(), case .object(let components) = document["components"],
            case .object(let errors) = components["errors"]
        else {
            Issue.record("no errors")
            return
        }
        #expect(Set(errors.keys) == Set(RPCErrorCode.names.map(\.name)))
        for (code, name) in RPCErrorCode.names {
            guard case .object(let error) = errors[name] else { continue }
            #expect(error["code"] == .number(Double(code.rawValue)))
            #expect(error["message"] != .string(code.name))
        }
    }

    @Test("the document is OpenRPC 1.2.6 and each reference in it leads somewhere")
    func document() throws {
        let document = OpenRPC.document()
        guard case .object(let members) = document, case .object(let components) = members["components"] else {
            Issue.record("not an object")
            return
        }
        #expect(members["openrpc"] == "1.2.6")
        func check(_ value: JSONValue) {
            switch value {
            case .array(let elements): elements.forEach(check)
            case .object(let members):
                if case .string(let reference) = members["$ref"] {
                    let parts = reference.split(separator: "/").map(String.init)
                    guard parts.count == 4, case .object(let targets) = components[parts[2]] else {
                        Issue.record("\(reference)")
                        return
                    }
                    #expect(targets[parts[3]] != nil, "\(reference)")
                }
                members.values.forEach(check)
            default: break
            }
        }
        check(document)
        let line = ReplyWriter.result(.integer(1), document)
        #expect(try JSONText(line[...]).badNumber == nil)
    }

    @Test(
        "the properties that the description allows are those that the decoder takes",
        arguments: ["desiredAccuracy", "activityType"],
        [
            "0", "-1.5", "-3", "-2", "-1", "0.5", "1", "1.5", "3", "5", "6", "10", "\"best\"", "\"other\"", "\"x\"",
            "null",
        ])
    func properties(_ member: String, _ value: String) throws {
        let schema = JSONSchema.object(Method.setProperties.params)
        let params = "{\"\(member)\":\(value)}"
        let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"setProperties\",\"params\":\(params)}"
        let isTaken = (try? RequestDecoder().decode(line(request)).get()) != nil
        #expect((misfit(try decode(JSONValue.self, params), schema) == nil) == isTaken)
    }

    @Test("an event that stays stored names the method of a notification that there is")
    func storedMethods() {
        guard case .object(let members) = OpenRPC.schemas["storedEvent"],
            case .words(let methods) = members.first(where: { $0.name == "method" })?.schema
        else {
            Issue.record("no methods")
            return
        }
        #expect(Set(methods).isSubset(of: Notification.rows.map(\.name)))
    }

    private func written(_ result: some WrittenResult) throws -> JSONValue {
        var writer = JSONWriter()
        result.append(to: &writer)
        return try decode(JSONValue.self, text(writer.bytes))
    }

    private func json(_ value: some Encodable) throws -> JSONValue { try decode(JSONValue.self, try encoded(value)) }
}
