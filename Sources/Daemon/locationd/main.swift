// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationDaemon

exit(runLocationd(arguments: CommandLine.arguments))
