// SPDX-License-Identifier: MIT
#pragma once

/// What the libraries of an isolated plugin call as `open` (the linker has this program show it to them).
///
/// libdispatch, on which Swift's tasks run, looks once a second at the threads that have work, by `/proc/NUMBER/stat`, and ends the
/// process where it can't. The sandbox opens no folder of /proc but this process's own, where the same threads are: what is refused
/// there is looked for here.
int open(const char *path, int flags, ...);
