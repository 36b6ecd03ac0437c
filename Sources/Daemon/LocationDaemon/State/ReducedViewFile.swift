// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import SystemSupport

/// The reduced view in force, in a file: whatever ends the daemon, the next process goes on with it, so that nobody gets a fresh one by
/// ending the daemon.
///
/// The file in the runtime directory is written before anybody is told the view; after an orderly stop the state directory has a copy,
/// which a reboot leaves.
struct ReducedViewFile {
    private struct Content: Codable {
        var view: KeptView
        /// When it was computed, milliseconds since 1970.
        var date: Int64
        /// The boot that the view's instant belongs to.
        var boot: UInt64
    }

    private let path: String?
    private let copy: String?
    private var content: Content?

    /// nil: no such directory.
    init(runtimeDirectory: String?, stateDirectory: String?) {
        path = runtimeDirectory.map { "\($0)/reduced-view" }
        copy = stateDirectory.map { "\($0)/reduced-view.copy" }
        content = path.flatMap(ReducedViewFile.read)
        guard content == nil, let left = copy.flatMap(ReducedViewFile.read) else { return }
        content = left
        // The copy is for one start; if this fails, the view holds as long as this process.
        if let path { try? ReducedViewFile.write(left, to: path) }
    }

    private static func read(_ path: String) -> Content? {
        guard case .bytes(let bytes) = SmallFile(at: path, limit: 4096),
            let content = try? JSONText.value(Content.self, of: bytes), (0...1 << 53).contains(content.date)
        else { return nil }
        return content
    }

    /// The view that a former process computed, by the clock of this boot; nil: none that is still in force.
    ///
    /// Where the date is earlier than the view's, nobody can tell its age: it counts as new.
    func view(at now: BootInstant, _ date: WallTime) -> KeptView? {
        guard let content else { return nil }
        if content.boot == BootIdentifier.current.word { return content.view.inForce(at: now) }
        let age = max(date.milliseconds - content.date, 0)
        return content.view.computed(at: now - .milliseconds(min(age, 1 << 40))).inForce(at: now)
    }

    /// Writes a view that was computed just now.
    mutating func save(_ view: KeptView, _ date: WallTime) throws(StoreError) {
        let new = Content(view: view, date: date.milliseconds, boot: BootIdentifier.current.word)
        content = new
        if let path { try ReducedViewFile.write(new, to: path) }
    }

    /// Leaves what a reboot must find.
    func saveCopy() throws(StoreError) {
        if let content, let copy { try ReducedViewFile.write(content, to: copy) }
    }

    private static func write(_ content: Content, to path: String) throws(StoreError) {
        guard let text = try? JSONWriter.text(of: content) else { return }
        try replaceFile(path, with: text)
    }
}
