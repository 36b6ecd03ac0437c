// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import LocationTestSupport
import Testing

@Suite("GPSDConnectionMachine")
struct GPSDConnectionMachineTests {
    @Test("without demand it connects once, subscribes to nothing and never wakes")
    func looksOnce() {
        let bench = ConnectionBench()
        bench.start()
        #expect(bench.said() == ["connecting", "connect"])
        bench.connected()
        bench.receive(ConnectionBench.version)
        #expect(bench.said() == ["connected"])
        #expect(bench.machine.nextWake == nil)
        #expect(bench.machine.status.release == "3.22")
        #expect(bench.machine.status.protocolVersion == "3.14")
        bench.closed()
        #expect(bench.said() == ["disconnected"])
        #expect(bench.machine.nextWake == nil)
    }

    @Test("without demand a gpsd that is not there is not sought again, and the status says why")
    func notThere() {
        let bench = ConnectionBench()
        bench.start()
        bench.refused()
        #expect(bench.said() == ["connecting", "connect", "disconnected"])
        #expect(bench.machine.nextWake == nil)
        #expect(bench.machine.status.lastError == "cannot connect to 127.0.0.1:2947: Connection refused")
    }

    @Test("without demand what went wrong before is no trouble any more once gpsd answers")
    func answersAgain() {
        let bench = ConnectionBench()
        bench.start()
        bench.refused()
        bench.want(true)
        bench.want(false)
        bench.connected()
        #expect(bench.machine.status.lastError != nil)
        bench.receive(ConnectionBench.version)
        #expect(bench.machine.status.lastError == nil)
        #expect(bench.machine.status.state == .connected)
    }

    @Test("demand subscribes in one write; the end of demand unsubscribes and keeps the connection without waking")
    func demand() {
        let bench = ConnectionBench()
        bench.start()
        bench.connected()
        _ = bench.said()
        bench.want(true)
        #expect(bench.said() == ["watch?", "subscribing"])
        #expect(GPSDRequest.watch.text == "?WATCH={\"enable\":true,\"json\":true};\n")
        #expect(GPSDRequest.unwatch.text == "?WATCH={\"enable\":false};\n")
        bench.devices("/dev/a")
        bench.receive(ConnectionBench.confirmation)
        bench.tpv()
        #expect(bench.said() == ["found 0", "watching", "fix"])
        bench.want(true)
        #expect(bench.said().isEmpty)
        bench.want(false)
        #expect(bench.said() == ["unwatch?", "connected"])
        #expect(bench.machine.nextWake == nil)
        bench.tpv()
        #expect(bench.said().isEmpty)
        bench.want(true)
        #expect(bench.said() == ["watch?", "subscribing"])
    }

    @Test("an epoch that is still gathered when demand ends is handed out first")
    func lastEpoch() {
        let bench = ConnectionBench.watching()
        bench.tpv()
        bench.tpv()
        bench.pass(1)
        _ = bench.said()
        bench.tpv()
        #expect(bench.said().isEmpty)
        bench.want(false)
        #expect(bench.said() == ["fix", "unwatch?", "connected"])
    }

    @Test("a subscription that is not confirmed with json within 5 s counts as failed")
    func confirmation() {
        let bench = ConnectionBench()
        bench.want(true)
        bench.connected()
        bench.receive("{\"class\":\"WATCH\",\"enable\":true,\"json\":false}")
        bench.pass(4.9)
        #expect(bench.said() == ["connecting", "connect", "watch?", "subscribing"])
        bench.pass(0.2)
        #expect(bench.said() == ["disconnect", "waiting"])
        #expect(bench.machine.status.lastError?.hasPrefix("cannot watch 127.0.0.1:2947: ") == true)
    }

    @Test(
        "what answers with something else than gpsd's protocol is left at once, and tried again later",
        arguments: [true, false])
    func noGPSD(isWanted: Bool) {
        let bench = ConnectionBench()
        if isWanted { bench.want(true) } else { bench.start() }
        bench.connected()
        _ = bench.said()
        bench.receive("HTTP/1.1 400 Bad Request", "Content-Length: 0", ConnectionBench.version)
        #expect(bench.said() == ["disconnect", isWanted ? "waiting" : "disconnected"])
        #expect(bench.machine.status.lastError == "127.0.0.1:2947 does not speak gpsd's protocol")
        #expect(bench.machine.status.release == nil)
        bench.pass(0.6)
        #expect(bench.said() == (isWanted ? ["connecting", "connect"] : []))
    }

    @Test("what says nothing for 5 s is no gpsd, and was never said to be connected", arguments: [true, false])
    func silentFromTheStart(isWanted: Bool) {
        let bench = ConnectionBench()
        if isWanted { bench.want(true) } else { bench.start() }
        bench.connected()
        bench.pass(4.9)
        #expect(bench.said() == ["connecting", "connect"] + (isWanted ? ["watch?", "subscribing"] : []))
        #expect(bench.machine.status.lastError == nil)
        bench.pass(0.2)
        #expect(bench.said() == ["disconnect", isWanted ? "waiting" : "disconnected"])
        #expect(bench.machine.status.lastError == "127.0.0.1:2947 does not speak gpsd's protocol")
    }

    @Test("with demand and no gpsd it tries after half a second, doubling up to 30 s, with some jitter")
    func backoff() {
        let bench = ConnectionBench()
        bench.want(true)
        var waits: [Double] = []
        for _ in 0..<10 {
            bench.refused()
            let asked = bench.seconds
            bench.pass((bench.machine.nextWake?.earliest).map { Double($0.nanoseconds) / 1e9 - asked } ?? 1000)
            waits.append(bench.seconds - asked)
        }
        for (wait, full) in zip(waits, [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]) {
            #expect(wait <= full && wait >= 0.74 * full)
        }
        #expect(Set(waits.suffix(4)).count == 4)
        #expect(bench.said().count { $0 == "connect" } == 11)
        bench.refused()
        bench.want(false)
        #expect(bench.said() == ["waiting", "disconnected"])
        #expect(bench.machine.nextWake == nil)
    }

    @Test("a lost connection is replaced at once, but not again and again")
    func replacedAtOnce() {
        let bench = ConnectionBench.watching()
        bench.closed()
        #expect(bench.said() == ["lost 0", "connecting", "connect"])
        bench.connected()
        bench.devices("/dev/a")
        bench.receive(ConnectionBench.confirmation)
        #expect(bench.said() == ["watch?", "subscribing", "found 0", "watching"])
        bench.closed()
        #expect(bench.said() == ["lost 0", "waiting"])
        bench.pass(0.6)
        #expect(bench.said() == ["connecting", "connect"])
    }

    @Test("a gpsd that closes without a word is not besieged")
    func closedWithoutAWord() {
        let bench = ConnectionBench()
        bench.want(true)
        bench.connected()
        bench.closed()
        #expect(bench.said() == ["connecting", "connect", "watch?", "subscribing", "waiting"])
    }

    @Test("a connection that is neither made nor refused is given up after 10 s")
    func connectLimit() {
        let bench = ConnectionBench()
        bench.want(true)
        bench.pass(10.1)
        #expect(bench.said() == ["connecting", "connect", "disconnect", "waiting"])
    }

    @Test("words of a connection that is no more are ignored")
    func stale() {
        let bench = ConnectionBench()
        bench.connected()
        bench.closed()
        bench.refused()
        bench.tpv()
        #expect(bench.said().isEmpty)
        bench.want(true)
        bench.start()
        #expect(bench.said() == ["connecting", "connect"])
    }

    @Test("while the receiver speaks nothing is asked")
    func noQuestions() {
        let bench = ConnectionBench.watching()
        for _ in 0..<60 {
            bench.tpv()
            bench.pass(1)
        }
        #expect(bench.said().allSatisfy { $0 == "fix" })
    }

    @Test(
        "a silent receiver is asked after twice; once it is not listed any more it is lost, and nothing more is asked")
    func unplugged() {
        let bench = ConnectionBench.watching()
        bench.pass(1.9)
        #expect(bench.said().isEmpty)
        bench.pass(0.2)
        #expect(bench.said() == ["devices?"])
        bench.devices("/dev/a", ageSeconds: 3)
        bench.pass(2)
        #expect(bench.said() == ["devices?"])
        bench.devices()
        #expect(bench.said() == ["lost 0"])
        #expect(bench.machine.nextWake == nil)
        bench.pass(1000)
        #expect(bench.said().isEmpty)
        bench.receive("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":\"\(bench.hostTime.rfc3339)\"}")
        bench.tpv()
        #expect(bench.said() == ["found 0", "fix"])
    }

    @Test("a receiver that is listed with old data is lost once, and found when it speaks again")
    func mute() {
        let bench = ConnectionBench.watching()
        bench.pass(2.1)
        bench.devices("/dev/a", ageSeconds: 3)
        bench.pass(2.1)
        #expect(bench.said() == ["devices?", "devices?"])
        bench.devices("/dev/a", ageSeconds: 5)
        #expect(bench.said().isEmpty)
        bench.pass(3.6)
        #expect(bench.said() == ["devices?"])
        bench.devices("/dev/a", ageSeconds: 5.5)
        #expect(bench.said() == ["lost 0"])
        bench.devices("/dev/a", ageSeconds: 8)
        #expect(bench.said().isEmpty)
        #expect(bench.machine.receivers.map(\.isPresent) == [false])
        bench.tpv()
        #expect(bench.said() == ["found 0", "fix"])
    }

    @Test("a receiver whose data is fresh though nothing is reported is asked after once a minute")
    func undecodable() {
        let bench = ConnectionBench.watching()
        for _ in 0..<300 {
            bench.devices("/dev/a")
            bench.pass(1)
        }
        let said = bench.said()
        #expect(said.allSatisfy { $0 == "devices?" })
        #expect((5...8).contains(said.count))
    }

    @Test("one silent receiver is noticed though another one speaks")
    func oneOfTwo() {
        let bench = ConnectionBench.watching()
        bench.tpv("/dev/b")
        #expect(bench.said() == ["found 1", "fix"])
        for _ in 0..<4 {
            bench.pass(1)
            bench.tpv("/dev/b")
        }
        #expect(bench.said().contains("devices?"))
        bench.devices("/dev/b")
        #expect(bench.said() == ["lost 0"])
    }

    @Test("a gpsd that answers nothing for 75 s is left, a minute of silence is not")
    func dead() {
        let bench = ConnectionBench.watching()
        bench.pass(65)
        #expect(bench.said().allSatisfy { $0 == "devices?" })
        bench.pass(15)
        let said = bench.said().filter { $0 != "devices?" }
        #expect(said == ["disconnect", "lost 0", "waiting", "connecting", "connect"])
        #expect(bench.machine.status.lastError == "cannot read from 127.0.0.1:2947: gpsd did not answer for 75 s")
    }

    @Test("a wake-up that comes early does no harm")
    func early() {
        let bench = ConnectionBench.watching()
        var commands: [GPSDCommand] = []
        bench.machine.woke(at: bench.now, into: &commands)
        #expect(commands.isEmpty)
    }

    @Test("the status tells what people need to know of gpsd and of receivers")
    func status() throws {
        let bench = ConnectionBench.watching()
        bench.receive("nonsense")
        #expect(bench.machine.status.state == .watching)
        #expect(bench.machine.status.lastError == nil)
        #expect(bench.machine.unusableLines == 1)
        let receiver = try #require(bench.machine.receivers.first)
        #expect(receiver.path == "/dev/a" && receiver.mode == 3 && receiver.cycle == .seconds(1))
        #expect(receiver.lastFix == BootInstant(nanoseconds: 2_000_000_000))
    }

    @Test("attitudes are handed on while fixes are wanted")
    func attitude() {
        let bench = ConnectionBench.watching()
        bench.receive("{\"class\":\"ATT\",\"device\":\"/dev/a\",\"heading\":10.0}")
        #expect(bench.said() == ["attitude"])
    }

    @Test(
        "random histories: never two connections, a wake-up never without demand when connected or not, no endless waking"
    )
    func invariants() {
        for seed in SplitMix64.seeds(200) {
            var random = SplitMix64(seed: seed)
            let bench = ConnectionBench()
            var isConnecting = false
            var isConnected = false
            var isWanted = false
            func check() {
                for word in bench.said() {
                    switch word {
                    case "connect":
                        #expect(!isConnecting && !isConnected, "seed \(seed)")
                        isConnecting = true
                    case "disconnect":
                        #expect(isConnecting || isConnected, "seed \(seed)")
                        isConnecting = false
                        isConnected = false
                    case "watch?", "unwatch?", "devices?": #expect(isConnected, "seed \(seed)")
                    default: break
                    }
                }
                if !isWanted, !isConnecting { #expect(bench.machine.nextWake == nil, "seed \(seed)") }
            }
            bench.start()
            check()
            for _ in 0..<200 {
                switch random.below(10) {
                case 0:
                    isWanted.toggle()
                    bench.want(isWanted)
                case 1 where isConnecting:
                    isConnecting = false
                    isConnected = true
                    bench.connected()
                    bench.receive(ConnectionBench.version)
                case 2 where isConnecting:
                    isConnecting = false
                    bench.refused()
                case 3 where isConnected:
                    isConnected = false
                    bench.closed()
                case 4 where isConnected: bench.receive(ConnectionBench.confirmation)
                case 5 where isConnected: bench.devices("/dev/a", ageSeconds: Double(random.below(10)))
                case 6, 7:
                    if isConnected { bench.tpv(mode: random.below(4)) }
                default: bench.pass(Double(random.below(4000)) / 100)
                }
                check()
            }
        }
    }
}
