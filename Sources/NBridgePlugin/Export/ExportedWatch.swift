// SPDX-License-Identifier: MIT

internal import CNBridgePlugin

/// Reads a watch's sequence and hands its events over the table, as many as the host has room for. Confined
/// to the engine's thread.
///
/// Events gather while the engine's thread is busy here and cross in one run: a crossing costs as much as an
/// event.
final class ExportedWatch {
  private let call: UInt64
  private let source: any EventSource
  private let host: ExportedHost
  private let loop: ExportedLoop
  /// The events so far, each with a comma and a line's end behind it.
  private let sink = WireSink()
  private var gathered = 0
  /// Where the text of the gathered events ends.
  private var end = 0
  private var credit: Int
  private var resume: CheckedContinuation<Void, Never>?
  private var isStopped = false

  /// A run's text, in bytes, that is handed over without waiting for more.
  private static let enough = 1 << 16

  init(_ call: UInt64, _ source: any EventSource, credit: Int, _ host: ExportedHost, _ loop: ExportedLoop) {
    self.call = call
    self.source = source
    self.credit = credit
    self.host = host
    self.loop = loop
  }

  /// Reads until the end, an error, or the stop.
  func run(on actor: isolated any Actor) async throws {
    defer { handOver() }
    while !isStopped {
      if credit <= 0 {
        await withCheckedContinuation(isolation: actor) { resume = $0 }
        continue
      }
      let more = try await source.read(into: sink, room: credit, on: actor) { [unowned self] _ in gather() }
      guard more else { return }
    }
  }

  /// Takes the event that was written to the sink. Answers how many more may come now.
  private func gather() -> Int {
    credit -= 1
    if sink.attachments.isEmpty {
      sink.put("\n")
      end = sink.count
      gathered += 1
      if gathered == 1 { loop.gathers(self) }
      if end >= Self.enough { handOver() }
    } else {
      emitAlone()
    }
    return isStopped ? 0 : credit
  }

  /// Hands over what was gathered.
  func handOver() {
    emitGathered()
    sink.reset()
    end = 0
  }

  private func emitGathered() {
    guard gathered > 0 else { return }
    var run = nbridge_value()
    if gathered == 1 {
      run.fill(events: 0, UnsafeBufferPointer(rebasing: sink.text[..<(end - 2)]), isTagged: sink.isTagged)
    } else {
      run.fill(events: gathered, UnsafeBufferPointer(rebasing: sink.text[..<end]), isTagged: sink.isTagged)
    }
    gathered = 0
    emit(&run)
  }

  /// Hands over the event behind the gathered ones, and its bytes: they are numbered from its text on.
  private func emitAlone() {
    emitGathered()
    let text = UnsafeBufferPointer(rebasing: sink.text[end..<(sink.count - 1)])
    let bytes = sink.attachments
    let alone = WireSink(capacity: text.count)
    alone.put(foreign: text, bytes, isTagged: true)
    var event = nbridge_value()
    event.fill(.text, alone)
    emit(&event)
    sink.reset()
    end = 0
  }

  private func emit(_ event: inout nbridge_value) {
    if host.emit(call, &event) != NBRIDGE_TAKEN { isStopped = true }
  }

  func grant(_ events: Int) {
    credit += events
    wake()
  }

  /// Reads no more. The task that reads is cancelled by the caller.
  func stop() {
    isStopped = true
    wake()
  }

  private func wake() {
    guard let resume else { return }
    self.resume = nil
    resume.resume()
  }
}
