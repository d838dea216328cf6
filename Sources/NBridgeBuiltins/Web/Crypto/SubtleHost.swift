// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeCrypto
internal import NBridgePlugin
internal import NBridgeRecording

/// The native half of SubtleCrypto. Keys and bytes cross as boxes: `room(count)` makes one of bytes, which
/// `view(box)` shows, so that what a script gave is copied once, into memory that no script can reach;
/// `drop(box)` lets go of them before the engine collects the box.
///
/// Each operation is a function of what is done at its end, `done(answer, exception, message)`, and of what
/// it needs. It works on a thread of the program's, unless that would take longer than the work.
enum SubtleHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    addBytes(host, services.context)
    for (name, operation) in SubtleOperations.all { add(name, operation, host, services) }
  }

  private static func addBytes(_ host: HostObject, _ context: JSContext) {
    host.function("room") { [unowned context] frame throws(JSException) in
      context.makeBox(BytesBox(CryptoBytes(count: max(0, frame[0].integer))))
    }
    // What is read while it is copied; `filled` tells the reader how much is there.
    host.function("roomToFill") { [unowned context] frame throws(JSException) in
      context.makeBox(BytesBox(CryptoBytes(count: max(0, frame[0].integer)), FillLevel()))
    }
    host.function("filled") { frame throws(JSException) in
      guard let box = frame[0].boxed(BytesBox.self), let level = box.level else { return frame.undefined }
      level.rise(to: min(max(0, frame[1].integer), box.bytes?.count ?? 0))
      return frame.undefined
    }
    host.function("view") { [unowned context] frame throws(JSException) in
      guard let bytes = frame.bytes(0) else { return frame.undefined }
      return context.makeBytes(over: bytes.bytes, keeping: bytes)
    }
    host.function("drop") { frame throws(JSException) in
      frame[0].boxed(BytesBox.self)?.drop()
      return frame.undefined
    }
  }

  private static func add(
    _ name: String, _ operation: SubtleOperation, _ host: HostObject, _ services: BuiltinServices
  ) {
    host.function(name) { [unowned services] frame throws(JSException) in
      guard let job = operation.prepare(frame) else {
        throw JSException(message: "crypto.subtle: '\(name)' was given something else than it takes")
      }
      let context = services.context
      if operation.isSmall(frame) {
        let outcome = job.outcome()
        return try context.call(frame[0], count: 3) { outcome.argument($0, context) }
      }
      services.work(for: JSHandle(frame[0], in: context), count: 3, job.outcome) { [unowned context] in
        $0.argument($1, context)
      }
      return frame.undefined
    }
  }
}

/// Something that any thread can do.
struct SubtleJob: Sendable {
  let body: @Sendable () throws(CryptoFault) -> SubtleAnswer

  func outcome() -> SubtleOutcome {
    do throws(CryptoFault) { return .answer(try body()) } catch { return .fault(error) }
  }
}

enum SubtleAnswer: Sendable {
  case bytes(CryptoBytes)
  case key(AsymmetricKey)
  case isGood(Bool)
  /// A key and the public numbers of it.
  case keyAndParts(AsymmetricKey, [CryptoBytes])
  case parts([CryptoBytes])
}

enum SubtleOutcome: Sendable {
  case answer(SubtleAnswer)
  case fault(CryptoFault)

  /// What `done` is given: the answer; or nothing, the name of an exception, and what it says.
  func argument(_ index: Int, _ context: JSContext) -> JSValue {
    switch (self, index) {
    case (.answer(let answer), 0): answer.value(context)
    case (.fault(.data), 1): context.make("DataError")
    case (.fault(.operation), 1): context.make("OperationError")
    case (.fault(let fault), 2): context.make(fault.text)
    default: context.undefined
    }
  }
}

extension SubtleAnswer {
  fileprivate func value(_ context: JSContext) -> JSValue {
    switch self {
    case .bytes(let bytes): Self.array(bytes, context)
    case .key(let key): context.makeBox(key)
    case .isGood(let isGood): context.make(isGood)
    case .parts(let parts): context.makeArray(count: parts.count) { Self.array(parts[$0], context) }
    case .keyAndParts(let key, let parts):
      context.makeArray(count: parts.count + 1) {
        $0 == 0 ? context.makeBox(key) : Self.array(parts[$0 - 1], context)
      }
    }
  }

  private static func array(_ bytes: CryptoBytes, _ context: JSContext) -> JSValue {
    context.makeBytes(over: bytes.bytes, keeping: bytes)
  }
}
