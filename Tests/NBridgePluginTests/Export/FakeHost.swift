// SPDX-License-Identifier: MIT

import CNBridgePlugin
import Foundation

@testable import NBridgePlugin

/// A host of plugins in libraries, as the C table has it: keeps what it is told. Used by one thread, but
/// for `post`.
final class FakeHost: @unchecked Sendable {
  // Sendable because the lock guards what threads of handlers touch.
  struct Record: Equatable { var level: UInt32, message: String, fields: String, place: String }

  private let lock = NSLock()
  private typealias Job = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private var posted: [(run: Job, data: UnsafeMutableRawPointer?)] = []
  var settled: [UInt64: Result<Value, any Error>] = [:]
  var settlements = 0
  var events: [UInt64: [Value]] = [:]
  var emissions: [UInt32] = []
  var notes: [String] = []
  var records: [Record] = []
  var exits: [Int32] = []
  var invoked: [String] = []
  var deadlines: [UInt64] = []
  /// The answers to invocations.
  var answer: @Sendable (String) -> Result<Value, BridgeError> = { _ in .success(.null) }
  var takes = UInt32(NBRIDGE_TAKEN)
  private let table: UnsafeMutablePointer<nbridge_host>
  let minor: UInt16

  static func of(_ context: UnsafeMutableRawPointer) -> FakeHost {
    Unmanaged<FakeHost>.fromOpaque(context).takeUnretainedValue()
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ size: UInt64) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: Int(size)), as: UTF8.self)
  }

  private static func value(_ value: nbridge_value) -> Result<Value, any Error> {
    let sink = WireSink()
    return Result { try Value(value.take(into: sink), sink) }
  }

  /// What was asked of streams, and the functions that were called. Under the lock.
  nonisolated(unsafe) var pulls: [(index: UInt32, values: UInt32)] = []
  nonisolated(unsafe) var callBacks: [(index: UInt32, number: UInt64, value: Result<Value, any Error>)] = []

  init(minor: UInt16 = UInt16(NBRIDGE_ABI_MINOR)) {
    self.minor = minor
    table = .allocate(capacity: 1)
    table.initialize(
      to: nbridge_host(
        size: UInt32(MemoryLayout<nbridge_host>.size), major: UInt16(NBRIDGE_ABI_MAJOR), minor: minor,
        settle: { context, call, answer in
          FakeHost.of(context).settlements += 1
          FakeHost.of(context).settled[call] = FakeHost.value(answer.pointee)
        },
        emit: { context, call, event in
          let host = FakeHost.of(context)
          guard host.takes == UInt32(NBRIDGE_TAKEN) else { return host.takes }
          host.take(event.pointee, of: call)
          return UInt32(NBRIDGE_TAKEN)
        },
        post: { context, run, data in
          let host = FakeHost.of(context)
          host.lock.withLock { host.posted.append((run, data)) }
          return 1
        },
        log: { context, _, text, size in FakeHost.of(context).notes.append(FakeHost.text(text, size)) },
        invoke: { context, service, serviceSize, action, actionSize, option, done, data in
          FakeHost.of(context).invoke(
            FakeHost.text(service, serviceSize), FakeHost.text(action, actionSize), option.pointee, 0, done,
            data)
        },
        exit: { context, status in FakeHost.of(context).exits.append(status) },
        allows: { _, permission, size in FakeHost.text(permission, size) == "yes.é" ? 1 : 0 },
        record: { context, record in
          let record = record.pointee
          FakeHost.of(context).records.append(
            Record(
              level: record.level, message: FakeHost.text(record.message, record.message_size),
              fields: FakeHost.text(record.fields, record.fields_size),
              place: FakeHost.text(record.place, record.place_size)))
        },
        begin_invocation: { context, invocation in
          let asked = invocation.pointee
          FakeHost.of(context).invoke(
            FakeHost.text(asked.service, asked.service_size), FakeHost.text(asked.action, asked.action_size),
            asked.option.pointee, asked.deadline,
            asked.done, asked.data)
          return 7
        },
        cancel_invocation: { _, _ in },
        pull: { context, _, index, values in
          let host = FakeHost.of(context)
          host.lock.withLock { host.pulls.append((index, values)) }
        },
        call_back: { context, _, index, number, value in
          let host = FakeHost.of(context)
          let given = FakeHost.value(value.pointee)
          host.lock.withLock { host.callBacks.append((index, number, given)) }
        },
        reserved: (nil, nil, nil)))
  }

  private func take(_ event: nbridge_value, of call: UInt64) {
    let count = (try? event.events()) ?? -1
    emissions.append(UInt32(count))
    guard count > 1 else {
      if let value = try? Self.value(event).get() { events[call, default: []].append(value) }
      return
    }
    for line in event.utf8.split(separator: UInt8(ascii: "\n")) {
      events[call, default: []].append(Value(text: Array(line.dropLast())))
    }
  }

  private func invoke(
    _ service: String, _ action: String, _ option: nbridge_value, _ deadline: UInt64,
    _ done: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<nbridge_value>) -> Void,
    _ data: UnsafeMutableRawPointer?
  ) {
    let text = (try? Self.value(option).get()).map { String(decoding: $0.text, as: UTF8.self) } ?? "?"
    invoked.append("\(service).\(action) \(text)")
    deadlines.append(deadline)
    var answer = nbridge_value()
    let sink = WireSink()
    switch self.answer(action) {
    case .success(let value):
      try? sink.encode(value)
      answer.fill(.text, sink)
    case .failure(let error): answer.fill(failure: error, sink)
    }
    done(data, &answer)
  }

  /// The table that a plugin is started with.
  func start<R>(_ app: AppEnvironment, _ body: (nbridge_start) throws -> R) throws -> R {
    let text = try Value(encoding: ForeignEnvironment(app)).text
    return try text.withUnsafeBufferPointer { text in
      try text.withMemoryRebound(to: CChar.self) { text in
        guard let base = text.baseAddress else { throw BridgeError(.unknownError, "no text") }
        return try body(
          nbridge_start(
            size: UInt32(MemoryLayout<nbridge_start>.size), reserved: 0, host: UnsafePointer(table),
            context: Unmanaged.passUnretained(self).toOpaque(),
            environment: base, environment_size: UInt64(text.count)))
      }
    }
  }

  /// Runs what was posted; answers whether anything was.
  @discardableResult
  func turn() -> Bool {
    let jobs = lock.withLock {
      defer { posted = [] }
      return posted
    }
    for job in jobs { job.run(job.data) }
    return !jobs.isEmpty
  }

  /// Turns until `isDone`, ten seconds at the most.
  func turn(until isDone: () -> Bool) {
    let end = ContinuousClock.now + .seconds(10)
    while !isDone(), ContinuousClock.now < end { if !turn() { sched_yield() } }
  }
}

/// A plugin behind its table, started in a fake host. Used by one thread.
final class StartedPlugin {
  let table: UnsafePointer<nbridge_plugin>
  let host: FakeHost
  private(set) var state: UnsafeMutableRawPointer?
  private var last: UInt64 = 0

  init(
    _ plugin: @escaping @Sendable () -> any Plugin, _ app: AppEnvironment = .testing(),
    host: FakeHost = FakeHost()
  ) throws {
    self.host = host
    table = PluginExport.make(plugin)
    var failure = nbridge_value()
    let started = try host.start(app) { start in
      withUnsafePointer(to: start) { table.pointee.start(table, $0, &state, &failure) }
    }
    guard started == 1 else {
      _ = try failure.take(into: WireSink())
      throw BridgeError(.unknownError, "it did not start, and did not say why")
    }
  }

  var description: Value {
    var size: UInt64 = 0
    let text = table.pointee.describe(table, &size)
    return Value(text: Array(UnsafeRawBufferPointer(start: text, count: Int(size))))
  }

  func index(_ name: String) throws -> UInt32 {
    let members = try description.decode(PluginDescriptor.self).members
    guard let index = members.firstIndex(where: { $0.name == name }) else {
      throw BridgeError(.notFound, name)
    }
    return UInt32(index)
  }

  /// Makes a call; answers its number, and its answer unless it is pending.
  func call(_ action: UInt32, _ option: Value? = nil, deadline: UInt64 = 0, credit: UInt32 = 0) -> (
    number: UInt64, answer: Result<Value, any Error>?
  ) {
    last += 1
    var request = nbridge_request()
    request.size = UInt32(MemoryLayout<nbridge_request>.size)
    request.action = action
    request.call = last
    request.deadline = deadline
    request.credit = credit
    var answer = nbridge_value()
    let bytes = (option?.attachments ?? []).map { nbridge_bytes(borrowed: $0) }
    let status = (option?.text ?? []).withUnsafeBufferPointer { text in
      bytes.withUnsafeBufferPointer { list in
        request.option.fill(borrowed: text, list)
        return table.pointee.call(state, &request, &answer)
      }
    }
    if status == UInt32(NBRIDGE_PENDING) { return (last, nil) }
    let sink = WireSink()
    return (last, Result { try Value(answer.take(into: sink), sink) })
  }

  /// The answer of a call, waited for.
  func answer(_ name: String, _ option: Value? = nil, deadline: UInt64 = 0) throws -> Value {
    let (number, answer) = call(try index(name), option, deadline: deadline)
    if let answer { return try answer.get() }
    host.turn { host.settled[number] != nil }
    guard let answer = host.settled[number] else { throw BridgeError(.timeout, "it was not settled") }
    return try answer.get()
  }

  func cancel(_ call: UInt64) { table.pointee.cancel?(state, call) }
  func grant(_ call: UInt64, _ events: UInt32) { table.pointee.grant?(state, call, events) }
  func enter(_ phase: Int) { table.pointee.lifecycle?(state, UInt32(phase)) }
  func stop() {
    table.pointee.stop(state)
    state = nil
  }
}
