// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeCLI

/// When ^C that nobody deals with end the process.
@Suite struct InterruptPatienceTests {
  /// Milliseconds, and how many ^C the prompt has not dealt with; the last says whether it is over.
  static let courses: [([(Int, Int)], InterruptPatience.Answer)] = [
    ([(0, 1)], .waits), ([(0, 1), (600, 2)], .warns), ([(0, 1), (300, 2), (600, 3)], .ends),
    // All at once: the prompt had no time.
    ([(0, 1), (10, 2), (20, 3)], .waits), ([(0, 1), (10, 2), (20, 3), (30, 4), (700, 5)], .ends),
    // It dealt with those before.
    ([(0, 1), (300, 2), (600, 1), (700, 2), (800, 3)], .waits), ([(0, 1), (900, 1), (1000, 2)], .waits),
  ]

  @Test(arguments: courses)
  func theThirdEndsItWhenThereWasTime(_ course: [(Int, Int)], _ last: InterruptPatience.Answer) {
    let start = ContinuousClock.now
    var patience = InterruptPatience()
    var answers: [InterruptPatience.Answer] = []
    for (time, unseen) in course {
      answers.append(patience.answer(to: unseen, at: start + .milliseconds(time)))
    }
    #expect(answers.last == last && !answers.dropLast().contains(.ends))
  }
}
