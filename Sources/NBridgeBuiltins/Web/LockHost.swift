// SPDX-License-Identifier: MIT

internal import JSEngine

/// The native half of `navigator.locks`: the table that all engines of a program have together.
enum LockHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    host.addTask(services)
    host.addHold(services)
    let name = services.scope.map { "worker \($0.number)" } ?? "this program"
    let client = try services.openLinks().lockClient(name)
    let native = HostObject(services.context)
    native.function("open") { [unowned client, unowned services] frame throws(JSException) in
      let arrive = JSHandle(frame[0], in: services.context)
      client.open { [unowned services] in services.tell(arrive, 0) }
      return frame.undefined
    }
    addRequests(native, client)
    native.function("all") { [unowned client, unowned context = services.context] _ throws(JSException) in
      let (held, waiting) = client.table.all
      return context.makeArray(count: 2) { context.makeInfos($0 == 0 ? held : waiting) }
    }
    host.set("native", native.value)
  }

  private static func addRequests(_ native: HostObject, _ client: LockClient) {
    // enter(number, name, isExclusive, way): false where it is not available.
    native.function("enter") { [unowned client] frame throws(JSException) in
      let request = LockTable.Request(
        number: UInt32(clamping: frame[0].integer), name: frame[1].string ?? "", isExclusive: frame[2].bool,
        client: client)
      let ways: [LockTable.Way] = [.wait, .onlyIfFree, .steal]
      return frame.make(client.table.enter(request, ways[min(2, max(0, frame[3].integer))]))
    }
    native.function("leave") { [unowned client] frame throws(JSException) in
      client.table.leave(UInt32(clamping: frame[0].integer), frame[1].string ?? "", client)
      return frame.undefined
    }
    native.function("waitsAmongOthers") { [unowned client] frame throws(JSException) in
      frame.make(client.table.waitsAmongOthers(frame[0].string ?? "", client))
    }
    // The number of a request that was granted, less than 0 of one that was stolen; the name of a line that
    // others have come to, or left; 0 for nothing.
    native.function("next") { [unowned client] frame throws(JSException) in
      switch client.next() {
      case .granted(let number): frame.make(Double(number))
      case .stolen(let number): frame.make(-Double(number))
      case .neighbours(let name): frame.make(name)
      case nil: frame.make(0)
      }
    }
  }
}

extension JSContext {
  /// Names, modes and clients in turn.
  fileprivate func makeInfos(_ requests: [LockTable.Request]) -> JSValue {
    makeArray(count: requests.count * 3) { index in
      let request = requests[index / 3]
      return switch index % 3 {
      case 0: make(request.name)
      case 1: make(request.isExclusive ? "exclusive" : "shared")
      default: make(request.client.name)
      }
    }
  }
}
