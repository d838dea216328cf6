// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A script's stream on its way to a server: two ends of a socket, which hold the script up where the server
/// does not read.
struct UploadPipe: Sendable {
  let readingEnd: Descriptor
  private let writingEnd: Descriptor

  init() throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw BridgeError.system("make a pipe") }
    (readingEnd, writingEnd) = (Descriptor(taking: ends[0]), Descriptor(taking: ends[1]))
  }

  /// The reading end as GIO reads it; the caller lets go of it.
  func stream() throws -> UnsafeMutablePointer<GInputStream>? {
    let copy = fcntl(readingEnd.number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw BridgeError.system("make a pipe") }
    return g_unix_input_stream_new(copy, 1)
  }

  /// Nobody reads the rest of the stream, which ends here; any thread may say so.
  func drop() { shutdown(readingEnd.number, Int32(SHUT_RD)) }

  /// Writes the stream while `send` runs, and no longer.
  ///
  /// - Parameter abort: ends the request, before the server could take the part that came for all of it.
  /// - Throws: what the script's stream throws, rather than what comes of it.
  func run(
    _ stream: Incoming<Bytes>, abort: @escaping @Sendable () -> Void,
    _ send: @escaping @Sendable () async throws -> Void
  ) async throws {
    let answer = Answered()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        do { try await write(stream) } catch {
          // Once there is an answer it is to be read.
          if !answer.isThere.load(ordering: .acquiring) { abort() }
          throw error
        }
        return false
      }
      group.addTask {
        try await send()
        answer.isThere.store(true, ordering: .releasing)
        return true
      }
      defer { group.cancelAll() }
      while let isAnswered = try await group.next() { if isAnswered { return } }
    }
  }

  private final class Answered: Sendable {
    let isThere = Atomic<Bool>(false)
  }

  private func write(_ stream: Incoming<Bytes>) async throws {
    for try await chunk in stream {
      var done = 0
      while done < chunk.count {
        let count = chunk.withUnsafeBytes { bytes in
          Glibc.send(
            writingEnd.number, bytes.baseAddress.map { $0 + done }, bytes.count - done,
            Int32(MSG_NOSIGNAL))
        }
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          try await Readiness.wait(for: .writable, of: writingEnd.number)
        } else if errno != EINTR {
          // The server wants no more of it; its answer says why.
          return stream.cancel()
        }
      }
    }
    writingEnd.close()
  }
}
