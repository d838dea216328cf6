// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Only `NBridgeSystem` makes calls of the system: there each has an owner, a reason that is read in time,
/// and tests.
@Suite struct SystemCallTests {
  /// The calls that have a type there, by what it is called.
  nonisolated(unsafe) static let wrapped: [(call: Regex<Substring>, instead: String)] = [  // a constant
    (/\binotify_\w+\s*\(/, "Inotify"), (/\bflock\s*\(/, "FileLock"), (/\bstrerror\s*\(/, "SystemError"),
    (/\beventfd\s*\(/, "WakeFile"), (/\bepoll_(?:create1?|ctl|wait)\s*\(/, "Epoll"),
    (/\bmmap\s*\(/, "MemoryMap"), (/(?:^|[^.\w])open\s*\([^)\n]*\bO_[A-Z]+/, "Descriptor"),
    (/\bGlibc\.open\s*\(/, "Descriptor"), (/\b(?:nb_)?openat2?\s*\(/, "Descriptor"),
    (/\bSO_PEERCRED\b/, "UnixSocket"), (/\bCLOCK_MONOTONIC\b/, "MonotonicTime"),
  ]

  /// The files that may make one of the calls all the same, and why.
  static let exceptions: [String: String] = [
    "Sources/NBridgeScript/Modules/EsbuildProcess.swift": "hands the number to a child",
    "Sources/NBridgeScript/Modules/ModuleCache.swift": "a file that can't be written is no error",
    "Sources/NBridgeScript/Source/ScriptFile.swift": "is asked what was opened before anything is read",
    "Sources/NBridgeHost/Session/CallReporter.swift": "keeps the number for the life of the program",
    "Sources/NBridgeHost/Plugins/Loaded/LibraryFile.swift": "hands the number to the loader",
    "Sources/NBridgeRecording/RecordingFile.swift": "maps window after window while the script runs",
    "Sources/NBridgeRecording/Recording.swift": "a recording may be a pipe",
  ]

  /// The modules that are read. `JSEngine` knows no module of ours.
  static let folders = LayeringTests.allowed.keys.filter {
    !["Sources/NBridgeSystem", "Sources/JSEngine", "www"].contains($0)
  }.sorted()

  private static func code(_ text: String) -> String { text.replacing(/\/\/[^\n]*/, with: "") }

  @Test(arguments: folders)
  func theSystemIsAskedInOnePlace(_ folder: String) {
    for (path, text) in LayeringTests.sources(in: folder) where Self.exceptions[path] == nil {
      let code = Self.code(text)
      for (call, instead) in Self.wrapped {
        #expect(code.firstMatch(of: call) == nil, "\(path): there is \(instead)")
      }
    }
  }

  @Test func whoIsExceptedStillNeedsIt() throws {
    for path in Self.exceptions.keys {
      let file = LayeringTests.root.appendingPathComponent(path)
      let code = Self.code(try String(contentsOf: file, encoding: .utf8))
      #expect(Self.wrapped.contains { code.firstMatch(of: $0.call) != nil }, "\(path) needs no exception")
    }
  }

  @Test func aCallIsFound() {
    let found = { (code: String) in Self.wrapped.contains { code.firstMatch(of: $0.call) != nil } }
    for call in [
      "let file = open(path, O_RDONLY | O_CLOEXEC)", "flock(file, LOCK_EX)", "inotify_init1(0)",
      "strerror(errno)", "nb_openat(folder, name, 0, 0)", "Glibc.open(path, 0)",
    ] { #expect(found(call), "\(call)") }
    for other in ["try Descriptor.open(path, O_RDONLY)", "gate.open()", "func open(_ path: String) {"] {
      #expect(!found(other), "\(other)")
    }
  }
}
