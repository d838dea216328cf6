// SPDX-License-Identifier: MIT

internal import Glibc
package import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeSystem

/// A new file of records, which takes its place when it is whole; `-` is stdout.
package final class RecordFile {
  private let path: String
  /// Nil for stdout, which is written at once, and when the file has its place or is given up.
  private var temporary: String?
  private let format: RecordFormat
  private let file: Descriptor
  private var waiting: [UInt8] = []
  private var failed: SystemError?

  package init(_ path: String, _ format: RecordFormat) throws {
    (self.path, self.format) = (path, format)
    do throws(SystemError) {
      if path == "-" {
        let number = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw .last("write") }
        file = Descriptor(taking: number)
        return
      }
      let name = path + "." + RandomName.make().prefix(8)
      file = try Descriptor.open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      temporary = name
    } catch { throw Self.failure(path, error) }
  }

  /// One that was not finished, as when the store can't be read, leaves nothing behind.
  deinit { if let temporary { unlink(temporary) } }

  private static func failure(_ path: String, _ error: SystemError) -> BridgeError {
    BridgeError(SystemError("write", path == "-" ? "stdout" : path, code: error.code))
  }

  package func add(_ line: UnsafeBufferPointer<UInt8>) {
    guard let stored = StoredLine(line) else { return }
    waiting += format == .json ? JSONLine.of(stored) : Array(format.text(stored.json).utf8)
    waiting.append(0x0A)
    if waiting.count > 1 << 20 { write() }
  }

  private func write() {
    if failed == nil { do { try file.write(waiting) } catch { failed = error } }
    waiting.removeAll(keepingCapacity: true)
  }

  package func finish() throws {
    write()
    if let failed { throw Self.failure(path, failed) }
    guard let temporary else { return }
    guard rename(temporary, path) == 0 else { throw Self.failure(path, .last("write", path)) }
    self.temporary = nil
  }
}
