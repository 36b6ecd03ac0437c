// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// All that must be known of a manager to take it back: after its client reconnected, or after the daemon was restarted.
///
/// What was delivered is not here: the shell notes it at every line, and says it with `Event.managerAttached`.
package struct ManagerState: Sendable {
    /// Whose it is.
    package var app: AppID
    /// As the client last said.
    package var presence: Presence
    /// As the client last set them.
    package var properties = ManagerProperties()
    /// `startUpdatingLocation` was called, and not `stop…`.
    package var wantsStandard = false
    /// Standard delivery began behind this number.
    package var standardStart: UInt64 = 0
    /// What lies between that number and the client's own may be incomplete, and the first delivery behind it says so.
    package var standardHasGap = false
    /// The distance filter counted from here when delivery began; nil: the next live fix is delivered whatever the filter.
    package var standardReference: Coordinate?
    /// Metres: accuracy at `standardReference`.
    package var standardReferenceAccuracy = 0.0
    /// `startMonitoringSignificantLocationChanges` was called, and not `stop…`.
    package var wantsSignificant = false
    /// Where significant changes count from; nil: the next fix is the current one.
    package var significantReference: Coordinate?
    /// When the last one was.
    package var significantLastEvent: BootInstant?
    /// One that came while no connection was there; 0: none.
    package var significantPending: UInt64 = 0
    /// The running deferral.
    package var deferral: Deferral?
    /// The number of the last deferral.
    package var lastDeferral: UInt32 = 0
    /// The number of the last `requestLocation`.
    package var lastRequest: UInt32 = 0
    /// The pending `requestLocation`.
    package var request: LocationRequest?
    /// Finishes that the client may not have seen.
    package var unconfirmedFinishes: [FinishedDeferral] = []
    /// The client said `events: true`.
    package var keepsEvents = false
    /// Updates pause because the device rests.
    package var isPaused = false
    /// `startUpdatingHeading` was called, and not `stop…`.
    package var wantsHeading = false
    /// Streams of live updates.
    package var live: [(number: UInt32, configuration: LiveConfiguration)] = []
    /// Sessions that are held.
    package var sessions: [Session] = []
    /// Monitors that are open.
    package var monitors: [(number: UInt32, name: String)] = []
    /// The numbers given last.
    package var lastLive: UInt32 = 0
    package var lastSession: UInt32 = 0
    package var lastMonitor: UInt32 = 0
    /// What was allowed for the use that goes on; nil: nothing.
    package var allowance: UseAllowance?
    /// No connection is there.
    package var isAway = false

    /// A new manager of `app`.
    package init(app: AppID, presence: Presence) {
        self.app = app
        self.presence = presence
    }
}
