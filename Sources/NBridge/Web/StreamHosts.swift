// SPDX-License-Identifier: MIT

internal import JSEngine

/// What the streams' scripts get: each other. What one needs only when it is used, it asks for then.
extension Runtime {
  func streamHost(for library: ScriptLibrary) throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("core", try load(.streamcore)["core"])
    host.set("notCloneable", try load(.platform)["notCloneable"])
    switch library {
    case .writable:
      host.function("makeAborter") { [unowned self] frame throws(JSException) in
        try context.call(load(.abort)["internals"]["makeController"])
      }
    case .readable:
      host.set("writables", try load(.writable)["writables"])
      addLater(host, "pipes", .readablepipes)
      addLater(host, "bytes", .readablebyob)
      addLater(host, "signals", .abort, export: "internals")
    case .readablepipes:
      host.set("readables", try load(.readable)["readables"])
      host.set("writables", try load(.writable)["writables"])
      addLater(host, "signals", .abort, export: "internals")
    case .readablebytes: host.set("readables", try load(.readable)["readables"])
    case .readablebyob:
      host.set("readables", try load(.readable)["readables"])
      host.set("byteController", try load(.readablebytes)["byteController"])
    case .transform:
      host.set("readables", try load(.readable)["readables"])
      host.set("writables", try load(.writable)["writables"])
    case .textstreams:
      host.set("transforms", try load(.transform)["transforms"])
      host.set("TextDecoder", try load(.encoding)["TextDecoder"])
      addUTF8(host)
    default: break
    }
    return host.value
  }

  /// A member that loads its library when it is first read.
  private func addLater(_ host: HostObject, _ name: String, _ library: ScriptLibrary, export: String? = nil) {
    let get = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      try load(library)[export ?? name]
    }
    guard let define = laterMember?.value else { return }
    _ = try? context.call(define, host.value, context.make(name), get)
  }
}
