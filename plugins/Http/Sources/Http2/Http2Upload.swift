// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// The body of a request, as its stream takes it. Confined to the engine's thread.
final class Http2Upload {
  /// What there is of it now.
  enum Step {
    case bytes(Int, isLast: Bool)
    /// Nothing yet; `ready` is called when there is.
    case waits
    /// It can't be read.
    case failed
  }

  private enum Source {
    case bytes(Bytes, at: Int)
    case pipe(UploadPipe)
  }

  private var source: Source
  private let ready: () -> Void
  private var watch: UnsafeMutablePointer<GSource>?
  /// Whether something was taken that can't be taken again.
  private(set) var hasBegun = false
  /// Whether all of it was taken.
  private(set) var isOver = false

  /// Nil for no body.
  init?(_ body: Bytes?, _ pipe: UploadPipe?, ready: @escaping () -> Void) {
    self.ready = ready
    if let pipe {
      source = .pipe(pipe)
    } else if let body, body.count > 0 {
      source = .bytes(body, at: 0)
    } else {
      return nil
    }
  }

  deinit { stop() }

  func stop() {
    if let watch { PollableSource.detach(watch) }
    watch = nil
  }

  func read(_ room: UnsafeMutableRawBufferPointer) -> Step {
    let step = next(room)
    if case .bytes(_, isLast: true) = step { isOver = true }
    return step
  }

  private func next(_ room: UnsafeMutableRawBufferPointer) -> Step {
    switch source {
    case .bytes(let bytes, let at):
      let count = min(room.count, bytes.count - at)
      bytes.withUnsafeBytes {
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[at..<(at + count)]))
      }
      source = .bytes(bytes, at: at + count)
      return .bytes(count, isLast: at + count == bytes.count)
    case .pipe(let pipe): return read(pipe, room)
    }
  }

  private func read(_ pipe: UploadPipe, _ room: UnsafeMutableRawBufferPointer) -> Step {
    while true {
      let count = Glibc.read(pipe.readingEnd.number, room.baseAddress, room.count)
      if count >= 0 {
        hasBegun = hasBegun || count > 0
        return .bytes(count, isLast: count == 0)
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return .failed }
      if watch == nil { watch = FileSource.attach(pipe.readingEnd.number) { [weak self] in self?.wake() } }
      return .waits
    }
  }

  private func wake() {
    stop()
    ready()
  }
}
