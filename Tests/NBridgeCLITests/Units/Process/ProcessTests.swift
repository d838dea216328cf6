// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Testing

@testable import NBridgeCLI
@testable import NBridgeSystem

/// Signals that a thread takes itself.
@Suite struct SignalSetUnitTests {
  /// On a thread of its own: what it keeps from itself no other test has to bear.
  private func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      PlainThread.start("nb-test") { continuation.resume(returning: body()) }
    }
  }

  @Test func aSignalOfTheSetIsTakenOnce() async {
    let taken = await onThread { () -> [Int32?] in
      let set = SignalSet([SIGUSR1, SIGUSR2])
      set.block()
      pthread_kill(pthread_self(), SIGUSR2)
      let first = set.wait()
      pthread_kill(pthread_self(), SIGUSR1)
      return [first, set.wait(within: .seconds(10)), set.wait(within: .zero), set.wait(within: .seconds(-5))]
    }
    #expect(taken == [SIGUSR2, SIGUSR1, nil, nil])
  }

  @Test func aDescriptorIsReadableWhenOneCame() async {
    let seen = await onThread { () -> [Int32] in
      let set = SignalSet([SIGUSR1])
      set.block()
      let file = set.descriptor()
      defer { close(file) }
      var poller = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      let before = poll(&poller, 1, 0)
      pthread_kill(pthread_self(), SIGUSR1)
      let after = poll(&poller, 1, 0)
      return [
        before, after, fcntl(file, F_GETFD) & FD_CLOEXEC, set.wait(within: .zero) ?? 0, poll(&poller, 1, 0),
      ]
    }
    #expect(seen == [0, 1, FD_CLOEXEC, SIGUSR1, 0])
  }

  @Test func whatEndsAProgramIsKnown() {
    #expect(
      SignalSet.ending.starts(with: [SIGINT, SIGTERM])
        && SignalSet.ending.allSatisfy { [SIGINT, SIGTERM, SIGHUP].contains($0) }
    )
  }
}

/// Answers that a program gives, and no person.
@Suite struct AnswersUnitTests {
  private func answers(_ text: String) throws -> FileAnswers {
    let folder = ScratchFolder()
    try folder.write(["answers": text])
    return try FileAnswers(path: folder.path + "/answers")
  }

  @Test(arguments: [
    ("y\n", true), ("yes\n", true), ("YES", true), ("true\n", true), ("n\n", false), ("\n", false),
    ("", false), ("yy\n", false), (" y\n", false),
    ("y\r\n", true), ("yes\r\n", true), ("n\r\n", false),
  ])
  func aLineConfirms(_ text: String, _ isYes: Bool) throws {
    #expect(try answers(text).confirm("really?") == isYes)
  }

  @Test(arguments: [
    ("a\nb\n", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\n\nb", ["a", "", "b"]), ("日本\n", ["日本"]),
    ("  spaces  \n", ["  spaces  "]), ("a\rb\n", ["a\rb"]),
  ])
  func linesAnswerOneByOneUntilTheyRunOut(_ text: String, _ lines: [String]) throws {
    let answers = try answers(text)
    for line in lines { #expect(answers.prompt("?", default: "d") == line) }
    #expect(answers.prompt("?", default: "d") == nil && !answers.confirm("?"))
  }

  @Test func aFileThatIsNotThereIsTold() {
    let error = #expect(throws: UsageError.self) { try FileAnswers(path: "/no/such/file") }
    #expect(error?.description == "can't read the answers '/no/such/file': No such file or directory")
  }

  @Test func yesTakesEveryDefault() {
    #expect(YesAnswers().confirm("?") && YesAnswers().prompt("?", default: "d") == "d")
  }
}
