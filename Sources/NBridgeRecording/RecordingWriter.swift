// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// Writes frames, until the disk takes no more. Used by one thread at a time.
final class RecordingWriter {
  private let file: RecordingFile
  // One thread, no reentrance: the run-time checks would cost more than the work between them.
  private let frame = FrameBuffer(.header)
  @exclusivity(unchecked) private var numbers: [ObjectIdentifier: Int] = [:]
  /// The action of the last call and its number: loops call one again and again.
  @exclusivity(unchecked) private var last: (action: ObjectIdentifier, number: Int)?
  /// Called once when nothing is written any more, with the reason.
  private let onFailure: (String) -> Void
  private var isOver = false

  init(_ path: String, _ header: RecordingHeader, onFailure: @escaping (String) -> Void)
    throws(RecordingError)
  {
    file = try RecordingFile(path)
    self.onFailure = onFailure
    let text: [UInt8]
    do { text = try Value(encoding: header).text } catch { throw RecordingError("\(error)") }
    frame.put(text)
    write()
  }

  func close() {
    isOver = true
    file.close()
  }

  private func write() {
    if isOver { return }
    // At most ten digits of seven bits, the lowest first.
    var length: (UInt64, UInt64) = (0, 0)
    let isWritten = withUnsafeMutableBytes(of: &length) { digits in
      var left = frame.count, count = 0
      while left >= 0x80 {
        digits[count] = UInt8(truncatingIfNeeded: left) | 0x80
        left >>= 7
        count += 1
      }
      digits[count] = UInt8(truncatingIfNeeded: left)
      return file.append(
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[0...count]), frame.bytes)
    }
    if isWritten { return }
    let reason = SystemError.lastReason
    close()
    onFailure(reason)
  }

  // MARK: - What a script asks for

  func facade(_ service: String, _ source: Result<String, RecordedFailure>) {
    frame.begin(.facade)
    frame.put(service)
    switch source {
    case .success(let text):
      frame.put(true)
      frame.put(text)
    case .failure(let failure):
      frame.put(false)
      frame.put(failure.text)
    }
    write()
  }

  func bound(_ binding: RecordedBinding) {
    frame.begin(.bound)
    frame.put(binding.service)
    frame.put(binding.name)
    frame.put(binding.forPlugin)
    switch binding.found {
    case .failure(let failure):
      frame.put(false)
      frame.put(failure.text)
    case .success(let shape):
      frame.put(true)
      frame.put(shape.isWatch)
      frame.put(shape.isConfidential)
      switch shape.buffering {
      case .wait: frame.put(byte: 0)
      case .dropOldest: frame.put(byte: 1)
      case .dropNewest: frame.put(byte: 2)
      }
      frame.put(shape.buffering.limit)
    }
    write()
  }

  func called(
    _ action: SessionAction, _ control: CallControl, _ text: UnsafeBufferPointer<UInt8>, _ bytes: [Bytes]
  ) {
    frame.begin(.called)
    let id = ObjectIdentifier(action)
    if let last, last.action == id {
      frame.put(last.number)
    } else if let number = numbers[id] {
      frame.put(number)
      last = (id, number)
    } else {
      frame.put(numbers.count)
      numbers[id] = numbers.count
      frame.put(action.bound.service)
      frame.put(action.bound.declaration.key)
    }
    frame.put(control.timeout ?? 0)
    frame.put(control.letsGo)
    frame.put(text)
    frame.put(bytes)
    write()
  }

  /// The text of an answer that lies in a sink.
  func answered(_ kind: ReplyKind, _ text: UnsafeBufferPointer<UInt8>, _ bytes: [Bytes]) {
    frame.begin(.answered)
    frame.put(byte: UInt8(truncatingIfNeeded: kind.rawValue))
    frame.put(byte: kind == .mixed ? 7 : 5)
    frame.put(text)
    if kind == .mixed { frame.put(bytes) }
    write()
  }

  func answered(_ reply: Reply) {
    frame.begin(.answered)
    frame.put(reply)
    write()
  }

  func pending(slot: Int) { write(.pending, slot) }
  func cancelled(slot: Int) { write(.cancelled, slot) }

  func granted(slot: Int, count: Int) {
    frame.begin(.granted)
    frame.put(slot)
    frame.put(count)
    write()
  }

  func given(_ input: RecordedInput) {
    frame.begin(.given)
    switch input {
    case .number(let kind, let value):
      frame.put(byte: kind.rawValue)
      frame.put(byte: 2)
      frame.put(value)
    case .text(let kind, let text):
      frame.put(byte: kind.rawValue)
      frame.put(byte: text == nil ? 0 : 1)
      if let text { frame.put(text) }
    case .bytes(let bytes):
      frame.put(byte: InputKind.random.rawValue)
      frame.put(byte: 3)
      frame.put(bytes)
    }
    write()
  }

  // MARK: - What comes by itself

  func delivered(_ replies: [SlotReply]) {
    frame.begin(.delivered)
    frame.put(replies.count)
    for (slot, reply) in replies {
      frame.put(slot)
      frame.put(reply)
    }
    write()
  }

  func timers(at time: Double) {
    frame.begin(.timers)
    frame.put(time)
    write()
  }

  func task(_ number: Int) { write(.task, number) }

  func settled() {
    frame.begin(.settled)
    write()
  }

  func ended(_ ending: RecordedEnding) {
    frame.begin(.ended)
    switch ending {
    case .exited(let code):
      frame.put(byte: 0)
      frame.put(Int(code) & 0xFF)
    case .stopped(let signal):
      frame.put(byte: 1)
      frame.put(Int(signal))
    case .timedOut(let seconds):
      frame.put(byte: 2)
      frame.put(seconds)
    case .stalled(let seconds):
      frame.put(byte: 3)
      frame.put(seconds)
    }
    write()
  }

  func finished(status: Int) { write(.finished, status) }

  private func write(_ kind: FrameKind, _ number: Int) {
    frame.begin(kind)
    frame.put(number)
    write()
  }
}
