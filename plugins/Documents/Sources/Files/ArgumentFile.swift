// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Files that the person who runs the program named on its command line, behind the script, or chose in a
/// dialog: that word is the permission to read them, and a script gives the same word to do so. Links are
/// followed, as by any program
/// that is given a file; what nBridge keeps stays closed, whatever leads to it.
struct ArgumentFile: Seal {
  private let app: AppEnvironment
  private let closed: [String]

  init(_ app: AppEnvironment) {
    self.app = app
    closed = [
      app.container.path, app.shared.data, app.shared.runtime, app.shared.state, SharedFolders.dataRoot,
    ]
    .compactMap(\.self)
  }

  /// Whether a word is this path.
  func isNamed(_ path: FilePath) -> Bool {
    // To the kernel, and so here, two words are the same when their bytes are.
    isArgument(path) || app.chosenPlace(path.text) != nil
  }

  private func isArgument(_ path: FilePath) -> Bool {
    app.arguments.contains { $0.utf8.elementsEqual(path.text.utf8) }
  }

  /// Opens the file that a word names, to be read only.
  func open(_ path: FilePath, _ flags: Int32, to verb: String) throws -> OpenFile {
    guard flags & O_ACCMODE == O_RDONLY else {
      throw BridgeError(
        .permissionDenied, "can't \(verb) '\(path.shown)': a file of the command line is only read")
    }
    guard !path.bytes.contains(0), isNamed(path) else {
      throw BridgeError(
        .permissionDenied,
        """
        can't \(verb) '\(path.shown)': it is not among the words behind the script on the command line \
        (nbridge.args has those), nor chosen in a dialog
        """,
        details: try? Value(encoding: ["path": path.text]))
    }
    let file = try OpenFile(path, to: verb, seal: self) { () throws(SystemError) in
      // Never waits for a pipe's other end; the caller refuses a thing that is no file.
      let flags = flags | O_NONBLOCK | O_NOCTTY
      guard !isArgument(path), let place = app.chosenPlace(path.text) else {
        return try Descriptor.open(Array(path.text.utf8), in: AT_FDCWD, flags)
      }
      // What a person chose is what stood there then: a link that came meanwhile is not followed.
      return try Descriptor.open(linkless: place.bytes, flags)
    }
    try check(file, to: verb)
    return file
  }

  func refusal(of real: RealPath) -> String? {
    let isKept = Container.around(real) != nil || closed.contains { real.lies(in: RealPath(planned: $0)) }
    return isKept ? "nBridge keeps what apps store there, and it is closed to scripts" : nil
  }
}
