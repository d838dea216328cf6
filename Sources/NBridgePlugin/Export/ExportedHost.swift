// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// The host's half of the table, as the plugin's ``AppHost``.
final class ExportedHost: AppHost {
  private nonisolated(unsafe) let table: UnsafePointer<nbridge_host>  // constant, and there for ever
  private nonisolated(unsafe) let context: UnsafeMutableRawPointer  // a number to us; good on any thread
  private let lifecycles = LifecycleReaders()

  init(_ start: nbridge_start) {
    table = start.host
    context = start.context
  }

  /// Runs `body` soon on the engine's thread. False when it never will be.
  func post(_ body: @escaping @Sendable () -> Void) -> Bool {
    let data = Unmanaged.passRetained(Boxed(body))  // balanced by the function that runs it, or below
    let runs = table.pointee.post(
      context, { data in if let data { Unmanaged<Boxed>.fromOpaque(data).takeRetainedValue().body() } },
      data.toOpaque())
    if runs == 0 { data.release() }
    return runs != 0
  }

  func settle(_ call: UInt64, _ answer: inout nbridge_value) { table.pointee.settle(context, call, &answer) }

  func emit(_ call: UInt64, _ event: inout nbridge_value) -> Int {
    Int(table.pointee.emit(context, call, &event))
  }

  // MARK: - AppHost

  func requestExit(_ code: Int32) { table.pointee.exit(context, code) }

  func note(_ line: String) {
    var line = line
    line.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        if let base = $0.baseAddress {
          table.pointee.log(context, UInt32(NBRIDGE_INFO), base, UInt64($0.count))
        }
      }
    }
  }

  func logs(_ level: LogLevel) -> Bool { true }

  func log(_ record: LogRecord) {
    guard table.pointee.minor >= 1, let take = table.pointee.record else {
      return note("\(record.level.rawValue): \(record.message)")
    }
    var (message, place) = (record.message, record.place)
    message.withUTF8 { message in
      place.withUTF8 { place in
        record.fields.withUnsafeBufferPointer { fields in
          var view = nbridge_record()
          view.level = UInt32(record.level.rank)
          view.message = UnsafeRawPointer(message.baseAddress)?.assumingMemoryBound(to: CChar.self)
          view.message_size = UInt64(message.count)
          view.fields = UnsafeRawPointer(fields.baseAddress)?.assumingMemoryBound(to: CChar.self)
          view.fields_size = UInt64(fields.count)
          view.place = UnsafeRawPointer(place.baseAddress)?.assumingMemoryBound(to: CChar.self)
          view.place_size = UInt64(place.count)
          take(context, &view)
        }
      }
    }
  }

  func allows(_ permission: String) -> Bool {
    permission.withCString { table.pointee.allows(context, $0, UInt64(permission.utf8.count)) != 0 }
  }

  /// The table does not tell; what a library reads of the bundle, it reads by its own right.
  func holdsProgramFile(_ path: RealPath) -> Bool { false }

  func lifecycle() -> AsyncStream<LifecycleState> { lifecycles.stream() }
  var phase: LifecycleState { lifecycles.phase }

  func enter(_ phase: UInt32) {
    switch Int(phase) {
    case NBRIDGE_BACKGROUND: lifecycles.enter(.background)
    case NBRIDGE_TERMINATING: lifecycles.enter(.terminating)
    default: lifecycles.enter(.active)
    }
  }

  func finish() { lifecycles.finish() }

  func invoke(_ request: InvocationRequest) async throws -> Value {
    let number = Mutex<(invocation: UInt64, isCancelled: Bool)>((0, false))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let invocation = begin(request, continuation)
        let isCancelled = number.withLock { number in
          number.invocation = invocation
          return number.isCancelled
        }
        if isCancelled { cancel(invocation) }
      }
    } onCancel: {
      // 0: it is just being begun, and will see that it was cancelled.
      let invocation = number.withLock { number in
        number.isCancelled = true
        return number.invocation
      }
      if invocation != 0 { cancel(invocation) }
    }
  }

  private func cancel(_ invocation: UInt64) {
    guard table.pointee.minor >= 2, let cancel = table.pointee.cancel_invocation else { return }
    cancel(context, invocation)
  }

  /// Hands an invocation over. Answers its number; 0 from a host that has none.
  private func begin(_ request: InvocationRequest, _ continuation: CheckedContinuation<Value, any Error>)
    -> UInt64
  {
    let waiting = Unmanaged.passRetained(Waiting(continuation)).toOpaque()  // balanced by `done`
    let bytes = request.option.attachments.map { nbridge_bytes(borrowed: $0) }
    let (service, action) = (Array(request.service.utf8CString), Array(request.action.utf8CString))
    return request.option.text.withUnsafeBufferPointer { text in
      bytes.withUnsafeBufferPointer { list in
        service.withUnsafeBufferPointer { service in
          action.withUnsafeBufferPointer { action in
            guard let service = service.baseAddress, let action = action.baseAddress else { return 0 }
            var option = nbridge_value()
            option.fill(borrowed: text, list)
            let sizes = (UInt64(request.service.utf8.count), UInt64(request.action.utf8.count))
            guard table.pointee.minor >= 2, let begin = table.pointee.begin_invocation else {
              table.pointee.invoke(context, service, sizes.0, action, sizes.1, &option, Self.done, waiting)
              return 0
            }
            return withUnsafePointer(to: option) { option in
              var invocation = nbridge_invocation(
                size: UInt32(MemoryLayout<nbridge_invocation>.size), reserved: 0, service: service,
                service_size: sizes.0, action: action, action_size: sizes.1, option: option,
                deadline: request.deadline.map { CallState.monotonic($0) } ?? 0, done: Self.done,
                data: waiting)
              return begin(context, &invocation)
            }
          }
        }
      }
    }
  }

  /// Asks for so many values more of a stream in a call's option; 0: no more are wanted.
  func pull(_ call: UInt64, _ index: UInt32, _ values: UInt32) {
    guard table.pointee.minor >= 4, let pull = table.pointee.pull else { return }
    pull(context, call, index, values)
  }

  /// Calls a function in a call's option; its answer comes with the number.
  func callBack(_ call: UInt64, _ index: UInt32, _ number: UInt64, _ value: Value) {
    guard table.pointee.minor >= 4, let callBack = table.pointee.call_back else { return }
    let bytes = value.attachments.map { nbridge_bytes(borrowed: $0) }
    value.text.withUnsafeBufferPointer { text in
      bytes.withUnsafeBufferPointer { list in
        var given = nbridge_value()
        given.fill(borrowed: text, list)
        callBack(context, call, index, number, &given)
      }
    }
  }

  private static let done: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<nbridge_value>) -> Void = {
    data, answer in
    guard let data else { return }
    Unmanaged<Waiting>.fromOpaque(data).takeRetainedValue().resume(answer.pointee)
  }

  private final class Boxed: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private final class Waiting: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>
    init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = continuation }

    func resume(_ answer: nbridge_value) {
      let sink = WireSink()
      continuation.resume(with: Result { try Value(answer.take(into: sink), sink) })
    }
  }
}

/// What a plugin is told of the program at its start.
package struct ForeignEnvironment: Codable {
  var app: AppInfo
  var container: String
  var bundle: String?
  var arguments: [String]
  var registeredDefaults: [String: Value]
  var shared: SharedFolders
  var schemes: [String]
  var settings: Value?
  var service: String?

  package init(_ app: AppEnvironment) {
    self.app = app.info
    container = app.container.path
    bundle = app.bundle
    arguments = app.arguments
    registeredDefaults = app.registeredDefaults
    shared = app.shared
    schemes = app.schemes
    settings = app.settings
    service = app.service
  }
}
