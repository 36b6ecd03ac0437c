// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocctlCommands

exit(runLocctl(arguments: CommandLine.arguments))
