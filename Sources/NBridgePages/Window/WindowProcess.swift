// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// The program `nbridge-window`, which shows a page that a server of this program's has. Confined to the
/// engine's thread.
package final class WindowProcess {
  /// What the window shows, and how.
  package struct Look {
    package var title = ""
    package var width = 1000
    package var height = 700
    /// Whether F12 opens the inspector.
    package var inspects = false
    /// Whether a WebDriver may drive it.
    package var isAutomated = false
    /// Whether the page's process may go without a sandbox.
    package var needsNoSandbox = false

    package init() {}
  }

  private let ours: Descriptor
  private let child: ChildProcess
  private var source: DescriptorSource?

  /// - Parameters:
  ///   - id: of the app: what a page keeps by itself belongs to it.
  ///   - data: where that is kept; nil for nowhere.
  ///   - ended: called once, with its status, when the window has gone.
  /// - Throws: `unavailable` where the program is not installed.
  package init(
    _ look: Look, _ server: PageServer, id: String, data: String?, _ loop: EventLoop,
    ended: @escaping (Int32) -> Void
  ) throws {
    let files = try WindowFiles.found()
    let theirs: Descriptor
    (ours, theirs) = try UnixSocket.pair()
    do {
      child = try ChildProcess.startBound(
        files.program, [], streams: [theirs.number, -1, -1], endsBy: SIGTERM, as: "nbridge-window")
    } catch { throw BridgeError(.unavailable, "'\(files.program)' can't be started: \(error.reason)") }
    let settings = [
      ("link", server.link), ("page", "nbridge-app://\(id)/\(server.page)"), ("id", id),
      ("socket", try server.openWindowDoor()), ("extension", files.extensionFolder), ("data", data ?? ""),
      ("title", look.title), ("width", "\(look.width)"), ("height", "\(look.height)"),
      ("inspect", look.inspects ? "1" : ""), ("automation", look.isAutomated ? "1" : ""),
      ("sandbox", look.needsNoSandbox ? "no" : "yes"),
    ]
    let lines = settings.filter { !$0.1.isEmpty }.map { "\($0) \(Self.line($1))\n" }.joined() + "\n"
    try ours.write(Array(lines.utf8))
    ours.neverWait()
    source = loop.watch(ours.number) { [weak self] in
      guard let self, source != nil else { return }
      source?.close()
      source = nil
      ended(child.wait())
    }
  }

  deinit { source?.close() }

  private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
}

/// What `make window` builds and `make install` installs.
private struct WindowFiles {
  let program: String
  let extensionFolder: String

  static func found() throws -> WindowFiles {
    let own = RealPath("/proc/self/exe")?.parent?.text ?? "/"
    // As installed, and in a checkout, in `.build/window`.
    for folder in ["\(own)/../libexec/nbridge", "\(own)/../../window"] {
      guard let program = RealPath(folder + "/nbridge-window"), let other = RealPath(folder + "/extension")
      else { continue }
      return WindowFiles(program: program.text, extensionFolder: other.text)
    }
    throw BridgeError(
      .unavailable,
      "the program for windows is not installed: apt-get install libwebkit2gtk-4.1-dev, then make window, or "
        + "make install; nbridge serve shows the page in a browser")
  }
}
