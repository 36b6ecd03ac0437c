// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationBeacons

exit(runLocationBeacons(arguments: CommandLine.arguments))
