// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationUplink

@Suite("The state of the uplink on the disk")
struct StateFileTests {
    private let directory: TemporaryDirectory
    private let file: StateFile
    private let now = WallTime(milliseconds: 1_790_000_000_000)

    init() throws {
        directory = try TemporaryDirectory()
        file = StateFile(in: directory.path)
    }

    private func state(_ cursor: UInt64) -> UplinkState { UplinkState(cursor: cursor) }

    @Test func `what was written is read`() throws {
        try file.write(state(10))
        try file.write(state(20))
        guard case .state(let found) = file.read(now: now) else { throw TestFailure("cannot read the state") }
        #expect(found.cursor == 20)
    }

    @Test(arguments: ["", "{", "\0\0\0\0"])
    func `in place of a damaged state the one before it is gone on with`(content: String) throws {
        try file.write(state(10))
        try file.write(state(20))
        try directory.write(content, to: "state.json")
        guard case .damaged(let problem, let found) = file.read(now: now) else {
            throw TestFailure("cannot see that it is damaged")
        }
        #expect(found.cursor == 10 && problem.hasPrefix("cannot understand "))
        #expect(found.retained == .full, "what the broker retains since then nobody knows")
        #expect(access(directory.file("state.json.damaged"), F_OK) == 0)
        try file.write(found)
        guard case .state = file.read(now: now) else { throw TestFailure("cannot go on") }
    }

    @Test func `a state that cannot be read says why, and the one before it is gone on with`() throws {
        try file.write(state(10))
        try file.write(state(20))
        try directory.write(String(repeating: " ", count: 1 << 20) + "{}", to: "state.json")
        guard case .damaged(let problem, let found) = file.read(now: now) else {
            throw TestFailure("cannot see that it is too large")
        }
        #expect(found.cursor == 10)
        let (path, aside) = (directory.file("state.json"), directory.file("state.json.damaged"))
        #expect(problem.hasPrefix("cannot use \(path): it has more than 1048576 bytes; it is \(aside) now, and "))
    }

    @Test func `a state that cannot be put aside says so`() throws {
        for name in ["state.json", "state.json.damaged"] { mkdir(directory.file(name), 0o700) }
        try directory.write("", to: "state.json.damaged/full")
        guard case .damaged(let problem, _) = file.read(now: now) else {
            throw TestFailure("cannot see that it is no file")
        }
        #expect(problem.contains(": it is not a file; cannot rename it to \(directory.file("state.json.damaged")): "))
    }

    @Test func `the state before it stays until there is one to take its place`() throws {
        try file.write(state(10))
        try file.write(state(20))
        try directory.write("{", to: "state.json")
        _ = file.read(now: now)
        try file.write(state(30))
        try directory.write("{", to: "state.json")
        guard case .damaged(_, let found) = file.read(now: now) else {
            throw TestFailure("cannot see that it is damaged")
        }
        #expect(found.cursor == 10)
    }

    @Test func `a former state that cannot be replaced is told, and the new one is written`() throws {
        try file.write(state(10))
        mkdir(directory.file("state.json.old"), 0o700)
        #expect(throws: SystemError.self) { try file.write(state(20)) }
        #expect(throws: SystemError.self) { try file.write(state(30), keepsFormer: false) }
        guard case .state(let found) = file.read(now: now) else { throw TestFailure("cannot read the state") }
        #expect(found.cursor == 30)
    }

    @Test func `nothing of a former state stays where it is to be forgotten`() throws {
        try file.write(state(10))
        try file.write(state(20))
        try directory.write("{", to: "state.json")
        _ = file.read(now: now)
        try file.write(state(30), keepsFormer: false)
        for name in ["state.json.old", "state.json.damaged"] { #expect(access(directory.file(name), F_OK) != 0) }
        guard case .state(let found) = file.read(now: now) else { throw TestFailure("cannot read the state") }
        #expect(found.cursor == 30)
    }

    @Test func `without any state nothing old is sent, under numbers that were never given`() throws {
        try directory.write("{", to: "state.json")
        guard case .damaged(_, let found) = file.read(now: now) else {
            throw TestFailure("cannot see that it is damaged")
        }
        #expect(found.startsAtNewest && found.generation == 1_790_000_000)
        #expect(found.retained == .full, "a withdrawal clears what nobody knows of")
    }

    @Test func `a program that was killed before it wrote a state goes on with none that never was`() throws {
        try directory.write("{", to: "state.json")
        for _ in 0..<2 {
            guard case .damaged(_, let found) = file.read(now: now) else {
                throw TestFailure("cannot see that one was damaged")
            }
            #expect(found.generation == 1_790_000_000 && found.retained == .full)
        }
        try file.write(state(20))
        guard case .state = file.read(now: now) else { throw TestFailure("cannot go on") }
    }

    @Test func `the state of an earlier version is no damage`() throws {
        try directory.write(
            #"{"cursor":7,"ahead":[],"newest":7,"generation":0,"startsAtNewest":false,"owesClearing":false,"sent":7,"#
                + #""lost":0,"leftOut":0,"regions":{}}"#, to: "state.json")
        guard case .state(let found) = file.read(now: now) else { throw TestFailure("cannot read the state") }
        #expect(found.cursor == 7 && found.messages == nil)
    }

    @Test func `a state with as many messages as may wait is read again`() throws {
        var box = EventBox()
        let payload = Array(("{\"desc\":\"" + String(repeating: "\\\"", count: 1500) + "\"}").utf8)
        for sequence in 1...2000 as ClosedRange<UInt64> {
            let message = Message(topic: "t", payload: payload)
            let isAdded = box.add(EventBox.Entry(message: message, event: nil, sequence: sequence))
            #expect(isAdded)
        }
        var full = state(1)
        full.messages = box.entries.map {
            .init(isEvent: true, payload: String(decoding: $0.message.payload, as: UTF8.self), sequence: $0.sequence)
        }
        let lost = box.takeLost()
        #expect(box.entries.last?.sequence == 2000 && lost == UInt64(2000 - box.count))
        try file.write(full)
        guard case .state(let found) = file.read(now: now) else { throw TestFailure("cannot read the state") }
        #expect(found.messages?.count == box.count)
    }
}
