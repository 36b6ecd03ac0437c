// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel
package import LocationProtocol

/// A request while it is carried out: what is asked, by whom and when.
package struct ClientRequest {
    package let id: RequestID
    package let call: Call
    let method: Method
    package let manager: ClientManager
    package let now: BootInstant
    let date: WallTime
    /// The changes by it that are on the disk before it is decided.
    var written: [RecordChange] = []

    init(_ envelope: RequestEnvelope, _ manager: ClientManager, at now: BootInstant, _ date: WallTime) {
        id = envelope.id
        call = envelope.call
        method = envelope.method
        self.manager = manager
        self.now = now
        self.date = date
    }

    /// The decider that records name: an app decides nothing, though its asking may be noted with what was decided.
    var decider: String { method.effect == .decision ? manager.decider : LocationService.ownName }
}

extension ClientManager {
    /// The client's identity, as records name a decider.
    package var decider: String { who.identity?.description ?? "uid:\(peer.uid)" }
}
