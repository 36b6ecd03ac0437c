// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationUplink

exit(runLocationUplink(arguments: CommandLine.arguments))
