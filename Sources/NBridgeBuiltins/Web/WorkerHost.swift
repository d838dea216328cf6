// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeScript

/// The native half of Worker, and of a worker's global object.
enum WorkerHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    let native = HostObject(services.context)
    native.function("base") { [unowned services] frame throws(JSException) in
      frame.make(try starter(services).base)
    }
    native.function("prepare") { [unowned services] frame throws(JSException) in
      try prepare(frame, services)
    }
    native.function("begin") { [unowned services] frame throws(JSException) in
      let starter = try starter(services)
      do throws(WorkerRefusal) { try starter.begin(frame[0].integer) } catch {
        return services.context.make(error.reason)
      }
      return frame.undefined
    }
    native.function("giveUp") { [unowned services] frame throws(JSException) in
      try starter(services).giveUp(frame[0].integer)
      return frame.undefined
    }
    native.function("terminate") { [unowned services] frame throws(JSException) in
      try starter(services).terminate(frame[0].integer)
      return frame.undefined
    }
    native.function("failed") { [unowned services] frame throws(JSException) in
      var failure = WorkerFailure(message: frame[0].string ?? "", report: frame[4].string ?? "")
      failure.file = frame[1].string ?? ""
      (failure.line, failure.column) = (frame[2].integer, frame[3].integer)
      try starter(services).fail(failure)
      return frame.undefined
    }
    host.set("native", native.value)
  }

  private static func starter(_ services: BuiltinServices) throws(JSException) -> any WorkerStarter {
    guard let starter = services.workers else { throw JSException(message: "there are no workers here") }
    return starter
  }

  /// `prepare(address, location, isModule, name, hasData, failed, ended)`: the worker's number and the
  /// link to it, or why there is none.
  private static func prepare(_ frame: borrowing JSCallFrame, _ services: BuiltinServices)
    throws(JSException) -> JSValue
  {
    let context = services.context
    let order = WorkerOrder(
      address: frame[0].string ?? "", location: frame[1].string ?? "", isModule: frame[2].bool,
      name: frame[3].string ?? "", hasData: frame[4].bool)
    let (failed, ended) = (JSHandle(frame[5], in: context), JSHandle(frame[6], in: context))
    let starter = try starter(services)
    let links = try services.openLinks()
    do throws(WorkerRefusal) {
      let (number, end) = try starter.prepare(
        order, failed: { [unowned services] in services.tell(failed, $0) },
        ended: { [unowned services] in services.tell(ended, $0) })
      let link = links.adopt(end)
      return context.makeArray(count: 2) { context.make(Double($0 == 0 ? number : Int(link))) }
    } catch {
      return context.makeArray(count: 1) { _ in context.make(error.reason) }
    }
  }

  static let addScope: BuiltinModule.Host = { host, services throws(JSException) in
    guard let scope = services.scope else { throw JSException(message: "this is no worker") }
    let links = try services.openLinks()
    let native = HostObject(services.context)
    native.set("link", native.make(Double(links.adopt(scope.takeEnd()))))
    native.set("name", native.make(scope.order.name))
    native.set("location", native.make(scope.order.location))
    native.set("hasData", native.make(scope.order.hasData))
    native.set("number", native.make(Double(scope.number)))
    native.set("isModule", native.make(scope.order.isModule))
    native.function("close") { [unowned scope] frame throws(JSException) in
      scope.close()
      return frame.undefined
    }
    native.function("importScript") { [unowned scope] frame throws(JSException) in
      try scope.importScript(frame[0].string ?? "")
    }
    host.set("native", native.value)
  }
}

extension BuiltinServices {
  /// Tells a script's function of a failure, in a turn of its own.
  fileprivate func tell(_ callback: JSHandle, _ failure: WorkerFailure) {
    guard faults?.isOver == false else { return }
    if let text = failure.text { sources.note(elsewhere: ScriptSource(url: failure.file, text: text)) }
    do throws(JSException) {
      try context.call(
        callback.value, context.make(failure.message), context.make(failure.file),
        context.make(Double(failure.line)), context.make(Double(failure.column)),
        context.make(failure.report), context.make(failure.isUnstarted))
    } catch {
      faults?.fail(error, unhandled: false)
    }
  }
}
