// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

@testable import WindowPlugin

/// Icons in the desktop's tray, before windows that a test plays.
@Suite struct TrayTests {
  /// Windows that put each icon where it belongs, and note what they are told.
  private final class Windows: Sendable {
    let seat = WindowSeat()
    private let heard = Mutex<[String]>([])
    var told: [String] { heard.withLock(\.self) }

    init() {
      seat.connect { [weak self] message in
        let parts = ["do", "tray", "window"].compactMap { message[$0] }
        self?.heard.withLock { $0.append(parts.joined(separator: " ")) }
        self?.seat.take(["answer": message["number"] ?? ""])
      }
      seat.opened(2)
      seat.joined(1, session: 5)
      seat.joined(2, session: 6)
    }
  }

  private static func code(_ body: () async throws -> Void) async -> BridgeError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? BridgeError)?.code }
  }

  @Test func eventsOfAnIconAreItsOwn() async throws {
    let windows = Windows()
    let tray = try await windows.seat.openTray([:], for: 6)
    windows.seat.take(["tray": "\(tray)", "event": "activated"])
    windows.seat.take(["tray": "\(tray)", "event": "menu", "id": "open"])
    windows.seat.take(["tray": "\(tray)", "event": "nonsense"])
    windows.seat.take(["tray": "999", "event": "activated"])
    windows.seat.take(["event": "menu", "id": "of the window"])
    var events = try windows.seat.trays.events(of: tray).makeAsyncIterator()
    #expect(await events.next() == TrayEvent(.activated))
    #expect(await events.next() == TrayEvent(.menu, id: "open"))
    windows.seat.closeTray(tray)
    #expect(await events.next() == TrayEvent(.closed))
    #expect(await events.next() == nil)
    #expect(windows.told == ["tray \(tray) 2", "closeTray \(tray) 2"])
    // Again it does nothing, and says nothing.
    windows.seat.closeTray(tray)
    #expect(windows.told.count == 2)
  }

  @Test func theLastThatIsMadeTakesThePlaceOfTheOther() async throws {
    let windows = Windows()
    let first = try await windows.seat.openTray([:], for: 5)
    var events = try windows.seat.trays.events(of: first).makeAsyncIterator()
    let second = try await windows.seat.openTray([:], for: 6)
    #expect(await events.next() == TrayEvent(.closed))
    #expect(await Self.code { try await windows.seat.setTray(first, [:]) } == .closed)
    #expect(await Self.code { try await windows.seat.setTray(second, [:]) } == nil)
  }

  @Test func anIconGoesWithItsPageAndWithItsWindow() async throws {
    let windows = Windows()
    let first = try await windows.seat.openTray([:], for: 5)
    windows.seat.left(session: 6)
    #expect(await Self.code { try await windows.seat.setTray(first, [:]) } == nil)
    windows.seat.left(session: 5)
    #expect(windows.told.last == "closeTray \(first) 1")
    #expect(throws: BridgeError.self) { try windows.seat.trays.events(of: first) }
    windows.seat.joined(2, session: 7)
    let second = try await windows.seat.openTray([:], for: 7)
    var events = try windows.seat.trays.events(of: second).makeAsyncIterator()
    windows.seat.take(["event": "closed", "window": "2"])
    #expect(await events.next() == TrayEvent(.closed))
    #expect(await Self.code { try await windows.seat.setTray(second, [:]) } == .closed)
  }

  /// A page that is loaded again may have asked just before.
  @Test func anIconOfAPageThatHasGoneIsTakenAway() async throws {
    let windows = Windows()
    windows.seat.left(session: 5)
    #expect(await Self.code { _ = try await windows.seat.openTray([:], for: 5) } == .closed)
    #expect(windows.told.map { $0.split(separator: " ")[0] } == ["tray", "closeTray"])
  }

  @Test func oneThatCanNotBeMadeLeavesTheOtherInItsPlace() async throws {
    let windows = Windows()
    let first = try await windows.seat.openTray([:], for: 5)
    windows.seat.connect { [weak windows] message in
      var answer = ["answer": message["number"] ?? ""]
      if message["do"] == "tray" { answer.merge(["error": "no tray", "code": "unavailable"]) { $1 } }
      windows?.seat.take(answer)
    }
    #expect(await Self.code { _ = try await windows.seat.openTray([:], for: 5) } == .unavailable)
    #expect(await Self.code { try await windows.seat.setTray(first, [:]) } == nil)
  }

  @Test func withoutAWindowThereIsNoTray() async {
    #expect(await Self.code { _ = try await WindowSeat().openTray([:], for: 1) } == .unavailable)
  }

  // MARK: - What is asked for

  private static let test = TestCall(service: "window")
  private static var app: AppEnvironment { test.call.app }

  private static func refusal(_ options: TrayOptions) -> String {
    do {
      _ = try options.fields(in: app)
      return ""
    } catch { return (error as? BridgeError)?.message ?? "\(error)" }
  }

  @Test func aTraysMenuMayHaveItemsAtTheTop() throws {
    let fields = try TrayOptions(tooltip: "Notes", menu: [MenuItem(label: "Open", id: "open")])
      .fields(in: Self.app)
    #expect(fields["menu"] == "0\titem\topen\t\t1\t\tOpen")
    #expect(fields["tooltip"] == "Notes" && fields["without"] == "")
  }

  @Test func whatIsTakenBackIsNamed() throws {
    let fields = try TrayOptions(icon: "", tooltip: "", menu: []).fields(in: Self.app)
    #expect(fields["without"] == "icon tooltip menu" && fields["icon"] == nil)
  }

  @Test func whatNoTrayShowsIsRefusedWithItsNameAndValue() {
    let keyed = MenuItem(label: "A", id: "a", key: "Ctrl+N")
    #expect(Self.refusal(TrayOptions(menu: [keyed])).hasPrefix("option.menu[0].key 'Ctrl+N'"))
    #expect(Self.refusal(TrayOptions(menu: [MenuItem(label: "A")])).hasPrefix("option.menu[0] ('A') needs"))
    let many = [MenuItem](repeating: MenuItem(label: "A", id: "a"), count: 2_001)
    #expect(Self.refusal(TrayOptions(menu: many)) == "option.menu has more than 2000 items")
    #expect(
      Self.refusal(TrayOptions(tooltip: "a\u{1}b"))
        == "option.tooltip is one line, and 'a\u{1}b' has a control character")
    #expect(
      Self.refusal(TrayOptions(tooltip: String(repeating: "x", count: 1_001)))
        .hasPrefix("option.tooltip has at most 1000 characters, not 1001: 'xxx"))
    #expect(Self.refusal(TrayOptions(icon: "a\nb")).hasPrefix("option.icon 'a\nb' has a control character"))
  }
}
