// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@Suite struct ErrorTests {
  @Test(arguments: [
    (SystemError("open", "/x", code: ENOENT), "can't open '/x': No such file or directory"),
    (SystemError("make a socket", code: EMFILE), "can't make a socket: Too many open files"),
  ])
  func anErrorSaysWhatFailedAndWhy(_ error: SystemError, _ text: String) {
    #expect(error.description == text)
  }

  @Test func theLastErrorIsThatOfTheLastCall() {
    #expect(open("/nowhere/at/all", O_RDONLY) == -1)
    let error = SystemError.last("open", "/nowhere/at/all")
    #expect(error.code == ENOENT)
    #expect(error.reason == "No such file or directory")
  }
}
