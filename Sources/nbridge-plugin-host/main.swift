// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeIsolation

exit(ChildProgram.run(CommandLine.arguments))
