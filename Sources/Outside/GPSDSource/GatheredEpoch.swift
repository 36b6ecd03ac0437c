// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// All that one receiver said of one moment. Stays after publication, to absorb what comes late.
struct GatheredEpoch {
    /// The receiver's time; nil if it told none.
    private(set) var time: WallTime?
    /// When its first report came.
    let openedAt: BootInstant
    /// The host's clock then.
    let hostTime: WallTime
    /// The reports as one; `mode` is that of the last one with a fix.
    private(set) var merged: TPVReport
    /// TPVs so far.
    private(set) var reports = 1
    /// The receiver's estimate of its errors.
    var gst: GSTReport?
    /// Whether there was a GST at all, too late or not.
    var hadGST = false
    /// Whether its fix has been handed out.
    var isPublished = false
    /// Whether it was told as a fix that there cannot be.
    var isRefused = false

    init(_ first: TPVReport, at now: BootInstant, hostTime: WallTime) {
        time = first.time
        openedAt = now
        self.hostTime = hostTime
        merged = first.usable
    }

    var position: Coordinate? { merged.position }

    /// Adds `later`, preferring what it says.
    mutating func absorb(_ later: TPVReport) {
        reports += 1
        if time == nil { time = later.time }
        guard later.mode >= 2 else { return }
        let later = later.usable
        merged.mode = later.mode
        merged.status = later.status
        if let latitude = later.latitude, let longitude = later.longitude {
            merged.latitude = latitude
            merged.longitude = longitude
        }
        merged.altHAE = later.altHAE ?? merged.altHAE
        merged.altMSL = later.altMSL ?? merged.altMSL
        merged.epx = later.epx ?? merged.epx
        merged.epy = later.epy ?? merged.epy
        merged.eph = later.eph ?? merged.eph
        merged.epv = later.epv ?? merged.epv
        merged.track = later.track ?? merged.track
        merged.epd = later.epd ?? merged.epd
        merged.speed = later.speed ?? merged.speed
        merged.climb = later.climb ?? merged.climb
        // gpsd replaces a receiver's own estimate by a computed one, always far larger, when an epoch is reported again.
        merged.eps = later.eps.map { min($0, merged.eps ?? $0) } ?? merged.eps
    }
}

extension TPVReport {
    /// Without what the mode says not to use: gpsd repeats old altitudes in 2-D, and anything without a fix.
    fileprivate var usable: TPVReport {
        guard mode < 3 else { return self }
        guard mode == 2 else { return TPVReport(receiver: receiver, mode: mode, status: status, time: time) }
        var copy = self
        copy.altHAE = nil
        copy.altMSL = nil
        copy.epv = nil
        copy.climb = nil
        return copy
    }
}
