// SPDX-License-Identifier: MIT

internal import CNBridgePlugin

/// Reads a watch's sequence and hands its events over the table, as many as the host has room for. Confined to the
/// engine's thread.
final class ExportedWatch {
  private let call: UInt64
  private let source: any EventSource
  private let sink = WireSink()
  private var credit: Int
  private var resume: CheckedContinuation<Void, Never>?
  private var isStopped = false

  init(_ call: ExportedCall, _ source: any EventSource, credit: Int) {
    self.call = call.number
    self.source = source
    self.credit = credit
  }

  /// Reads until the end, an error, or the stop.
  func run(_ host: ExportedHost, on actor: isolated any Actor) async throws {
    while !isStopped {
      if credit <= 0 {
        await withCheckedContinuation(isolation: actor) { resume = $0 }
        continue
      }
      guard try await source.read(into: sink, on: actor, took: { [unowned self] in emit(host) }) else {
        return
      }
    }
  }

  /// Hands over the event in the sink. Answers whether to read on.
  private func emit(_ host: ExportedHost) -> Bool {
    sink.truncate(to: sink.count - 1)  // the comma
    var event = nbridge_value()
    event.fill(.text, sink)
    if host.emit(call, &event) != NBRIDGE_TAKEN { isStopped = true }
    sink.reset()
    credit -= 1
    return credit > 0 && !isStopped
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
