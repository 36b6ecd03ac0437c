// SPDX-License-Identifier: Apache-2.0

// The texts of help.
extension LocctlCommand {
    /// How it is written, where one line does not say it.
    var forms: [String] {
        switch self {
        case .region:
            [
                "add NAME --circle LAT,LON,RADIUS [OPTION]...", "add NAME --polygon LAT,LON LAT,LON... [OPTION]...",
                "add NAME --beacon UUID[,MAJOR[,MINOR]] [OPTION]...",
                "list|watch [OPTION]...", "remove|state NAME [OPTION]...",
            ]
        case .beacon: ["range UUID[,MAJOR[,MINOR]] [OPTION]..."]
        case .locate: ["set LAT,LON [OPTION]...", "clear [OPTION]..."]
        case .visits: ["[OPTION]...", "stop [OPTION]..."]
        case .history: ["[OPTION]...", "forget --all|--day DAY|--from TIME|--to TIME [OPTION]..."]
        case .monitor:
            [
                "add MONITOR NAME --circle LAT,LON,RADIUS [OPTION]...",
                "add MONITOR NAME --polygon LAT,LON LAT,LON... [OPTION]...",
                "add MONITOR NAME --beacon UUID[,MAJOR[,MINOR]] [OPTION]...", "list|watch MONITOR [OPTION]...",
                "remove|record MONITOR NAME [OPTION]...",
            ]
        case .authorize:
            ["APP always|when-in-use|once|denied [OPTION]...", "APP reset", "APP --accuracy full|reduced"]
        case .services: ["[OPTION]...", "on|off [OPTION]..."]
        case .requests: ["[OPTION]...", "NUMBER always|while-using|once|deny [OPTION]..."]
        case .events, .forget: ["[OPTION]... APP"]
        case .close: ["[OPTION]... CONNECTION"]
        default: []
        }
    }

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .status: "whether it works, and if not why not"
        case .top: "a live screen: position, sky, track, who asks"
        case .get: "where the device is, once"
        case .watch: "where the device is, again and again"
        case .significant: "where the device is, whenever it has come far"
        case .live: "where the device is, and silence while it rests"
        case .heading: "where the device points"
        case .region: "tell when the device comes into an area or leaves it"
        case .locate: "say where the device stands, where no receiver does"
        case .visits: "where the device stays, and for how long"
        case .monitor: "conditions that are kept, and how they stand"
        case .beacon: "which beacons are near, and how far they seem"
        case .history: "where the device was, as far as that is kept"
        case .export: "a file of where the device was, for other programs"
        case .report: "a day to look at: way, stays, receiver, apps"
        case .why: "why a client gets no locations, in one sentence"
        case .uplink: "whether locations reach the broker, and what waits"
        case .metrics: "numbers for Prometheus and its like"
        case .apps: "who may have locations, and who has them"
        case .authorize: "decide what an app may have"
        case .forget: "remove everything that is kept of an app"
        case .services: "switch location services on or off for everyone"
        case .requests: "what waits for somebody's decision"
        case .agent: "ask the person at this terminal for decisions"
        case .events: "what is kept for an app until it comes back"
        case .close: "close the connection of a client"
        case .reload: "make the daemon read its configuration again"
        case .version: "the versions of locctl and of the daemon"
        case .help: "how to use a command"
        }
    }

    /// The paragraphs about the command in its own help.
    package var explanation: String {
        switch self {
        case .status:
            """
            Prints on one screen whether locations come and, if not, what is missing: the daemon,
            gpsd, the receivers, who needs them, and every client. With --json the document that
            the daemon answered. Without authorization only a part of it is told.
            """
        case .top:
            """
            Shows a live screen: the position, the sky and how loud its satellites are (a shape for each
            system, filled if the fix is made of it), the way of the last minutes to scale, whether the
            receiver is on, why, and when it goes on next, who asks for what, and what happened. To
            look switches no receiver on unless --on asks for that. What this user may not know is
            absent.

            Keys: q ends it, o switches the receiver on or lets it off, + and - change how much of the way
            is shown, j and k scroll the clients, Ctrl-L draws all anew. Where standard output is no
            terminal, or one that can do nothing (TERM=dumb), one picture is printed as text, in as many
            rows as $LINES says, 10 to 500.
            """
        case .get:
            """
            Asks for one location and prints it: a fresh one, or with --cached the last one that
            is known. With --json the location object. Where nobody has decided whether this user
            may have locations, and nobody is there to be asked, it says so at once and ends.
            """
        case .watch:
            """
            Prints locations as they come, with the standard service of Core Location. The options
            are the properties of a location manager. With --json it prints every notification of
            the daemon as it came, a line each. The last known location, which comes first, counts
            for --count only if it is at most ten seconds old.

            If the daemon goes away, it waits for it to come back, takes its place again and goes
            on after the last location. Ctrl-C ends it in order; what was held back is printed.
            """
        case .significant:
            """
            Prints a location whenever the device has come far (about 500 m), with the significant
            change service of Core Location, which lets the receiver sleep in between. With --json
            it prints every notification of the daemon as it came, a line each.
            """
        case .live:
            """
            Prints locations as they come, with the live updates of Core Location: when the device
            comes to rest, that is said once, and then there is silence until it moves. What keeps
            locations away is said, too. With --json it prints every notification of the daemon as
            it came, a line each.
            """
        case .heading:
            """
            Prints where the device points, if a receiver tells that. With --json it prints every
            notification of the daemon as it came, a line each.
            """
        case .region:
            """
            Keeps areas, of which the daemon says when the device comes in or goes out. They are
            kept for an app by its name (--app, default locctl) until they are removed, and what
            happens while nobody listens is kept, too, if the app may have locations always.

            add keeps an area, in place of the one of this NAME; list prints those that there are;
            remove forgets one; state tells whether the device is inside; watch prints who comes
            and goes, first what was kept, and tells the daemon what it has printed, so that it
            does not come again. With --json watch prints every notification of the daemon as it
            came, a line each.

            The area around beacons needs no receiver, but locationd-beacons: it is entered when one of
            them is heard, and left when none was for 30 s. While nobody listens its state is unknown.

            With --notice the user's agent (`locctl agent --desktop`) shows a person the notice when
            the area is crossed; nothing is started for it. One that nobody was there to show is
            shown later, as missed. With --no-entry and --no-exit, too, that is all that is told.
            """
        case .locate:
            """
            Says where the device stands: a machine without a receiver, or one before its first fix.
            Fixes of a receiver go before it, and for an hour after the last one it is not told. Who
            gets it is told that it was set by hand; nobody enters, leaves or visits anything by a
            place that is less certain than 200 m.

            set takes a place in degrees and keeps it until clear forgets it, also over a restart. A
            file /etc/geolocation, as GeoClue reads it, counts in the same way. Only for admins.
            """
        case .visits:
            """
            Has the daemon note where the device stays, prints the visits that were kept, and with
            --follow or --count those that come. What is printed does not come again. The daemon
            goes on noting visits for the app (--app, default locctl) until `locctl visits stop`.
            With --json it prints every notification of the daemon as it came, a line each.
            """
        case .monitor:
            """
            Keeps conditions in a monitor, as CLMonitor of Core Location does: areas, and how the
            device was last found to stand to them. MONITOR is its name; a program that has it
            open keeps others from it.

            list prints the conditions; add keeps one, in place of the one of this NAME; remove
            forgets it; record tells what was last acknowledged of it; watch prints what changes,
            first what was kept, and acknowledges what it has printed. With --json watch prints
            every notification of the daemon as it came, a line each.
            """
        case .beacon:
            """
            range prints once a second the beacons of a UUID that are heard, or those of one MAJOR, or
            the one of a MINOR: how far each seems, nearest first, and how loud it is. What a wall or a
            body does to the signal is taken for distance. Beacons are heard by locationd-beacons, only
            while somebody wants to know. With --json it prints every notification of the daemon as it
            came, a line each; --count counts seconds.
            """
        case .history:
            """
            Prints the locations of a day or a time that locationd has kept, oldest first; without
            a range those of today. With --json the location objects, a line each. What is kept,
            and for how long, says [History] in locationd.conf(5). Only for admins, and for apps
            whose manifest allows it while they are authorized always.

            forget removes what is kept, of a day, of a time or all of it, from the disk, too. Only
            for admins.
            """
        case .export:
            """
            Writes a file of the locations that locationd has kept, all or those of a day or a time,
            for maps and other programs: GPX 1.1, GeoJSON, KML or comma-separated values. Visits
            and crossings of regions are waypoints in it, but those around beacons, which have no place.
            A place that no receiver measured and that is known only roughly is left out. Only for admins,
            and for apps whose manifest allows it while they are authorized always.

            A FILE that is there already stays as it was until the new one is whole.
            """
        case .report:
            """
            Writes a day, today unless said, as one HTML file to look at, to print or to hand on: the way
            to scale with its accuracy, stays with the names of regions, crossings, speed and altitude,
            when the receiver was on and for whom, and how much each app was told, the last for admins.
            It fetches nothing and runs nothing. The locations are those that history has, or while none
            is kept what the daemon still remembers, for admins. Who else may read it: as for export.

            A FILE that is there already stays as it was until the new one is whole.
            """
        case .uplink:
            """
            Prints whether locationd-uplink is connected to its broker, or its server takes messages,
            and since when, how much waits and how old that is, when something was last
            acknowledged, and what went wrong last. With --json the document that locationd-uplink shows.
            """
        case .metrics:
            """
            Prints how the service does as metrics, in the OpenMetrics format: the age and accuracy of
            the newest fix, satellites, how long receivers were on, clients, what waits and what was
            lost. Where the device is stands in it only with --coordinates. Without authorization only
            a part of it is told; admins are told all. The names stay as they are.

            Without a daemon, locationd_up is 0, and the exit status 3. A FILE is replaced at once, so
            that who reads it never finds a half of it.
            """
        case .apps:
            """
            Prints the apps that the daemon knows: what they may have, whether they are in use, when
            they last had a location, and what is kept for them. Only for admins. With --json the
            list that the daemon answered.
            """
        case .authorize:
            """
            Decides about APP, as `locctl apps` names it, or about a user, by name or as uid:1000,
            with all that the user starts and that nobody has decided about: always; when-in-use,
            while it is; once, until it is no longer in use; denied, which also removes the regions,
            monitors and events that are kept for it; or reset, which forgets what was decided, so
            that it has to ask again. Only for admins.

            A decision that allows less holds at once, even if the disk does not take it: that is
            said then, and the exit status is 0. One that allows more is refused in that case; where
            locationd cannot even read what was decided, it holds until locationd ends.
            """
        case .forget:
            """
            Removes everything that is kept of APP, as `locctl apps` names it: what was decided,
            regions, monitors, events and labels. It says what that was. If APP comes again, it is
            as if it came for the first time. Only for admins. With --json the object that the
            daemon answered.
            """
        case .services:
            """
            Switches location services on or off for the whole device; without an operand it prints
            how they are. To switch is only for admins.
            """
        case .requests:
            """
            Prints the apps that wait for somebody's decision, or answers one of them. ANSWER is
            always, while-using, once or deny. Only for admins.
            """
        case .agent:
            """
            Asks the person at this terminal whenever an app waits for a decision, and gives the
            answer to the daemon. Who asks is as the daemon has found out; what stands in quotes is
            the app's own word. Where standard input is no terminal it only shows the questions, or
            gives --answer to each. With --json it prints every notification of the daemon as it
            came, a line each, and asks nobody. Only for admins and apps that are agents.

            With --desktop it works by the desktop's notifications: it shows the notices of this
            user's regions, and asks with buttons, where the desktop has them. Who may not be asked
            has the notices shown all the same by the user's own service, begun with
            `systemctl --user enable --now locationd-agent`.
            """
        case .events:
            """
            Prints what the daemon keeps for APP, as `locctl apps` names it, until it comes back and
            says that it has it. Only for admins. With --json the list that the daemon answered.
            """
        case .close:
            """
            Closes the connection of this number, as `locctl status` shows it. Its client may connect
            again, as most do at once, and go on where it was: to keep a program out, stop it, or
            decide about it with `locctl authorize`. Only for admins.
            """
        case .why:
            """
            Says what stops a client from getting the locations that it asked for: the first thing
            that is in the way, or that nothing is. CLIENT is the name of an app, the number of a
            process or of a connection, as `locctl status` shows them; an app that is not connected
            may be one of `locctl apps`, and a user's name stands for what the user runs. The
            beginning or a part of a name is enough if it fits one. Without CLIENT the sentence is
            about the device. With --json a line with "cause" and "sentence" for each client.
            """
        case .reload:
            """
            Makes the daemon read its configuration and the manifests of apps again. A configuration
            that cannot be used is refused as a whole, with what is wrong with it, and the old one
            stays in force; a manifest that cannot be used counts for nothing, and is told. Only for
            admins; it is what `systemctl reload locationd` does.
            """
        case .version:
            """
            Prints the version of this program and of the daemon that runs.
            """
        case .help:
            """
            Prints how to use COMMAND, or which commands there are.
            """
        }
    }

    /// Command lines to begin with.
    package var examples: [String] {
        switch self {
        case .top: ["locctl top --on", "ssh -t car locctl top"]
        case .get: ["locctl get --timeout 1min", "locctl get --cached --json | jq .latitude"]
        case .watch:
            [
                "locctl watch --distance-filter 100m", "locctl watch --defer-distance 1km --defer-timeout 10min",
                "locctl watch --json --until 18:30 > day.jsonl",
            ]
        case .live: ["locctl live --configuration fitness --count 10"]
        case .region:
            [
                "locctl region add home --circle 52.5163,13.3777,100m",
                "locctl region add field --polygon 52.51,13.37 52.52,13.37 52.52,13.39",
                "locctl region add desk --beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0,7",
                "locctl region add home --circle 52.5163,13.3777,100m --notice 'You are home'",
                "locctl region watch --json",
            ]
        case .locate: ["locctl locate set 52.5163,13.3777 --accuracy 30m", "locctl locate clear"]
        case .visits: ["locctl visits --follow"]
        case .beacon: ["locctl beacon range E2C56DB5-DFFB-48D2-B060-D0F5A71096E0,7"]
        case .history: ["locctl history --day yesterday", "locctl history forget --to 2026-01-01"]
        case .monitor:
            [
                "locctl monitor add places home --circle 52.5163,13.3777,100m",
                "locctl monitor watch places",
            ]
        case .export:
            [
                "locctl export --day yesterday -o yesterday.gpx",
                "locctl export --format kml --from 2026-11-01 --simplify 5m -o november.kml",
            ]
        case .report: ["locctl report --day yesterday -o yesterday.html"]
        case .metrics: ["locctl metrics --prometheus --output locationd.prom"]
        case .why: ["locctl why gpxlogger"]
        case .authorize: ["locctl authorize gpxlogger when-in-use --accuracy reduced"]
        case .forget: ["locctl forget 'uid:1010'"]
        case .requests: ["locctl requests 3 while-using"]
        case .agent: ["locctl agent --answer deny", "locctl agent --desktop"]
        case .close: ["locctl close 12"]
        case .status, .uplink, .significant, .heading, .apps, .services, .events, .reload, .version, .help: []
        }
    }

    /// The meaning of its exit status, for help.
    var exitStatus: String {
        switch self {
        case .watch, .significant, .live, .heading, .beacon, .visits:
            """
            Exit status: 0 when --count or --until is reached, or Ctrl-C ends what had no other
            end (otherwise 130); 1 the daemon said no; 2 wrong command line; 3 no daemon.
            """
        case .agent:
            """
            Exit status: 0 when Ctrl-C ends it, or Ctrl-D where it asks a person; 1 the daemon said
            no; 2 wrong command line; 3 no daemon.
            """
        case .export, .report:
            """
            Exit status: 0 done, 1 the daemon said no or the file cannot be written, 2 wrong command
            line, 3 no daemon, 130 interrupted.
            """
        case .metrics:
            """
            Exit status: 0 done, 1 the daemon said no or the file cannot be written, 2 wrong command
            line, 3 no daemon.
            """
        case .get: "Exit status: 0 done, 1 no location, 2 wrong command line, 3 no daemon."
        case .help: "Exit status: 0 done, 2 wrong command line."
        case .region, .monitor:
            """
            Exit status: 0 done, --count or --until is reached, or Ctrl-C ends what had no other
            end (otherwise 130); 1 the daemon said no; 2 wrong command line; 3 no daemon.
            """
        case .uplink:
            """
            Exit status: 0 done, 1 what locationd-uplink shows cannot be read, 2 wrong command line,
            3 locationd-uplink does not run.
            """
        case .status, .top, .why, .locate, .history, .apps, .authorize, .forget, .services, .requests, .events, .close,
            .reload,
            .version:
            "Exit status: 0 done, 1 the daemon said no, 2 wrong command line, 3 no daemon."
        }
    }
}
