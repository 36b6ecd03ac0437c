// SPDX-License-Identifier: Apache-2.0
internal import LocationProtocol

extension CLApplicationInfo {
    /// Merges the values of `places`; earlier ones win. An invalid value is told in `problems`, and the next place counts.
    init(merging places: [DeclaringPlace], problems: inout [String]) {
        self.init()
        for place in places {
            for key in Key.allCases {
                guard origins[key] == nil, let declaration = place.values[key] else { continue }
                if let problem = CLApplicationInfo.problem(with: declaration.value, for: key) {
                    problems.append("cannot use \(key.rawValue) of \(declaration.origin): \(problem)")
                    continue
                }
                let (value, isCut) = declaration.value.fitting(key)
                if isCut {
                    problems.append(
                        "\(key.rawValue) of \(declaration.origin) is cut: people are shown at most 256 bytes of a text")
                }
                take(value, for: key)
                origins[key] = declaration.origin
            }
        }
    }

    // The older spelling counts only where the newer one is in no place at all, so the newer one overwrites it.
    private mutating func take(_ value: DeclaredValue, for key: Key) {
        switch (key, value) {
        case (.identifier, .text(let text)): identifier = text
        case (.whenInUse, .text(let text)): whenInUseUsageDescription = text
        case (.always, .text(let text)): alwaysAndWhenInUseUsageDescription = text
        case (.olderAlways, .text(let text)):
            if origins[.always] == nil { alwaysAndWhenInUseUsageDescription = text }
        case (.temporary, .dictionary(let texts)): temporaryUsageDescriptions = texts
        case (.defaultAccuracyReduced, .truth(let truth)): defaultAccuracyReduced = truth
        case (.requiresServiceSession, .truth(let truth)): requiresExplicitServiceSession = truth
        case (.backgroundModes, .texts(let modes)): backgroundModes = modes
        default: break
        }
    }

    /// Returns a sentence about the fault of `value`, with what is allowed; nil: it has none.
    static func problem(with value: DeclaredValue, for key: Key) -> String? {
        switch (key, value) {
        case (.identifier, .text(let text)):
            return isLabel(text) ? nil : "it is \(shown(text)), \(labelRule) is allowed"
        case (.whenInUse, .text(let text)), (.always, .text(let text)), (.olderAlways, .text(let text)):
            return isPlainText(text) ? nil : "it is \(size(text)), \(textIsAllowed)"
        case (.temporary, .dictionary(let texts)):
            for (purpose, text) in texts.sorted(by: { $0.key < $1.key }) {
                if !isPurposeKey(purpose) { return "a purpose key is \(size(purpose)), \(purposeKeyIsAllowed)" }
                if !isPlainText(text) { return "the text of \(purpose) is \(size(text)), \(textIsAllowed)" }
            }
            return nil
        case (.defaultAccuracyReduced, .truth), (.requiresServiceSession, .truth), (.backgroundModes, .texts):
            return nil
        case (.identifier, _), (.whenInUse, _), (.always, _), (.olderAlways, _):
            return "it is \(value.kind), a string is allowed"
        case (.temporary, _): return "it is \(value.kind), a dictionary of strings is allowed"
        case (.defaultAccuracyReduced, _), (.requiresServiceSession, _):
            return "it is \(value.kind), a truth is allowed (in the environment: YES or NO)"
        case (.backgroundModes, _): return "it is \(value.kind), an array of strings is allowed"
        }
    }

    private static func size(_ text: String) -> String {
        text.unicodeScalars.allSatisfy(isPlain)
            ? "\(text.utf8.count) bytes long" : "a text with control or bidirectional characters"
    }

    // A name of the right length has something else that may not be.
    private static func shown(_ text: String) -> String {
        isPurposeKey(text) ? "\"\(text)\"" : size(text)
    }

    private static func isPurposeKey(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(isPlain)
    }

    private static let purposeKeyIsAllowed = "1 to 128 bytes without control or bidirectional characters are allowed"
    private static let textIsAllowed = "text without control and bidirectional characters is allowed"
    private static func isPlainText(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }
}

extension DeclaredValue {
    /// The value with texts that people can be shown whole, and whether one had to be cut for that.
    fileprivate func fitting(_ key: CLApplicationInfo.Key) -> (value: DeclaredValue, isCut: Bool) {
        switch (key, self) {
        case (.whenInUse, .text(let text)), (.always, .text(let text)), (.olderAlways, .text(let text)):
            (.text(text.cutToUsageText), !isUsageText(text))
        case (.temporary, .dictionary(let texts)):
            (.dictionary(texts.mapValues(\.cutToUsageText)), !texts.values.allSatisfy(isUsageText))
        default: (self, false)
        }
    }
}

extension String {
    /// Itself, or as many whole characters as leave room for an ellipsis.
    fileprivate var cutToUsageText: String {
        guard !isUsageText(self) else { return self }
        let ellipsis = "…"
        var room = 256 - ellipsis.utf8.count
        let kept = prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        return String(kept) + ellipsis
    }
}
