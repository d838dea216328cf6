// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

extension Runtime {
  /// The ledger: every call and watch that is open now. On the engine's thread.
  public func openCalls() -> [OpenCall] {
    let sites = callSites()
    // What a plugin's own script watches for itself is no business of the author's.
    let own = session.calls.open.filter {
      $0.life.isRunning && !($0.action.declaration.isHidden && $0.watch != nil && !$0.holds)
    }
    return (own + invocations.calls.open.filter { $0.life.isRunning }).map { record in
      OpenCall(
        id: "\(UInt(bitPattern: ObjectIdentifier(record).hashValue))/\(record.started)",
        name: record.action.name, isWatch: record.watch != nil,
        site: record.caller == nil ? record.slot.flatMap { sites[$0] } : nil, caller: record.caller,
        milliseconds: max(0, loop.clock.now - record.started) / 1000)
    }
  }

  private func callSites() -> [Int: String] {
    guard let describeWaiting, let list = try? context.call(describeWaiting.value) else { return [:] }
    var sites: [Int: String] = [:]
    for index in 0..<min(1000, list["length"].integer) {
      let entry = list["\(index)"]
      if let frame = entry["site"].string.flatMap(StackFrame.init) {
        sites[entry["slot"].integer] = (atlas.authored(frame) ?? frame).place
      }
    }
    return sites
  }
}
