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
    /// What of its changes is on the disk before it is decided.
    var written: [RecordChange] = []

    init(_ envelope: RequestEnvelope, _ manager: ClientManager, at now: BootInstant, _ date: WallTime) {
        id = envelope.id
        call = envelope.call
        method = envelope.method
        self.manager = manager
        self.now = now
        self.date = date
    }

    /// Who decides by it, for the record: an app decides nothing, though its asking may be noted with what was decided.
    var decider: String { method.effect == .decision ? manager.decider : LocationService.ownName }
}

extension ClientManager {
    /// Who it is, for the record.
    package var decider: String { who.identity?.description ?? "uid:\(peer.uid)" }
}
