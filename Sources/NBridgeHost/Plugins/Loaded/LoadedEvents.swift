// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgePlugin
internal import Synchronization

/// The events of a loaded plugin's watch: written from any thread, read on the engine's.
final class LoadedEvents: EventSource, @unchecked Sendable {
  // Sendable because all but `state` is constant or touched on the engine's thread only.

  private struct State {
    var runs: [Run] = []
    var room: Int
    var end: Result<WireOutput, any Error>?
    var reader: CheckedContinuation<Void, Never>?
  }

  /// Events in a row: each has a comma and a line's end behind it.
  private struct Run: Sendable {
    var text: [UInt8] = []
    var count: Int
    var isTagged: Bool
    /// One event that has bytes, or lines.
    var isAlone = false
    var bytes: [Bytes] = []

    mutating func append(_ events: UnsafeBufferPointer<UInt8>, _ count: Int, isTagged: Bool) {
      text.append(contentsOf: events)
      if count == 1 { text.append(contentsOf: ",\n".utf8) }
      self.count += count
      if isTagged { self.isTagged = true }
    }
  }

  private let call: UInt64
  private let instance: LoadedInstance
  /// How many events may wait here.
  let capacity: Int
  /// Whether room comes free when the script takes an event, as for a sequence in this program; else when it
  /// is read.
  private let waits: Bool
  private let state: Mutex<State>
  /// What was taken over from the other side, and how much of it has been read: runs, then bytes and events
  /// of a run.
  private var batch: [Run] = []
  private var next = 0
  private var offset = 0
  private var taken = 0
  private var ungranted = 0

  init(_ call: UInt64, _ instance: LoadedInstance, _ buffering: Buffering) {
    self.call = call
    self.instance = instance
    if case .wait(let limit) = buffering {
      (capacity, waits) = (max(1, min(limit, 1024)), limit <= 1024)
    } else {
      (capacity, waits) = (1024, false)
    }
    state = Mutex(State(room: capacity))
  }

  // MARK: - The plugin's side

  func take(_ event: UnsafePointer<nbridge_value>) -> Int32 {
    let (answer, reader): (Int, CheckedContinuation<Void, Never>?)
    do {
      let count = try event.pointee.events()
      if event.pointee.isPlainText {
        defer { event.pointee.releaseText() }
        let text = try event.pointee.checkedUTF8()
        (answer, reader) = append(text, count, [], isTagged: Int(event.pointee.kind) == NBRIDGE_TAGGED)
      } else {
        let sink = WireSink(capacity: 128)
        let value = try Value(event.pointee.take(into: sink), sink)
        (answer, reader) = value.text.withUnsafeBufferPointer {
          append($0, 1, value.attachments, isTagged: true)
        }
      }
    } catch {
      end(.failure(error))
      return Int32(NBRIDGE_OVER)
    }
    reader?.resume()
    return Int32(answer)
  }

  private func append(_ text: UnsafeBufferPointer<UInt8>, _ count: Int, _ bytes: [Bytes], isTagged: Bool)
    -> (Int, CheckedContinuation<Void, Never>?)
  {
    let isAlone = !bytes.isEmpty || (count == 1 && text.contains(UInt8(ascii: "\n")))
    return state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      guard state.end == nil else { return (Int(NBRIDGE_OVER), nil) }
      guard state.room >= count else { return (Int(NBRIDGE_FULL), nil) }
      state.room -= count
      if isAlone {
        state.runs.append(Run(text: Array(text), count: 1, isTagged: isTagged, isAlone: true, bytes: bytes))
      } else {
        if state.runs.last?.isAlone != false { state.runs.append(Run(count: 0, isTagged: false)) }
        state.runs[state.runs.count - 1].append(text, count, isTagged: isTagged)
      }
      defer { state.reader = nil }
      return (Int(NBRIDGE_TAKEN), state.reader)
    }
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

  func read(into sink: WireSink, room: Int, on actor: isolated any Actor, took: (Int) -> Int) async throws
    -> Bool
  {
    var room = room
    while true {
      while next < batch.count {
        let events = try put(batch[next], room, into: sink)
        if !waits { gather(events) }
        room = took(events)
        if room <= 0 { return true }
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

  /// Puts what is left of a run, as far as there is room. Answers the number of events.
  private func put(_ run: Run, _ room: Int, into sink: WireSink) throws -> Int {
    if run.isAlone {
      next += 1
      try sink.encode(Value(text: run.text, attachments: run.bytes))
      sink.put(",")
      return 1
    }
    let events = min(room, run.count - taken)
    run.text.withUnsafeBufferPointer { text in
      var end = text.count
      if taken + events < run.count {
        end = offset
        for _ in 0..<events { end = (text[end...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count - 1) + 1 }
      }
      let piece = UnsafeBufferPointer(rebasing: text[offset..<(end - 1)])  // ends with a comma
      if run.isTagged { sink.writeValue(piece) } else { sink.put(raw: piece) }
      offset = end
    }
    taken += events
    if taken == run.count {
      next += 1
      (taken, offset) = (0, 0)
    }
    return events
  }

  /// Takes over what has come. Answers how it ended, if it did.
  private func takeBatch() -> Result<WireOutput, any Error>? {
    batch.removeAll(keepingCapacity: true)
    next = 0
    return state.withLock { state in
      swap(&batch, &state.runs)
      return state.end
    }
  }

  func taken(_ events: Int) { if waits { gather(events) } }

  /// Room came free; it is told in large pieces.
  private func gather(_ events: Int) {
    ungranted += events
    if ungranted * 2 >= capacity { grant() }
  }

  private func grant() {
    let events = ungranted
    ungranted = 0
    state.withLock { $0.room += events }
    instance.grant(call, events)
  }

  private func waitForEvents(on actor: isolated any Actor) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { continuation in
        let goesOn = state.withLock { state in
          if state.runs.isEmpty, state.end == nil, !Task.isCancelled {
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
