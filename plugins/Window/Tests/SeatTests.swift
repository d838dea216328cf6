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

  @Test func eachWindowHasItsOwnQuestionsAndEvents() async throws {
    let seat = WindowSeat()
    let asked = Mutex<[[String: String]]>([])
    let (heard, isHeard) = AsyncStream.makeStream(of: Void.self)
    seat.connect { message in
      asked.withLock { $0.append(message) }
      isHeard.yield()
    }
    seat.opened(2)
    seat.joined(2, session: 7)
    #expect(seat.window(of: 7) == 2 && seat.window(of: 8) == 1)
    var events = try seat.events(of: 2).makeAsyncIterator()
    let task = Task { try await seat.ask("state", in: 2) }
    for await _ in heard { break }
    #expect(asked.withLock { $0.map { $0["window"] } } == ["2"])
    seat.take(["event": "focus", "window": "1"])
    seat.take(["event": "blur", "window": "2"])
    seat.take(["event": "closed", "window": "2"])
    await #expect(throws: BridgeError.self) { try await task.value }
    #expect(await events.next() == WindowEvent(.blur))
    #expect(await events.next() == WindowEvent(.closed))
    #expect(await events.next() == nil)
    do { _ = try await seat.ask("state", in: 2) } catch let error as BridgeError {
      #expect(error.code == .closed)
    }
    #expect(throws: BridgeError.self) { try seat.events(of: 2) }
    var others = try seat.events(of: 1).makeAsyncIterator()
    #expect(await others.next() == WindowEvent(.focus))
  }

  @Test func filesThatAreDroppedAreGrantedBeforeAnybodyHearsOfThem() async throws {
    let seat = WindowSeat()
    let said = Mutex<[String]>([]), granted = Mutex<[String]>([])
    seat.connect { message in
      said.withLock { $0.append(["do", "window", "more"].map { message[$0] ?? "" }.joined(separator: " ")) }
    }
    seat.opened(2)
    let drop = ["drag": "drop", "window": "2", "x": "3", "y": "4", "path0": "/a b"]
    seat.take(drop)
    let stream = try seat.drops(of: 2) { path in granted.withLock { $0.append(path) } }
    seat.take(["drag": "nonsense", "window": "2"])
    // Paths are numbered from 0 on: behind a gap there is none.
    seat.take(["drag": "over", "window": "2", "path1": "/b"])
    seat.take(["drag": "drop", "window": "1", "path0": "/other"])
    seat.take(drop)
    #expect(granted.withLock(\.self) == ["/a b"])
    seat.take(["event": "closed", "window": "2"])
    var told: [WindowDrop] = []
    for await event in stream { told.append(event) }
    #expect(told.map(\.type) == [.over, .drop] && told.map(\.paths) == [[], ["/a b"]])
    #expect(said.withLock(\.self) == ["drops 2 1", "drops 2 -1"])
    seat.take(drop)
    #expect(granted.withLock(\.self) == ["/a b"])
    #expect(throws: BridgeError.self) { try seat.drops(of: 2) { _ in } }
  }

  @Test func whatIsAskedOfNoWindowIsAskedOfTheOldest() {
    let seat = WindowSeat()
    seat.connect { _ in }
    seat.opened(2)
    seat.opened(3)
    seat.take(["event": "closed", "window": "1"])
    #expect(seat.window(of: 9) == 2)
    seat.joined(3, session: 9)
    #expect(seat.window(of: 9) == 3)
    seat.left(session: 9)
    #expect(seat.window(of: 9) == 2)
  }

  @Test func aRefusalHasTheCodeThatItSays() async throws {
    let seat = WindowSeat()
    seat.connect { [weak seat] message in
      seat?.take(["answer": message["number"] ?? "", "error": "no such page", "code": "not_found"])
    }
    do { _ = try await seat.ask("open") } catch let error as BridgeError {
      #expect(error.code == .notFound && error.message == "no such page")
    }
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
