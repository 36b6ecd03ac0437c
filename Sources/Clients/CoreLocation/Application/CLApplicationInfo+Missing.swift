// SPDX-License-Identifier: Apache-2.0
package import LocationClient
internal import LocationProtocol

extension CLApplicationInfo {
    /// A request for authorization, for which a program has to give a reason.
    public enum Request: Sendable, Hashable {
        /// `requestWhenInUseAuthorization()`.
        case whenInUse
        /// `requestAlwaysAuthorization()`.
        case always
        /// `requestTemporaryFullAccuracyAuthorization(withPurposeKey:)`.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// The keys without which `request` has no reason to show to whoever decides; empty: all are there.
    public func missingKeys(for request: Request) -> [Key] {
        switch request {
        case .whenInUse:
            whenInUseUsageDescription == nil ? [.whenInUse] : []
        case .always:
            (alwaysAndWhenInUseUsageDescription == nil ? [.always] : []) + missingKeys(for: .whenInUse)
        case .temporaryFullAccuracy(let purposeKey):
            temporaryUsageDescriptions[purposeKey] == nil ? [.temporary] : []
        }
    }

    /// A sentence that says which keys `request` lacks and where to put them; nil: it lacks none.
    public func complaint(about request: Request) -> String? {
        advice(on: request).map { "cannot ask for \(request.title): the program does not say what for; \($0)" }
    }

    /// Which keys `request` lacks and where to put them; nil: it lacks none.
    func advice(on request: Request) -> String? {
        let missing = missingKeys(for: request)
        guard !missing.isEmpty else { return nil }
        let names =
            switch request {
            case .temporaryFullAccuracy(let purposeKey): "\(Key.temporary.rawValue)[\"\(purposeKey)\"]"
            default: missing.map(\.rawValue).joined(separator: " and ")
            }
        let file = ApplicationFiles.standard.preferred ?? "an Info.plist beside the executable"
        return "put \(names) into \(file), or into the environment, or give it to CLApplicationInfo.declare(_:) before"
            + " anything else of Core Location"
    }

    /// The application that `hello` declares. A program without an identifier of its own takes its executable's name, so that it
    /// does not see the regions of every other such program of its user.
    package var sessionApplication: SessionApplication { sessionApplication(of: .standard) }

    func sessionApplication(of files: ApplicationFiles) -> SessionApplication {
        SessionApplication(
            name: identifier ?? label(of: files),
            usageDescriptions: UsageDescriptions(
                whenInUse: whenInUseUsageDescription, always: alwaysAndWhenInUseUsageDescription,
                temporaryFullAccuracy: temporaryUsageDescriptions),
            isNameAssumed: identifier == nil)
    }

    private func label(of files: ApplicationFiles) -> String? {
        guard let name = files.executableName else { return nil }
        if isLabel(name) { return name }
        ApplicationLog.noteNameRefused(
            CLApplicationInfoError("cannot take the executable's name for it: \(labelRule) is allowed"))
        return nil
    }
}

extension CLApplicationInfo.Request {
    fileprivate var title: String {
        switch self {
        case .whenInUse: "the location while in use"
        case .always: "the location at any time"
        case .temporaryFullAccuracy: "full accuracy for a while"
        }
    }
}
