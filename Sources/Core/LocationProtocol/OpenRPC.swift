// SPDX-License-Identifier: Apache-2.0

import LocationModel

/// The description of the whole protocol that `rpc.discover` returns: OpenRPC 1.2.6, from the tables beside this file.
///
/// Extensions have what OpenRPC has no place for: `x-notifications`, and `x-core-location` with the name that
/// Core Location has for the same thing.
package enum OpenRPC {
    /// The schemas that others refer to by name.
    package static let schemas: [String: JSONSchema] = [
        "any": .anyOf([
            .boolean, .null, .number(), .string(), .array(of: .named("any")), .map(of: .named("any")),
        ]),
        "location": WireLocation.schema,
        "error": LocationError.schema,
        "properties": ManagerProperties.schema,
        "state": StateResult.schema,
        "hello": HelloResult.schema,
        "status": Status.schema,
        "satellites": SatellitesResult.schema,
        "manager": ManagerStatus.schema,
        "region": Rule<Region>.region.definition,
        "condition": Rule<RegionShape>.condition.definition,
        "visit": WireVisit.schema,
        "heading": WireHeading.schema,
        "monitor": MonitorResult.schema,
        "session": SessionResult.schema,
        "record": MonitorRecord.schema,
        "app": AppStatus.schema,
        "decision": DecisionResult.schema,
        "forgotten": ForgetResult.schema,
        "authorizationRequest": .object(Notification.authorizationRequestedForm.row.params),
        "storedEvent": StoredEvent.schema,
        "history": HistoryPage.schema,
        "historyEvents": HistoryEventsPage.schema,
        "ledger": LedgerPage.schema,
        "historyForgotten": HistoryForgotten.schema,
    ]

    /// Errors with which the daemon may answer any request.
    static let commonErrors: [RPCErrorCode] = [.parseError, .invalidRequest, .invalidParams, .unavailable]

    /// The document.
    package static func document() -> JSONValue {
        [
            "openrpc": "1.2.6",
            "info": [
                "title": "locationd",
                "version": .string(String(locationProtocolVersion)),
                "description":
                    "JSON-RPC 2.0 over a Unix socket, one object per line. One connection is one location manager.",
                "license": ["name": "Apache-2.0"],
            ],
            "methods": .array(Method.allCases.map(method)),
            "components": [
                "schemas": .object(schemas.mapValues(\.document)),
                "errors": .object(
                    Dictionary(uniqueKeysWithValues: RPCErrorCode.names.map { ($0.name, error($0.code)) })),
            ],
            "x-notifications": .array(Notification.rows.map(notification)),
        ]
    }

    private static func method(_ row: Method) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(row.name),
            "summary": .string(row.summary),
            "paramStructure": "by-name",
            "params": .array(row.params.map(descriptor)),
            "result": ["name": "result", "schema": row.result.document],
            "errors": .array(
                (commonErrors + row.errors).map { ["$ref": .string("#/components/errors/\($0.name)")] }),
        ]
        members["x-core-location"] = row.coreLocation.map(JSONValue.string)
        return .object(members)
    }

    private static func notification(_ row: NotificationRow) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(row.name),
            "summary": .string(row.summary),
            "params": row.schema.document,
        ]
        members["x-core-location"] = row.coreLocation.map(JSONValue.string)
        return .object(members)
    }

    private static func descriptor(_ member: JSONSchema.Member) -> JSONValue {
        [
            "name": .string(member.name),
            "summary": .string(member.summary),
            "required": .bool(member.isRequired),
            "schema": member.schema.document,
        ]
    }

    private static func error(_ code: RPCErrorCode) -> JSONValue {
        [
            "code": .number(Double(code.rawValue)), "message": .string(explanation(code)),
            "data": ["name": .string(code.name)],
        ]
    }

    /// When a request is refused with `code`.
    package static func explanation(_ code: RPCErrorCode) -> String {
        switch code {
        case .parseError: "the line is not strict JSON: repeated members, bad UTF-8, nested too deep"
        case .invalidRequest: "JSON, but not one request of JSON-RPC 2.0, or one that may not come now"
        case .methodNotFound: "there is no such method"
        case .invalidParams: "a member is unknown, of the wrong type or out of range"
        case .notPermitted: "this client may not do that"
        case .missingUsageDescription: "the app says nowhere what it wants locations for"
        case .identityMismatch: "the claimed app has a manifest that this process does not match"
        case .limitExceeded: "one of the daemon's limits is reached"
        case .notFound: "the number or name does not exist, or is another manager's"
        case .tooManyConnections: "this user, or everyone together, has too many connections"
        case .unavailable: "not possible now"
        default: code.name
        }
    }
}
