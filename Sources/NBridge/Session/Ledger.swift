// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// A call or watch that is open: what the ledger knows of it.
public struct OpenCall: Sendable, CustomStringConvertible {
  /// Tells a program's open calls apart, also from those that were open before.
  public let id: String
  /// `service.action`.
  public let name: String
  /// Whether it is a watch.
  public let isWatch: Bool
  /// Where the script made it, as `sample.js:3:5`; nil when the engine gave no frame.
  public let site: String?
  /// The service of the plugin that made it; nil for a script's.
  public let caller: String?
  /// How long it has been open, in milliseconds.
  public let milliseconds: Int

  /// `preference.watch (watch), open for 12 ms, made at sample.js:3:5`.
  public var description: String {
    let place =
      (site ?? caller.map { "the plugin '\($0)'" }).map {
        site == nil ? ", made by \($0)" : ", made at \($0)"
      } ?? ""
    return "\(name) (\(isWatch ? "watch" : "call")), open for \(milliseconds) ms\(place)"
  }
}

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
