// SPDX-License-Identifier: Apache-2.0
import SystemSupport

/// Runs `locationd-geoclue` with its command line and returns its exit code: 0, 1 when it cannot do its work, 64 for a wrong command
/// line (sysexits.h).
///
/// The program owns `org.freedesktop.GeoClue2` on the system bus and is, towards locationd, a client like any other: a connection
/// for each GeoClue client, the filters and the reduced accuracy are the daemon's. GeoClue's clients need not be changed.
///
/// **Consent.** locationd sees one app behind all desktop programs, this one, by its unit and user. What an administrator decides
/// about it holds for all of them, and locationd enforces it. Which of them is told anything is decided here, by what
/// the bus and the kernel say of the caller and never by what it says itself:
///
/// 1. Programs of root and of members of the group `locationd` are told (as locationd itself has it; `--always-users`,
///    `--always-groups`).
/// 2. About others the agent of the same user is asked, if the user is one whose agents are heard: as shipped, who has an active session at
///    a seat of this machine (`--agents`), and so knows where it is. The first agent counts until it leaves the bus. What it is
///    asked about is the application that the caller's control group names, else the caller's own `DesktopId`.
/// 3. All others are refused, after a moment in which an agent may come.
///
/// The program enforces what an agent allows: a client that may have less than the exact place gets locationd's reduced view,
/// and the agent is asked about the accuracy that the client will be told, not the one that it wants. One user's processes
/// outside a sandbox are not protected from each other: one of them can register as the user's agent. Where that matters,
/// `--agents nobody`.
package func runLocationGeoClue(arguments: [String]) -> Int32 {
    GeoClueOptions.run(arguments) { options throws(SystemError) in
        try GeoClueService(options).run()
        return 0
    }
}

func say(_ message: String) { GeoClueOptions.say(message) }
