// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// A runtime that is a worker of another one's.
extension Runtime {
  /// Runs a worker from its engine's making to its end, on the calling thread.
  static func runWorker(
    _ options: RuntimeOptions, _ seat: WorkerSeat, _ makePlugins: (@Sendable () -> [any Plugin])?
  ) -> ExitStatus {
    var left = WorkerRemains()
    let status = runScript(options, seat, makePlugins, &left)
    left.end()
    return status
  }

  /// What stays of a worker's engine while others have memory of it.
  private struct WorkerRemains {
    weak var machine: JSVirtualMachine?
    weak var context: JSContext?
    /// Collects what the script has left. Called where nothing on the stack is of it any more, for the
    /// collector takes what it finds there for values.
    func end() {
      context?.collectInherited()
      // An engine that outlives its thread is interrupted by nobody: the engine would signal that thread.
      machine?.unwatchInterrupter()
    }
  }

  /// Not inlined: see ``WorkerRemains/end()``.
  @inline(never)
  private static func runScript(
    _ options: RuntimeOptions, _ seat: WorkerSeat, _ makePlugins: (@Sendable () -> [any Plugin])?,
    _ left: inout WorkerRemains
  ) -> ExitStatus {
    do {
      let runtime = try Runtime(options, plugins: makePlugins?() ?? [])
      seat.thread.attach(runtime.controller)
      let status = runtime.run(seat)
      (left.machine, left.context) = (runtime.machine, runtime.context.heir)
      return status
    } catch {
      seat.tellUnstarted("\(error)", "nbridge: \(error)\n")
      return .failure
    }
  }

  private func run(_ seat: WorkerSeat) -> ExitStatus {
    state.onUncaught = { [unowned self] exception, unhandled in
      tellMaker(failure(exception, unhandled: unhandled), seat)
    }
    globals = WorkerGlobals(self, seat)
    parts.services.scope = globals
    do {
      let scope = try builtins.load("workerscope")
      if !seat.thread.isStopped {
        try startWorker(seat.order)
        try context.call(scope["begun"])
      }
      turnUntilDone()
    } catch let error as JSException {
      fail(error)
      turnUntilDone()
    } catch let error as BundleError {
      let report = error.report(asJSON: options.reportsAsJSON, colours: options.output.errorColours)
      seat.tellUnstarted(error, report)
    } catch {
      seat.tellUnstarted("\(error)", "nbridge: \(error)\n")
    }
    tellNeverSettled(seat)
    return finish()
  }

  /// Tells of an error that no script of this worker's took. Node's workers end with the first; the web's go
  /// on.
  func tellMaker(_ failure: WorkerFailure, _ seat: WorkerSeat) {
    seat.tell(failure)
    if seat.order.hasData, ending == nil { ending = .exited(ExitStatus.failure.code) }
  }

  /// An `await` at the top of a worker that can't go on is an error as others are.
  private func tellNeverSettled(_ seat: WorkerSeat) {
    guard case .neverSettles(let url, let line) = ending else { return }
    var failure = WorkerFailure(
      message: "a worker's await can never settle", report: neverSettles(url, line: line))
    (failure.file, failure.line) = (url, line ?? 0)
    seat.tell(failure)
    ending = .exited(ExitStatus.neverSettles.code)
  }

  private func startWorker(_ order: WorkerOrder) throws {
    if let text = try DataURL.text(order.address) {
      return try startText(ScriptSource(url: "worker.js", text: text))
    }
    let (path, text) = try readFile(order.address)
    entry = path
    host.noteProgramFiles([path])
    if order.isModule || ProgramFiles.isModule(path) || ImportScan(text).usesModules {
      return try startModules(.file(path))
    }
    try start(ScriptSource(url: path, text: text))
  }

  /// Reads a script by its URL, if the program may import it.
  fileprivate func readFile(_ address: String) throws -> (path: String, text: String) {
    guard let url = FileURL(address) else {
      throw ScriptFileError(
        """
        '\(ConcealedURL.text(address))' can't be run: a worker's script has a file:, data: or blob: URL that \
        is not revoked
        """)
    }
    let scope = ModuleScope(
      bundle: options.bundle, options.permissions, sealed: options.sealed(container),
      entry: programFile.map(ModuleRequest.Entry.file))
    let path = DisplayPath(folder: ScriptFile.currentFolder).shown(url.path)
    return (path, try ScriptFile.text(try scope.read(url.path), "'\(path)'"))
  }

  /// An error as the maker of the worker is told of it.
  private func failure(_ exception: JSException, unhandled: Bool) -> WorkerFailure {
    let report = ErrorReport(
      exception, sourceRegistry: sourceRegistry, colours: options.output.errorColours)
    var failure = WorkerFailure(
      message: exception.description,
      report: options.reportsAsJSON
        ? report.json(unhandled: unhandled) : report.text(unhandled: unhandled))
    if let place = report.place {
      (failure.file, failure.line, failure.column) = (place.url, place.line, place.column)
      failure.text = sourceRegistry.text(of: place.url)
    }
    return failure
  }
}

/// What a worker's global object has of its runtime. Confined to the engine's thread.
private final class WorkerGlobals: WorkerScope {
  private unowned let runtime: Runtime
  private let seat: WorkerSeat

  init(_ runtime: Runtime, _ seat: WorkerSeat) { (self.runtime, self.seat) = (runtime, seat) }

  var order: WorkerOrder { seat.order }
  var number: Int { seat.number }

  /// Where it was taken before, one whose other end nobody has.
  func takeEnd() -> PortEnd { seat.ticket.take() ?? PortEnd.pair().0 }

  func close() { if runtime.ending == nil { runtime.ending = .exited(0) } }

  func importScript(_ address: String) throws(JSException) -> JSValue {
    let source: ScriptSource
    do {
      if let text = try DataURL.text(address) {
        source = runtime.lowered(ScriptSource(url: "importScripts.js", text: text))
      } else {
        let (path, text) = try runtime.readFile(address)
        source = runtime.lowered(ScriptSource(url: path, text: text))
      }
    } catch { throw JSException(message: "importScripts: \(error)") }
    let context = runtime.context
    let plan = PreparedScript(untouched: source)
    runtime.sourceRegistry.add(source, plan)
    runtime.builtins.placeGlobals(mentionedIn: plan.text)
    let keptThrown = context.keepsThrown
    context.keepsThrown = true
    defer { context.keepsThrown = keptThrown }
    do { try context.evaluate(plan.text, url: source.url) } catch {
      // What was thrown, not a copy of it.
      guard let thrown = context.lastThrown else { throw error }
      // The engine tells the column of the call.
      var unplaced = error
      unplaced.column = nil
      if let column = context.placed(unplaced, in: plan, source).column {
        context.set(thrown.value, "column", context.make(Double(column)))
      }
      return context.makeArray(count: 1) { _ in thrown.value }
    }
    return context.undefined
  }
}

/// Scripts that stand in their URL (RFC 2397).
private enum DataURL {
  /// The text of a `data:` URL; nil for another.
  static func text(_ address: String) throws -> String? {
    guard FileURL.scheme(of: address) == "data" else { return nil }
    let rest = address.dropFirst("data:".count).prefix { $0 != "#" }
    guard let comma = rest.firstIndex(of: ",") else {
      throw ScriptFileError("a data: URL of a worker has no comma before its text")
    }
    let body = rest[rest.index(after: comma)...]
    guard let plain = percentDecoded(body) else {
      throw ScriptFileError("a data: URL of a worker is no text")
    }
    guard rest[..<comma].lowercased().hasSuffix(";base64") else { return plain }
    guard isBase64(plain), let text = String(validating: Base64.decode(plain), as: UTF8.self) else {
      throw ScriptFileError("a data: URL of a worker is no text in base64")
    }
    return text
  }

  /// "Forgiving-base64" (Infra standard, 8): blanks are passed over, and nothing else.
  private static func isBase64(_ text: String) -> Bool {
    var bytes = text.utf8.filter { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    if bytes.count % 4 == 0 { for _ in 0..<2 where bytes.last == UInt8(ascii: "=") { bytes.removeLast() } }
    return bytes.count % 4 != 1
      && bytes.allSatisfy { (byte: UInt8) in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
      }
  }

  private static func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = HexDigits.byte(rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
