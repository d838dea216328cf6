// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// The program `nbridge-window`, which shows pages that a server of this program's has, each in a window.
/// Confined to the engine's thread.
package final class WindowProcess {
  /// What the first window shows, and how.
  package struct Look {
    /// Instead of the page's own; its size, icon, menu and state: names with texts, as window.c knows them.
    package var fields: [String: String] = [:]
    /// Whether F12 opens the inspector.
    package var inspects = false
    /// Whether a WebDriver may drive it.
    package var isAutomated = false
    /// Whether the page's process may go without a sandbox.
    package var needsNoSandbox = false

    package init() {}
  }

  /// What the window does next; both are called on the engine's thread.
  package struct Listener {
    /// It answers something, or tells of something.
    package var said: ([String: String]) -> Void
    /// It has gone, with its status; called once.
    package var ended: (Int32) -> Void

    package init(said: @escaping ([String: String]) -> Void, ended: @escaping (Int32) -> Void) {
      (self.said, self.ended) = (said, ended)
    }
  }

  private let ours: Descriptor
  private let child: ChildProcess
  private var source: DescriptorSource?
  private var writing: DescriptorSource?
  /// What the window has not taken yet.
  private var unsent: [UInt8] = []
  private var reader = WindowMessageReader()
  private let loop: EventLoop
  private let listener: Listener
  private let id: String

  private static let readSize = 1 << 16

  /// - Parameters:
  ///   - id: of the app: what a page keeps by itself belongs to it.
  ///   - data: where that is kept; nil for nowhere.
  /// - Throws: `unavailable` where the program is not installed.
  package init(
    _ look: Look, _ server: PageServer, id: String, data: String?, _ loop: EventLoop,
    _ listener: Listener
  ) throws {
    (self.loop, self.listener, self.id) = (loop, listener, id)
    let files = try WindowFiles.found()
    let theirs: Descriptor
    (ours, theirs) = try UnixSocket.pair()
    do {
      child = try ChildProcess.startBound(
        files.program, [], streams: [theirs.number, -1, -1], endsBy: SIGTERM, as: "nbridge-window")
    } catch { throw BridgeError(.unavailable, "'\(files.program)' can't be started: \(error.reason)") }
    let settings = [
      "link": server.link, "page": "nbridge-app://\(id)/\(server.page.escapedForPath)", "id": id,
      "socket": try server.openWindowDoor(), "extension": files.extensionFolder, "data": data ?? "",
      "inspect": look.inspects ? "1" : "", "automation": look.isAutomated ? "1" : "",
      "sandbox": look.needsNoSandbox ? "no" : "yes",
    ]
    try ours.write(WindowMessage.encode(settings.merging(look.fields) { $1 }))
    ours.neverWait()
    source = loop.watch(ours.number) { [weak self] in self?.receive() }
  }

  /// Where a window finds a page.
  package func address(of page: PagePath) -> String { "nbridge-app://\(id)/\(page.address)" }

  /// Says something to a window, the one of its `window`: at once, or as it is taken.
  package func send(_ message: [String: String]) {
    guard source != nil else { return }
    unsent += WindowMessage.encode(message)
    if writing == nil { write() }
  }

  private func write() {
    while !unsent.isEmpty {
      let count = unsent.withUnsafeBytes {
        Glibc.send(ours.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        unsent.removeFirst(count)
      } else if errno == EAGAIN {
        writing = writing ?? loop.watch(ours.number, writes: true) { [weak self] in self?.write() }
        return
      } else if errno != EINTR {
        // Its end is told by what is read.
        break
      }
    }
    unsent = []
    writing?.close()
    writing = nil
  }

  private func receive() {
    guard source != nil else { return }
    while true {
      var bytes = [UInt8](repeating: 0, count: Self.readSize)
      let count = recv(ours.number, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0, let messages = reader.take(bytes[..<count]) else { return end() }
      for message in messages { listener.said(message) }
    }
  }

  private func end() {
    source?.close()
    writing?.close()
    (source, writing) = (nil, nil)
    listener.ended(child.wait())
  }

  deinit {
    source?.close()
    writing?.close()
  }
}

/// What `make window` builds and `make install` installs.
private struct WindowFiles {
  let program: String
  let extensionFolder: String

  static func found() throws -> WindowFiles {
    let own = RealPath("/proc/self/exe")?.parent?.text ?? "/"
    // As installed, and in a checkout, in `.build/window`.
    for folder in ["\(own)/../libexec/nbridge", "\(own)/../../window"] {
      guard let program = RealPath(folder + "/nbridge-window") else { continue }
      // A window goes another way where nothing is in it, and says so.
      let other = RealPath(folder + "/extension")?.text ?? (program.parent?.text ?? "") + "/extension"
      return WindowFiles(program: program.text, extensionFolder: other)
    }
    throw BridgeError(
      .unavailable,
      "the program for windows is not installed: apt-get install libwebkit2gtk-4.1-dev, then make window, or "
        + "make install; nbridge serve shows the page in a browser")
  }
}
