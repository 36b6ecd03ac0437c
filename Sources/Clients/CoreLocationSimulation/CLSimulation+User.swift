// SPDX-License-Identifier: Apache-2.0
public import CoreLocation
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import Synchronization

// Decisions of the device's user.
extension CLSimulation {
    /// The app's authorization to use location services.
    public var authorizationStatus: CLAuthorizationStatus {
        CLAuthorizationStatus(authorization.status)
    }

    /// How precisely the app may know.
    public var accuracyAuthorization: CLAccuracyAuthorization {
        CLAccuracyAuthorization(authorization.accuracy)
    }

    private var authorization: Authorization {
        transport.daemon.withLock { $0.service.engine.authorization(of: $0.identity) }
    }

    /// The user decides in the settings, without being asked. `notDetermined`: as if the app had just been installed.
    public func authorize(
        _ status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization = .fullAccuracy
    ) async {
        await change("authorizes: \(status), \(accuracy)") { .decided($0.identity, Consent(status, accuracy)) }
    }

    /// Whether location services are on for the device.
    public var locationServicesEnabled: Bool { transport.daemon.withLock { $0.service.engine.areServicesEnabled } }

    /// The user switches location services for the device.
    public func setLocationServicesEnabled(_ areEnabled: Bool) async {
        await change("switches location services \(areEnabled ? "on" : "off")") { _ in .servicesSwitched(areEnabled) }
    }

    /// A question on the user's screen.
    public struct AuthorizationPrompt: Sendable, Hashable, Identifiable {
        /// The authorization or accuracy that a prompt asks for.
        public enum Level: Sendable, Hashable {
            case whenInUse
            case always
            case temporaryFullAccuracy(purposeKey: String)
        }

        /// Never used again in this simulation.
        public let id: UInt64
        /// The authorization or accuracy that this prompt asks for.
        public let level: Level
        /// The reason that the app gives for its request; nil: none.
        public let usageDescription: String?
    }

    /// An answer that a user may give to a prompt.
    public enum PromptAnswer: Sendable, Hashable, CaseIterable {
        case always
        case whileUsing
        case once
        case deny
    }

    /// The questions on the user's screen, oldest first.
    public var pendingPrompts: [AuthorizationPrompt] {
        transport.daemon.withLock { daemon in daemon.service.engine.authorizationRequests.map { daemon.prompt($0) } }
    }

    /// The user answers a question; nil: the oldest.
    ///
    /// - Returns: Whether there was such a question.
    @discardableResult
    public func answer(_ answer: PromptAnswer, to prompt: AuthorizationPrompt? = nil) async -> Bool {
        await settle()
        guard let question = pendingPrompts.first(where: { prompt == nil || $0.id == prompt?.id }) else { return false }
        await change("answers \(answer) to \(question.level)") { _ in
            .answered(request: question.id, AuthorizationAnswer(answer))
        }
        return true
    }

    /// A notice of a region that the user was shown (``CLRegionNotice``).
    public struct ShownNotice: Sendable, Hashable {
        /// The region's.
        public let regionIdentifier: String
        /// Whether it was entered; else it was left.
        public let isEntry: Bool
        /// The first line.
        public let title: String
        /// The text below it; may be empty.
        public let body: String
    }

    /// The notices that the user was shown, oldest first.
    public var shownNotices: [ShownNotice] {
        transport.daemon.withLock { daemon in
            daemon.shownNotices.map {
                ShownNotice(regionIdentifier: $0.region, isEntry: $0.state == .inside, title: $0.title, body: $0.text)
            }
        }
    }

    private func change(_ text: String, _ event: (SimulatedDaemon) -> Event) async {
        await settle()
        transport.daemon.withLock {
            $0.note(.user, text)
            $0.handle(event($0))
        }
        await settle()
    }
}

extension SimulatedDaemon {
    func prompt(_ request: LocationEngine.AuthorizationRequest) -> CLSimulation.AuthorizationPrompt {
        let asking = service.managers.first { manager in
            request.manager.map { $0 == manager.id } ?? (manager.app == request.app)
        }
        let usage = asking?.usage ?? UsageDescriptions()
        return switch request.level {
        case .whenInUse:
            CLSimulation.AuthorizationPrompt(
                id: request.number, level: .whenInUse, usageDescription: usage.whenInUse)
        case .always:
            CLSimulation.AuthorizationPrompt(
                id: request.number, level: .always, usageDescription: usage.always ?? usage.whenInUse)
        case .temporaryFullAccuracy:
            CLSimulation.AuthorizationPrompt(
                id: request.number, level: .temporaryFullAccuracy(purposeKey: request.purposeKey ?? ""),
                usageDescription: request.purposeKey.flatMap { usage.temporaryFullAccuracy[$0] })
        }
    }
}

extension AuthorizationAnswer {
    fileprivate init(_ answer: CLSimulation.PromptAnswer) {
        switch answer {
        case .always: self = .always
        case .whileUsing: self = .whileUsing
        case .once: self = .once
        case .deny: self = .deny
        }
    }
}

extension Consent {
    /// The engine's form of a user's decision; nil: there is no decision.
    init?(_ status: CLAuthorizationStatus, _ accuracy: CLAccuracyAuthorization) {
        let choice: Choice
        switch status {
        case .notDetermined: return nil
        case .restricted: choice = .restricted
        case .denied: choice = .denied
        case .authorizedAlways: choice = .always
        case .authorizedWhenInUse: choice = .whenInUse
        @unknown default: return nil
        }
        self.init(choice, accuracy: accuracy == .reducedAccuracy ? .reduced : .full)
    }
}
