// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Why something could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
    init(cannot action: String) { description = "cannot \(action): \(String(cString: strerror(errno)))" }
}

/// Waits until a program that was started has made its socket.
func awaitSocket(_ path: String) throws {
    let deadline = nanoseconds() + 10_000_000_000
    while access(path, F_OK) != 0 {
        guard nanoseconds() < deadline else { throw BenchmarkError("cannot connect to \(path): nobody made it") }
        usleep(1000)
    }
}

func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

func percentile(_ sorted: [Int64], _ part: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return Double(sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)])
}

/// The middle and the tail of delays in nanoseconds, as microseconds.
func distribution(_ sorted: [Int64]) -> String {
    "median \(fixed(percentile(sorted, 0.5) / 1000, 1))   p99 \(fixed(percentile(sorted, 0.99) / 1000, 1))"
}

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(width - text.count, 0)) }

func fixed(_ value: Double, _ places: Int) -> String {
    guard value.isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int64((abs(value) * scale).rounded())
    let fraction = String(whole % Int64(scale))
    let sign = value < 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole / Int64(scale))." + String(repeating: "0", count: places - fraction.count) + fraction
}

func readText(_ path: String) -> String? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { break }
        text += buffer[0..<count]
    }
    return String(decoding: text, as: UTF8.self)
}

/// A program that was started and is killed by its number at the end.
final class Program {
    let pid: pid_t

    /// What it writes goes to `output`; nil: nowhere.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil
    ) throws {
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + environment.map { "\($0.key)=\($0.value)" }
        var variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var started = pid_t()
        let error = posix_spawnp(&started, path, &actions, nil, &words, &variables)
        guard error == 0 else { throw BenchmarkError("cannot start \(path): \(String(cString: strerror(error)))") }
        pid = started
    }

    deinit {
        kill(pid, SIGTERM)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// Waits until it has ended by itself.
    func wait() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// CPU time of all threads, by the scheduler's count.
    var cpuNanoseconds: Int64 {
        guard let directory = opendir("/proc/\(pid)/task") else { return 0 }
        defer { closedir(directory) }
        var total: Int64 = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard Int(name) != nil, let text = readText("/proc/\(pid)/task/\(name)/schedstat") else { continue }
            total += text.split(separator: " ").first.flatMap { Int64($0) } ?? 0
        }
        return total
    }

    /// Kibibytes.
    var memory: (resident: Int, anonymous: Int) {
        (field("Rss", of: "smaps_rollup"), field("Anonymous", of: "smaps_rollup"))
    }

    /// The most that was ever resident, kibibytes.
    var peakResident: Int { field("VmHWM", of: "status") }

    private func field(_ name: String, of file: String) -> Int {
        let lines = (readText("/proc/\(pid)/\(file)") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix(name + ":") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// A thread that runs one closure.
final class Worker {
    private var thread = pthread_t()
    private final class Job {
        let work: () -> Void
        init(_ work: @escaping () -> Void) { self.work = work }
    }

    init(_ work: @escaping () -> Void) {
        let job = Unmanaged.passRetained(Job(work))
        pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().work()
                return nil
            }, job.toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}
