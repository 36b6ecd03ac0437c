// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// Explanations by consent.
extension Explanation {
    /// The explanation for somebody whom `status` tells little: by the decision about that app itself.
    static func ownApp(_ status: Status) -> Explanation {
        guard let app = status.apps?.first else {
            return Explanation(.notAuthorized, "this user may not have locations, or has not asked for any yet")
        }
        if let refusal = consent(app.authorizationStatus, nil, app.app, app, as: AppTable.name(app)) { return refusal }
        return Explanation(
            .reducedAccuracy,
            "locations come to \(AppTable.name(app)) with reduced accuracy: a circle of kilometres, a new one every 15 minutes "
                + "at most; how the receivers do is not told")
    }

    static func consent(_ manager: ManagerStatus, _ status: Status) -> Explanation? {
        let app = (status.apps ?? []).first { $0.identity == manager.identity }
        let reason = manager.services.compactMap(\.reason).first
        return consent(manager.authorizationStatus, reason, app?.app ?? manager.identity, app)
    }

    // `reason`: the daemon's own words, which name the command already.
    static func consent(
        _ authorization: AuthorizationStatus, _ reason: String?, _ name: String, _ app: AppStatus?,
        as subject: String = "it"
    ) -> Explanation? {
        // Events while nobody is connected need always; for all else the smaller word is enough.
        let isKept = app.map { $0.regions > 0 || $0.conditions > 0 || $0.wantsVisits } ?? false
        let command = "`locctl authorize \(shellWord(printable(name))) \(isKept ? "always" : "when-in-use")`"
        switch authorization {
        case .authorizedAlways, .authorizedWhenInUse: return nil
        case .notDetermined:
            let words =
                reason.map(printable)
                ?? "nobody has decided yet whether \(subject) may have locations; \(command) allows it"
            return Explanation(.waitingForAuthorization, words)
        case .denied:
            return Explanation(
                .notAuthorized, "locations are denied to \(subject)\(decision(app)); \(command) allows them")
        case .restricted:
            return Explanation(.notAuthorized, "locations are restricted on this device, also for \(subject)")
        }
    }

    private static func decision(_ app: AppStatus?) -> String {
        guard let app, let who = app.decidedBy else { return "" }
        return " (decided by \(printable(who))\(app.decidedAt.map { " on \($0.rfc3339.prefix(10))" } ?? ""))"
    }

    // So that the command can be copied.
    private static func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "._-:@+/".utf8.contains(byte)
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
