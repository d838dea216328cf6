// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgePlugin
internal import Synchronization

/// The events of a loaded plugin's watch: written from any thread, read on the engine's.
final class LoadedEvents: EventSource, @unchecked Sendable {
  // Sendable because all but `state` is constant or touched on the engine's thread only.

  /// How many events may wait here.
  static let room = 1024

  private struct State {
    var events: [Event] = []
    var room = LoadedEvents.room
    var end: Result<WireOutput, any Error>?
    var reader: CheckedContinuation<Void, Never>?
  }

  private struct Event: Sendable {
    var text: [UInt8]
    var bytes: [Bytes]
    var isTagged: Bool
  }

  private let call: UInt64
  private let run: LoadedRun
  private let state = Mutex<State>(State())
  /// What was taken over from the other side, and how much of it has been read.
  private var batch: [Event] = []
  private var next = 0
  private var ungranted = 0

  init(_ call: UInt64, _ run: LoadedRun) {
    self.call = call
    self.run = run
  }

  // MARK: - The plugin's side

  func take(_ event: UnsafePointer<nbridge_value>) -> Int32 {
    let sink = WireSink(capacity: 128)
    let made: Event
    do {
      let output = try event.pointee.take(into: sink)
      if case .text = output {
        made = Event(text: Array(sink.text), bytes: sink.attachments, isTagged: sink.isTagged)
      } else {
        let value = try Value(output, sink)
        made = Event(text: value.text, bytes: value.attachments, isTagged: true)
      }
    } catch {
      end(.failure(error))
      return Int32(NBRIDGE_OVER)
    }
    let (answer, reader) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      guard state.end == nil else { return (Int(NBRIDGE_OVER), nil) }
      guard state.room > 0 else { return (Int(NBRIDGE_FULL), nil) }
      state.room -= 1
      state.events.append(made)
      defer { state.reader = nil }
      return (Int(NBRIDGE_TAKEN), state.reader)
    }
    reader?.resume()
    return Int32(answer)
  }

  /// Ends the watch once its events are read.
  func end(_ result: Result<WireOutput, any Error>) {
    state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.end == nil { state.end = result }
      defer { state.reader = nil }
      return state.reader
    }?.resume()
  }

  // MARK: - The script's side

  func read(into sink: WireSink, on actor: isolated any Actor, took: () -> Bool) async throws -> Bool {
    while true {
      while next < batch.count {
        try put(batch[next], into: sink)
        next += 1
        ungranted += 1
        if ungranted * 2 >= Self.room { grant() }
        if !took() { return true }
      }
      let end = takeBatch()
      if !batch.isEmpty { continue }
      if let end {
        _ = try end.get()
        return false
      }
      if ungranted > 0 { grant() }
      await waitForEvents(on: actor)
      if Task.isCancelled { return true }
    }
  }

  private func put(_ event: Event, into sink: WireSink) throws {
    if event.bytes.isEmpty {
      event.text.withUnsafeBufferPointer { text in
        if event.isTagged { sink.writeValue(text) } else { sink.put(raw: text) }
      }
    } else {
      try sink.encode(Value(text: event.text, attachments: event.bytes))
    }
    sink.put(",")
  }

  /// Takes over what has come. Answers how it ended, if it did.
  private func takeBatch() -> Result<WireOutput, any Error>? {
    batch.removeAll(keepingCapacity: true)
    next = 0
    return state.withLock { state in
      swap(&batch, &state.events)
      return state.end
    }
  }

  private func grant() {
    let events = ungranted
    ungranted = 0
    state.withLock { $0.room += events }
    run.grant(call, events)
  }

  private func waitForEvents(on actor: isolated any Actor) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { continuation in
        let goesOn = state.withLock { state in
          if state.events.isEmpty, state.end == nil, !Task.isCancelled {
            state.reader = continuation
            return false
          }
          return true
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }?.resume()
    }
  }
}
