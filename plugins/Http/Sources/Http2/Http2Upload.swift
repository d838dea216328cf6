// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
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
    case stream(KeptUpload, at: Int)
  }

  private var source: Source
  private let ready: () -> Void
  private var watch: UnsafeMutablePointer<GSource>?
  /// Whether all of it was taken.
  private(set) var isOver = false

  /// Nil for no body.
  init?(_ body: Bytes?, _ stream: KeptUpload?, ready: @escaping () -> Void) {
    self.ready = ready
    if let stream {
      source = .stream(stream, at: 0)
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
    case .stream(let stream, let at):
      let step = stream.read(at, room)
      if case .bytes(let count, _) = step { source = .stream(stream, at: at + count) }
      if case .waits = step, watch == nil {
        watch = PollableSource.attach(reading: stream.pipe.readingEnd.number) { [weak self] in
          self?.wake()
          return false
        }
      }
      return step
    }
  }

  private func wake() {
    stop()
    ready()
  }
}
