// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import Synchronization

/// The functions that the plugin calls: each is a message to the program.
enum ChildTable {
  private static func host(_ context: UnsafeMutableRawPointer) -> ChildHost {
    Unmanaged<ChildHost>.fromOpaque(context).takeUnretainedValue()  // held for ever
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ size: UInt64) -> UnsafeBufferPointer<UInt8> {
    .init(
      start: UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self),
      count: start == nil ? 0 : Int(size))
  }

  /// A value that is only text.
  private static func value(_ start: UnsafePointer<CChar>?, _ size: UInt64) -> nbridge_value {
    var value = nbridge_value()
    value.kind = UInt32(NBRIDGE_STRING)
    (value.text, value.text_size) = (start, size)
    return value
  }

  // Constant once made, and never freed: the header promises it for the life of the process.
  nonisolated(unsafe) static let functions: UnsafePointer<nbridge_host> = {
    let table = UnsafeMutablePointer<nbridge_host>.allocate(capacity: 1)
    table.initialize(
      to: nbridge_host(
        size: UInt32(MemoryLayout<nbridge_host>.size), major: UInt16(NBRIDGE_ABI_MAJOR),
        minor: UInt16(NBRIDGE_ABI_MINOR),
        settle: { context, call, answer in host(context).settle(call, answer) },
        emit: { context, call, event in UInt32(host(context).emit(call, event)) },
        post: { context, run, data in host(context).post(.init(run: run, data: data)) ? 1 : 0 },
        log: { context, level, line, size in
          var head = FrameHead(.log)
          head.first = level
          var line = value(line, size)
          host(context).tell(head, &line)
        },
        invoke: { context, service, serviceSize, action, actionSize, option, done, data in
          var invocation = nbridge_invocation(
            size: UInt32(MemoryLayout<nbridge_invocation>.size), reserved: 0, service: service,
            service_size: serviceSize, action: action, action_size: actionSize, option: option, deadline: 0,
            done: done, data: data)
          _ = invoke(host(context), &invocation)
        },
        exit: { context, status in
          var head = FrameHead(.exit)
          head.first = UInt32(bitPattern: status)
          host(context).tell(head, nil)
        },
        allows: { context, permission, size in host(context).question(text(permission, size)) },
        record: { context, record in
          let record = record.pointee
          var head = FrameHead(.record)
          head.first = record.level
          var fields = value(record.fields, record.fields_size)
          host(context).tell(
            head, &fields,
            words: (text(record.message, record.message_size), text(record.place, record.place_size)))
        },
        begin_invocation: { context, invocation in invoke(host(context), invocation) },
        cancel_invocation: { context, invocation in
          host(context).tell(FrameHead(.cancelInvocation, id: invocation), nil)
        },
        pull: { context, call, index, values in
          var head = FrameHead(.pull, id: call)
          (head.first, head.second) = (index, values)
          host(context).tell(head, nil)
        },
        call_back: { context, call, index, number, value in
          var head = FrameHead(.callBack, id: call)
          (head.first, head.number) = (index, number)
          host(context).tell(head, value)
        },
        reserved: (nil, nil, nil)))
    return UnsafePointer(table)
  }()

  private static func invoke(_ host: ChildHost, _ invocation: UnsafePointer<nbridge_invocation>) -> UInt64 {
    let given = invocation.pointee
    let number = host.begin(.init(done: given.done, data: given.data))
    var head = FrameHead(.invoke, id: number)
    head.number = given.deadline
    host.tell(
      head, given.option,
      words: (text(given.service, given.service_size), text(given.action, given.action_size)))
    return number
  }
}

extension ChildHost {
  /// Any thread.
  func tell(
    _ head: FrameHead, _ value: UnsafePointer<nbridge_value>?,
    words: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) = (.empty, .empty)
  ) {
    _ = try? channel.put(head, value, words: words)
    goOut()
  }

  /// Hands an event of a watch over, as long as it has credit. Any thread.
  func emit(_ call: UInt64, _ event: UnsafePointer<nbridge_value>) -> Int {
    let isRun =
      event.pointee.bytes_count == 0 && event.pointee.number > 1
      && (Int(event.pointee.kind) == NBRIDGE_JSON || Int(event.pointee.kind) == NBRIDGE_TAGGED)
    let count = isRun ? Int(exactly: event.pointee.number) ?? 1 : 1
    let answer = credits.withLock { credits in
      guard let credit = credits.of[call] else { return NBRIDGE_OVER }
      if credit < count { return NBRIDGE_FULL }
      credits.of[call] = credit - count
      return NBRIDGE_TAKEN
    }
    guard answer == NBRIDGE_TAKEN else {
      if answer == NBRIDGE_OVER { drop(event) }
      return answer
    }
    tell(FrameHead(.emit, id: call), event)
    return answer
  }

  /// Gives back what nobody takes.
  private func drop(_ event: UnsafePointer<nbridge_value>) {
    let items = UnsafeBufferPointer(start: event.pointee.bytes, count: Int(event.pointee.bytes_count))
    for item in items where item.retain == nil { item.release?(item.owner) }
    event.pointee.release?(event.pointee.owner)
  }
}
