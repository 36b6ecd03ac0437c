// SPDX-License-Identifier: Apache-2.0

/// What a line of a comment or of a test cites.
struct Citations: Equatable {
    /// Rules of Documentation/CoreLocation.md: in the brackets that end a test's name, or behind the word "rule".
    var rules: [String] = []
    /// Sections of Documentation/Protocol.md, `4.4` or `6`, behind the word "Protocol".
    var sections: [String] = []
    /// Pages by name, and numbers in which no page here counts.
    var papers: [String] = []

    init(in line: String) {
        // Regular expressions are slow, and hardly a line cites anything.
        guard line.contains("//") || line.contains(")\"") else { return }
        if line.contains(")\"") {
            for match in line.matches(of: /\(([A-Z][0-9]+m?(?:, [A-Z][0-9]+m?)*)\)"/) { rules += parts(match.1) }
        }
        if line.contains("ule") {
            for match in line.matches(of: /\b[Rr](?:ule|ules) ([A-Z][0-9]+m?(?:(?:, | and | to )[A-Z][0-9]+m?)*)/) {
                rules += parts(match.1)
            }
        }
        if line.contains("Protocol ") {
            for match in line.matches(of: /\bProtocol ([0-9]+(?:\.[0-9]+)?(?:(?:, | and | to )[0-9]+(?:\.[0-9]+)?)*)\b/)
            {
                sections += parts(match.1)
            }
        }
        if line.contains(".md") {
            papers += line.matches(of: /\b[A-Za-z][A-Za-z0-9_\/-]*\.md\b/).map { String($0.0) }
        }
        guard ["CL ", "row ", "design "].contains(where: { line.contains($0) }) else { return }
        papers += line.matches(of: /\b(?:CL [0-9]+(?:\.[0-9]+)?|row [A-Z][0-9]+m?|design [0-9]+\.[0-9]+)\b/).map {
            String($0.0)
        }
    }

    private func parts(_ list: Substring) -> [String] {
        list.split { !($0.isLetter || $0.isNumber || $0 == ".") }.map(String.init).filter { $0 != "and" && $0 != "to" }
    }
}
