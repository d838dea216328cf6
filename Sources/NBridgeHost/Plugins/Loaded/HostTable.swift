// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgePlugin
internal import Synchronization

/// The functions that plugins in libraries call: one table for the process. A plugin names its instance by a
/// number, so that one that goes on after the end of its program calls into nothing instead of freed memory.
enum HostTable {
  private struct Instances {
    var last: UInt = 0
    var open: [UInt: LoadedInstance] = [:]
    /// Those that are being stopped: all that they can still do is to tell the person something.
    var leaving: [UInt: LoadedInstance] = [:]
  }

  private static let instances = Mutex(Instances())

  static func register(_ instance: LoadedInstance) -> UInt {
    instances.withLock { instances in
      instances.last += 1
      instances.open[instances.last] = instance
      return instances.last
    }
  }

  /// The instance is about to be stopped.
  static func unregister(_ context: UInt) {
    instances.withLock { $0.leaving[context] = $0.open.removeValue(forKey: context) }
  }

  /// It is stopped.
  static func forget(_ context: UInt) {
    instances.withLock { instances in
      instances.open[context] = nil
      instances.leaving[context] = nil
    }
  }

  static func instance(_ context: UnsafeMutableRawPointer) -> LoadedInstance? {
    instances.withLock { $0.open[UInt(bitPattern: context)] }
  }

  private static func text(_ start: UnsafePointer<CChar>, _ size: UInt64) -> String {
    UnsafeBufferPointer(start: start, count: Int(size)).withMemoryRebound(to: UInt8.self) {
      String(decoding: $0, as: UTF8.self)
    }
  }

  // Constant once made, and never freed: the header promises it for the life of the process.
  nonisolated(unsafe) static let functions: UnsafePointer<nbridge_host> = {
    let table = UnsafeMutablePointer<nbridge_host>.allocate(capacity: 1)
    table.initialize(
      to: nbridge_host(
        size: UInt32(MemoryLayout<nbridge_host>.size), major: UInt16(NBRIDGE_ABI_MAJOR),
        minor: UInt16(NBRIDGE_ABI_MINOR),
        settle: { context, call, answer in
          if let instance = instance(context) { instance.settle(call, answer) } else { answer.pointee.drop() }
        },
        emit: { context, call, event in
          guard let instance = instance(context) else {
            event.pointee.drop()
            return UInt32(NBRIDGE_OVER)
          }
          return UInt32(instance.emit(call, event))
        },
        post: { context, body, data in
          guard let instance = instance(context) else { return 0 }
          return instance.post(LoadedInstance.PostedWork(run: body, data: data)) ? 1 : 0
        },
        log: { context, level, line, size in
          let number = UInt(bitPattern: context)
          guard let instance = instances.withLock({ $0.open[number] ?? $0.leaving[number] }) else { return }
          instance.log(Int(level), text(line, size))
        },
        invoke: { context, service, serviceSize, action, actionSize, option, done, data in
          _ = invoke(
            instance(context), text(service, serviceSize), text(action, actionSize), option.pointee,
            deadline: 0,
            Completion(done, data))
        },
        exit: { context, status in instance(context)?.host.requestExit(status) },
        allows: { context, permission, size in
          instance(context)?.host.allows(text(permission, size)) == true ? 1 : 0
        },
        record: { context, record in instance(context)?.record(record.pointee) },
        begin_invocation: { context, invocation in
          let given = invocation.pointee
          return invoke(
            instance(context), text(given.service, given.service_size), text(given.action, given.action_size),
            given.option.pointee, deadline: given.deadline, Completion(given.done, given.data))
        },
        cancel_invocation: { context, invocation in instance(context)?.host.cancelInvocation(invocation) },
        pull: { context, call, index, values in
          instance(context)?.ask(call, index, values == 0 ? .leave : .more(Int(values)))
        },
        call_back: { context, call, index, number, value in
          instance(context)?.callBack(call, index, number, value)
        },
        reserved: (nil, nil, nil)))
    return UnsafePointer(table)
  }()

  private static func invoke(
    _ instance: LoadedInstance?, _ service: String, _ action: String, _ option: nbridge_value,
    deadline: UInt64,
    _ completion: Completion
  ) -> UInt64 {
    let value = Value(text: Array(option.utf8), attachments: option.takeBytes())
    guard let instance else {
      completion.finish(.failure(BridgeError(.cancelled, "the program has ended")))
      return 0
    }
    let request = InvocationRequest(
      caller: instance.service, service: service, action: action, option: value,
      deadline: CallState.instant(deadline))
    return instance.host.invoke(request) { completion.finish($0) }
  }

  /// A plugin's function that waits for an answer.
  private struct Completion: @unchecked Sendable {
    // Sendable because the header lets it be called on any thread.
    private let done: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<nbridge_value>) -> Void
    private let data: UnsafeMutableRawPointer?

    init(
      _ done: @escaping @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<nbridge_value>) -> Void,
      _ data: UnsafeMutableRawPointer?
    ) {
      self.done = done
      self.data = data
    }

    func finish(_ result: Result<Value, any Error>) {
      let sink = WireSink()
      var answer = nbridge_value()
      switch result {
      case .success(let value):
        value.text.withUnsafeBufferPointer { sink.writeValue($0) }
        sink.put(attachments: value.attachments)
        answer.fill(.text, sink)
      case .failure(let error): answer.fill(failure: error, sink)
      }
      done(data, &answer)
    }
  }
}

extension LoadedInstance {
  fileprivate func record(_ record: nbridge_record) {
    guard let level = LogLevel(rank: Int(record.level)), host.logs(level) else { return }
    let fields = UnsafeRawBufferPointer(start: record.fields, count: Int(record.fields_size))
    host.log(
      LogRecord(
        level: level, service: service, message: Self.text(record.message, record.message_size),
        fields: Value(text: Array(fields)).isSound ? Array(fields) : [],
        place: Self.text(record.place, record.place_size)))
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ size: UInt64) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(size)), as: UTF8.self)
  }

  fileprivate func log(_ level: Int, _ line: String) {
    switch level {
    case NBRIDGE_ERROR: host.note("\(service): error: \(line)")
    case NBRIDGE_WARNING: host.note("\(service): warning: \(line)")
    case NBRIDGE_DEBUG: break
    default: host.note(line)
    }
  }
}
