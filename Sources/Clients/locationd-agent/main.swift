// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationAgent

exit(runLocationAgent(arguments: CommandLine.arguments))
