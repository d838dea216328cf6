// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeCLI

/// Which signals count as another wish to stop, and what they end.
@Suite struct StopRequestTests {
  let running = StopRequest.Situation(isGuarded: false, isSaving: false)
  let guarded = StopRequest.Situation(isGuarded: true, isSaving: false)
  let saving = StopRequest.Situation(isGuarded: true, isSaving: true)

  @Test func aScriptThatDoesNotComeBackEndsAfterAThirdOfASecond() {
    var request = StopRequest()
    #expect(request.next(at: 0, running) == .wait(300))
    #expect(request.next(at: 300, running) == .end("the script did not come back to its loop; ended"))
  }

  @Test func signalsWithinHalfASecondAreOne() {
    var request = StopRequest()
    for time in [0, 3, 200, 499] { request.signal(at: time) }
    #expect(request.count == 1)
    #expect(request.next(at: 499, guarded) == .wait(1))
  }

  @Test func theSecondEndsAGuardedScriptAfterItWasTold() {
    var request = StopRequest()
    guard case .tell = request.next(at: 500, guarded) else {
      Issue.record("nobody is told")
      return
    }
    guard case .wait = request.next(at: 501, guarded) else {
      Issue.record("told twice")
      return
    }
    request.signal(at: 700)
    #expect(
      request.next(at: 700, guarded)
        == .end("the script did not come back to its loop; ended, and what was unsaved is lost"))
  }

  @Test func onlyTheThirdEndsWhatIsBeingSaved() {
    var request = StopRequest()
    request.signal(at: 600)
    for time in stride(from: 600, to: 20_000, by: 300) {
      if case .end = request.next(at: time, saving) { Issue.record("ended at \(time)") }
    }
    request.signal(at: 20_300)
    #expect(request.next(at: 20_300, saving) == .end("ended while something was being saved"))
  }

  @Test func eachCountedSignalIsToldOnceWhileSaving() {
    var request = StopRequest()
    var told: [String] = []
    for time in stride(from: 0, to: 3000, by: 100) {
      if time == 1000 { request.signal(at: time) }
      if case .tell(let text) = request.next(at: time, saving) { told.append(text) }
    }
    #expect(told.count == 2 && told[0].contains("twice more") && told[1].contains("once more"), "\(told)")
  }
}
