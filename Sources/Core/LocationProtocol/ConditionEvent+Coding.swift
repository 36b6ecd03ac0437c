// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension ConditionEvent {
    /// Appends `state`, `date`, `refinement` and flags as members of the object that is being written.
    func appendMembers(to writer: inout JSONWriter) {
        writer.name("state")
        writer.string(state.word)
        writer.name("date")
        writer.time(date)
        if let refinement {
            writer.name("refinement")
            refinement.append(to: &writer)
        }
        flags.append(to: &writer)
    }
}
