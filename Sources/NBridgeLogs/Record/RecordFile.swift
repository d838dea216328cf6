// SPDX-License-Identifier: MIT

internal import Glibc
package import LoggerPlugin
internal import NBridgePlugin

/// A new file of records. Takes its place when it is whole.
package final class RecordFile {
  private let path: String
  private let temporary: String
  private let format: RecordFormat
  private let file: Int32
  private var waiting: [UInt8] = []
  private var error: Int32 = 0

  package init(_ path: String, _ format: RecordFormat) throws {
    (self.path, self.format) = (path, format)
    temporary = path + "." + RandomName.make().prefix(8)
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file < 0 { throw Self.failure(path, errno) }
  }

  deinit { close(file) }

  private static func failure(_ path: String, _ error: Int32) -> BridgeError {
    BridgeError(.ioError, "can't write '\(path)': \(String(cString: strerror(error)))")
  }

  package func add(_ line: UnsafeBufferPointer<UInt8>) {
    guard let stored = StoredLine(line) else { return }
    waiting += format == .json ? JSONLine.of(stored) : Array(format.text(stored.json).utf8)
    waiting.append(0x0A)
    if waiting.count > 1 << 20 { write() }
  }

  private func write() {
    var done = 0
    while done < waiting.count, error == 0 {
      let count = waiting.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count < 0, errno != EINTR { error = errno }
      done += max(0, count)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  package func finish() throws {
    write()
    if error == 0, rename(temporary, path) != 0 { error = errno }
    guard error != 0 else { return }
    unlink(temporary)
    throw Self.failure(path, error)
  }
}
