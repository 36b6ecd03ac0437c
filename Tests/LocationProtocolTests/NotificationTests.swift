// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import Testing

private func notification(_ prefix: [UInt8], _ sequence: UInt64 = 41) throws -> Notification {
    guard case .notification(let notification, let read) = try ServerMessage.decode(withTail(prefix, sequence)) else {
        throw RPCError(.parseError, "not a notification: \(text(prefix))")
    }
    #expect(read == sequence)
    return notification
}

@Suite("Notifications")
struct NotificationTests {
    @Test("didUpdateLocations with nothing special has only what it must have, both ways")
    func plainUpdate() throws {
        let (prefix, taken) = NotificationWriter.didUpdateLocations(
            UpdateAttributes(source: .standard), [fullLocation])
        #expect(taken == 1)
        #expect(
            text(withTail(prefix, 41))
                == #"{"jsonrpc":"2.0","method":"didUpdateLocations","params":{"source":"standard","locations":["#
                + LocationCodingTests.fullJSON + #"],"seq":41}}"# + "\n")
        #expect(
            try notification(prefix)
                == .didUpdateLocations(LocationUpdate(locations: [fullLocation], source: .standard)))
    }

    @Test("didUpdateLocations says all that applies, both ways")
    func fullUpdate() throws {
        let attributes = UpdateAttributes(
            source: .request, cached: true, deferral: 2, early: true, dropped: 3, gap: true, request: 4)
        let second = Location(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 3,
            timestamp: WallTime(milliseconds: 4),
            sequence: 5)
        var batch = LocationBatch()
        batch.begin(attributes)
        let taken = [batch.append(fullLocation), batch.append(second)]
        #expect(taken == [true, true])
        let prefix = batch.finish(more: true)
        let start =
            #"{"jsonrpc":"2.0","method":"didUpdateLocations","params":{"source":"request","cached":true,"deferral":2,"#
            + #""early":true,"dropped":3,"gap":true,"request":4,"locations":[{"#
        #expect(text(prefix).hasPrefix(start))
        #expect(text(prefix).hasSuffix(#"}],"more":true,"seq":"#))
        #expect(
            try notification(prefix)
                == .didUpdateLocations(
                    LocationUpdate(
                        locations: [fullLocation, second], source: .request, isCached: true, deferral: 2, isEarly: true,
                        hasMore: true, dropped: 3, hasGap: true, request: 4)))
    }

    @Test("a batch is cut where the line would grow over its limit, and nothing is lost or moved")
    func splitting() throws {
        let locations = (1...1000).map { number in
            var location = fullLocation
            location.sequence = UInt64(number)
            return location
        }
        for limit in [500, 1000, 4096, NotificationWriter.maximumLineLength] {
            var rest = locations[...]
            var read: [Location] = []
            var lines = 0
            while !rest.isEmpty {
                let (prefix, taken) = NotificationWriter.didUpdateLocations(
                    UpdateAttributes(source: .standard, deferral: 1), rest, limit: limit)
                let line = withTail(prefix, 1 << 53 - 1)
                #expect(taken > 0 && line.count <= limit)
                rest = rest.dropFirst(taken)
                // No line is shorter than it must be.
                #expect(rest.isEmpty || line.count + LocationCodingTests.fullJSON.utf8.count + 20 > limit)
                guard case .didUpdateLocations(let update) = try notification(prefix) else { continue }
                #expect(update.hasMore == !rest.isEmpty)
                read += update.locations
                lines += 1
            }
            #expect(read == locations)
            #expect(lines > 1)
        }
    }

    @Test("one location goes into a line whatever the limit, and a batch is used again")
    func reuse() {
        var batch = LocationBatch(limit: 10)
        batch.begin(UpdateAttributes(source: .standard))
        let taken = [batch.append(fullLocation), batch.append(fullLocation)]
        #expect(taken == [true, false])
        #expect(batch.count == 1)
        let first = batch.finish(more: true)
        batch.begin(UpdateAttributes(source: .standard))
        #expect(batch.count == 0)
        let encoded = Array(LocationCodingTests.fullJSON.utf8)
        let takenEncoded = [batch.append(encoded: encoded), batch.append(encoded: encoded)]
        #expect(takenEncoded == [true, false])
        #expect(batch.finish(more: true) == first)
    }

    @Test("didFailWithError, both ways")
    func failure() throws {
        let prefix = NotificationWriter.didFailWithError(LocationError(.denied), source: .standard, request: nil)
        #expect(
            text(withTail(prefix, 1))
                == #"{"jsonrpc":"2.0","method":"didFailWithError","params":{"error":{"domain":"kCLErrorDomain","code":1,"#
                + #""name":"denied","message":"cannot give locations: the app is not authorized, or location services are"#
                + #" off; 'locctl why' says which","transient":false},"source":"standard","seq":1}}"# + "\n")
        #expect(
            try notification(prefix)
                == .didFailWithError(LocationError(.denied), source: .standard, request: nil))
        let other = LocationError(.locationUnknown, message: "cannot say \"where\"", isTransient: false)
        let second = NotificationWriter.didFailWithError(other, source: .request, request: 3)
        #expect(try notification(second) == .didFailWithError(other, source: .request, request: 3))
        #expect(text(second).hasSuffix(#""source":"request","request":3,"seq":"#))
    }

    @Test("didCancelRequest, both ways", arguments: RequestCancellation.allCases)
    func cancellation(_ cause: RequestCancellation) throws {
        let prefix = NotificationWriter.didCancelRequest(9, by: cause)
        #expect(
            text(withTail(prefix, 2))
                == #"{"jsonrpc":"2.0","method":"didCancelRequest","params":{"request":9,"by":""# + cause.rawValue
                + "\",\"seq\":2}}\n")
        #expect(try notification(prefix) == .didCancelRequest(9, by: cause))
    }

    @Test("didFinishDeferredUpdates with null or an error, both ways")
    func finish() throws {
        let met = NotificationWriter.didFinishDeferredUpdates(7, error: nil)
        #expect(
            text(withTail(met, 3))
                == #"{"jsonrpc":"2.0","method":"didFinishDeferredUpdates","params":{"deferral":7,"error":null,"seq":3}}"#
                + "\n")
        #expect(try notification(met) == .didFinishDeferredUpdates(deferral: 7, error: nil))
        for code in [11, 12, 13, 14, 15] {
            let error = LocationError(LocationErrorCode(rawValue: code))
            let prefix = NotificationWriter.didFinishDeferredUpdates(8, error: error)
            #expect(text(prefix).contains("\"code\":\(code),\"name\":\"\(error.code.name)\""))
            #expect(try notification(prefix) == .didFinishDeferredUpdates(deferral: 8, error: error))
            #expect(error.message.hasPrefix("cannot "))
        }
    }

    @Test("didChangeAuthorization, both ways")
    func authorization() throws {
        let prefix = NotificationWriter.didChangeAuthorization(
            .notDetermined, accuracy: nil, provisional: false, initial: true)
        #expect(
            text(withTail(prefix, 1))
                == #"{"jsonrpc":"2.0","method":"didChangeAuthorization","params":{"authorizationStatus":"notDetermined","#
                + #""accuracyAuthorization":null,"provisional":false,"initial":true,"seq":1}}"# + "\n")
        for status in AuthorizationStatus.allCases {
            for accuracy in AccuracyAuthorization.allCases {
                let prefix = NotificationWriter.didChangeAuthorization(
                    status, accuracy: accuracy, provisional: true, initial: false)
                let expected = AuthorizationChange(
                    authorizationStatus: status, accuracyAuthorization: accuracy, isProvisional: true)
                #expect(try notification(prefix) == .didChangeAuthorization(expected))
            }
        }
    }

    @Test("the longest tail is as long as reserved")
    func tail() {
        var bytes: [UInt8] = Array("\"seq\":".utf8)
        let before = bytes.count
        NotificationWriter.appendTail(1 << 53 - 1, to: &bytes)
        #expect(text(bytes) == "\"seq\":9007199254740991}}\n")
        #expect(bytes.count - before == NotificationWriter.maximumTailLength)
    }

    @Test(
        "a tail has all digits of its number, written in place or appended",
        arguments: [0, 1, 9, 10, 11, 99, 100, 101, 1 << 53 - 1, .max] as [UInt64])
    func tailInPlace(_ number: UInt64) {
        var appended: [UInt8] = []
        NotificationWriter.appendTail(number, to: &appended)
        let written = [UInt8](unsafeUninitializedCapacity: NotificationWriter.roomForTail) { bytes, count in
            count = NotificationWriter.writeTail(number, to: UnsafeMutableRawBufferPointer(bytes))
        }
        #expect(text(written) == "\(number)}}\n")
        #expect(appended == written)
    }

    @Test("a client passes over notifications and members it does not know")
    func newer() throws {
        let line = #"{"jsonrpc":"2.0","method":"didTeleport","params":{"to":"Mars","seq":12},"new":1}"#
        guard case .notification(let notification, 12) = try ServerMessage.decode(Array(line.utf8)) else {
            Issue.record("not a notification")
            return
        }
        #expect(notification == .unknown(method: "didTeleport"))
    }

    @Test(
        "a client says what it cannot read",
        arguments: ["", "[]", "{}", "not json", #"{"method":"didUpdateLocations","params":{}}"#])
    func unreadable(_ line: String) {
        let error = #expect(throws: ServerMessageError.self) { try ServerMessage.decode(Array(line.utf8)) }
        #expect(error?.description.hasPrefix("cannot read what the daemon wrote: ") == true)
    }
}
