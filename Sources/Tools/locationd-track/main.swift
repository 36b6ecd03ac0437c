// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTracks

exit(TrackCommand.run(CommandLine.arguments))
