// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// Where a page in a window connects: a socket in a folder of this user's own. Confined to the engine's
/// thread.
final class WindowDoor {
  /// What the window is told.
  let path: String
  /// A page of this user's has come.
  var arrived: (any PageLink) -> Void = { _ in }
  private let folder: String
  private let socket: Descriptor
  private let loop: EventLoop
  private var source: DescriptorSource?

  private static let name = "page"
  private static let queue: Int32 = 8

  init(_ loop: EventLoop) throws {
    self.loop = loop
    // An address has room for some 100 bytes (unix(7)), so no folder of the app's.
    let told = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    let runtime = told.flatMap { $0.hasPrefix("/") ? $0 : nil }
    var name = Array("\(runtime ?? "/tmp")/nbridge-XXXXXX".utf8CString)
    guard let made = mkdtemp(&name) else { throw BridgeError.system("make a folder in", runtime ?? "/tmp") }
    folder = String(cString: made)
    path = folder + "/" + Self.name
    do { socket = try UnixSocket.listening(Self.name, in: folder, queue: Self.queue, waits: false) } catch {
      rmdir(folder)
      throw error
    }
    source = loop.watch(socket.number) { [unowned self] in accept() }
  }

  deinit {
    source?.close()
    unlink(path)
    rmdir(folder)
  }

  private func accept() {
    while let made = try? UnixSocket.accept(socket.number) {
      guard UnixSocket.isOwn(made.number) else { continue }
      made.neverWait()
      arrived(PipeLink(made, loop))
    }
  }
}
