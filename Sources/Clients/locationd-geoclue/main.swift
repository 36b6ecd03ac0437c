// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationGeoClue

exit(runLocationGeoClue(arguments: CommandLine.arguments))
