// SPDX-License-Identifier: MIT

internal import Glibc
package import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeSystem

/// A new file of records. Takes its place when it is whole.
package final class RecordFile {
  private let path: String
  private let temporary: String
  private let format: RecordFormat
  private let file: Descriptor
  private var waiting: [UInt8] = []
  private var failed: SystemError?

  package init(_ path: String, _ format: RecordFormat) throws {
    (self.path, self.format) = (path, format)
    temporary = path + "." + RandomName.make().prefix(8)
    do { file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: SystemError) -> BridgeError {
    BridgeError(SystemError("write", path, code: error.code))
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
    if failed == nil, rename(temporary, path) != 0 { failed = .last("write", path) }
    guard let failed else { return }
    unlink(temporary)
    throw Self.failure(path, failed)
  }
}
