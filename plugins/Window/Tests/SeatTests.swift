// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

@testable import WindowPlugin

/// The way between the plugin and a window, which a test plays.
@Suite struct SeatTests {
  @Test func withoutAWindowEachCallSaysWhatHasOne() async throws {
    let seat = WindowSeat()
    await #expect(throws: BridgeError.self) { try await seat.ask("state") }
    do { _ = try await seat.ask("state") } catch let error as BridgeError {
      #expect(error.code == .unavailable && error.message.contains("nbridge window PAGE"))
    }
  }

  @Test func eachAnswerGoesToItsQuestionInWhateverOrder() async throws {
    let seat = WindowSeat()
    let asked = Mutex<[[String: String]]>([])
    seat.connect { message in
      let all = asked.withLock { asked in
        asked.append(message)
        return asked
      }
      guard all.count == 2 else { return }
      for message in all.reversed() {
        seat.take(["answer": message["number"] ?? "", "title": message["do"] ?? ""])
      }
    }
    async let first = seat.ask("one")
    async let second = seat.ask("two")
    #expect(try await first["title"] == "one")
    #expect(try await second["title"] == "two")
  }

  @Test func aWindowThatGoesEndsWhatWaitsAndWhatComes() async throws {
    let seat = WindowSeat()
    seat.connect { [weak seat] _ in seat?.disconnect() }
    for _ in 0..<2 {
      do {
        _ = try await seat.ask("state")
        Issue.record("an answer of nobody")
      } catch let error as BridgeError { #expect(error.code == .closed) }
    }
  }

  @Test func aQuestionThatNobodyWaitsForIsTakenBack() async throws {
    let seat = WindowSeat()
    let told = Mutex<[String]>([])
    let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
    seat.connect { message in
      told.withLock { $0.append(message["do"] ?? "") }
      isAsked.yield()
    }
    let task = Task { try await seat.ask("openFile") }
    for await _ in asked { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(told.withLock(\.self) == ["openFile", "cancel"])
    // A late answer is nobody's.
    seat.take(["answer": "1"])
  }

  @Test func whatCameBeforeAnybodyAskedIsToldTheFirst() async throws {
    let seat = WindowSeat()
    seat.tell(WindowEvent(.arguments, arguments: ["a.txt"]))
    seat.connect { _ in }
    seat.take(["event": "menu", "id": "new"])
    seat.take(["event": "nonsense"])
    var events = try seat.events().makeAsyncIterator()
    #expect(await events.next() == WindowEvent(.arguments, arguments: ["a.txt"]))
    #expect(await events.next() == WindowEvent(.menu, id: "new"))
  }

  @Test func settingsSayWhatIsWrong() throws {
    func refusal(_ settings: String) throws -> String {
      let value = Value(text: Array(settings.utf8))
      do {
        _ = try WindowSettings(value)
        return ""
      } catch let error as BridgeError { return error.message }
    }
    #expect(try refusal(#"{"width":0}"#) == "plugins.window: option.width must be 1 to 20000 pixels, not 0")
    #expect(try refusal(#"{"wdth":1}"#).contains("wdth"))
    #expect(try refusal(#"{"icon":"../a.png"}"#).hasPrefix("plugins.window.icon"))
    #expect(
      try refusal(#"{"menu":[{"label":"A","id":"a"}]}"#).hasPrefix("plugins.window: menu[0] needs items"))
    #expect(try refusal(#"{"title":"A","single":true}"#).isEmpty)
  }
}
