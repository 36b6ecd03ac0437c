// SPDX-License-Identifier: Apache-2.0
import LocationProtocol
import Testing

@Suite("A polygon that is refused")
struct PolygonTextTests {
    @Test(
        "is said once to be what it is, with what is allowed",
        arguments: [
            ("[[1,2],[3,4]]", "cannot take region.vertices: it has 2 vertices, 3 to 1000 are allowed"),
            (
                "[[1,2],[1,2],[1,2]]",
                "cannot take region.vertices: it has 2 vertices, 3 to 1000 are allowed, and the last one repeats the first"
            ),
            (
                "[[1,2],[1,2],[3,4]]",
                "cannot take region.vertices: vertex 1 repeats the one before, only the last may repeat the first"
            ),
        ])
    func text(_ vertices: String, _ message: String) {
        let line = """
            {"jsonrpc":"2.0","id":1,"method":"startMonitoring","params":{"region":{"identifier":"a","vertices":\(vertices)}}}
            """
        guard case .failure(let refusal) = RequestDecoder().decode(Array(line.utf8)[...]) else {
            Issue.record("it was taken")
            return
        }
        #expect(refusal.error.message == message)
    }
}
