// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeSystem
import Testing

/// Errors of the system, as scripts see them.
@Suite struct SystemErrorTests {
  @Test func whatAnActionThrowsOfTheSystemIsAnInputOutputError() {
    let error = BridgeError(wrapping: SystemError("open", "/x", code: EACCES))
    #expect(error.description == "io_error: can't open '/x': Permission denied")
  }

  @Test func theLastErrorIsReadAtOnce() {
    #expect(access("/nowhere/at/all", F_OK) != 0)
    let error = BridgeError.system("look at", "/nowhere/at/all", .notFound)
    #expect(error.description == "not_found: can't look at '/nowhere/at/all': No such file or directory")
  }

  @Test func aMissingLibraryIsUnavailable() {
    let once = OpenedOnce { () throws(MissingLibrary) in
      _ = try DynamicLibrary("libnothing.so.9", of: "Nothing", package: "libnothing9")
    }
    let error = #expect(throws: BridgeError.self) { try once.orUnavailable() }
    #expect(error?.code == .unavailable)
    #expect(error?.message.hasSuffix(" Run: sudo apt-get install libnothing9") == true)
  }
}
