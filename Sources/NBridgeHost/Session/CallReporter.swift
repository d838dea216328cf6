// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// What `--trace`, `--trace-file` and `--audit` show: names, kinds, times and outcomes, never values.
package final class CallReporter: CallObserver {
  private let tracing: Tracing
  /// Whether each call is printed on stderr.
  package var printsCalls: Bool
  private let output: any ScriptOutput
  private let file: Int32?
  /// Whether that file is a terminal, where a person may be asked.
  private let isTerminal: Bool
  private var needed: Set<String> = []

  package init(_ tracing: Tracing, output: any ScriptOutput) {
    self.tracing = tracing
    self.output = output
    printsCalls = tracing.toStandardError
    file = tracing.file.flatMap { path in
      let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      if descriptor < 0 {
        output.writeError("nbridge: can't write the trace file '\(path)': \(SystemError.lastReason)\n")
      }
      return descriptor < 0 ? nil : descriptor
    }
    isTerminal = file.map { isatty($0) == 1 } ?? false
  }

  deinit { if let file { close(file) } }

  package var isEmpty: Bool { !printsCalls && !tracing.audits && file == nil }

  package func received(_ action: BoundAction) {
    if ServerScope.isAskedByAddress(action.permission) { return }
    if action.declaration.handle?.closes != true { needed.insert(action.permission) }
  }

  /// Something else needed a permission: a module from outside of the app.
  package func needs(_ permission: String) { needed.insert(permission) }

  package func settled(_ call: CallObservation) {
    let outcome = call.failed ? call.code.map { "failed (\($0))" } ?? "failed" : "ok"
    if printsCalls {
      output.writeError(
        "trace: \(call.service).\(call.action) \(call.kind) \(outcome) "
          + "\(Self.milliseconds(call.microseconds)) ms"
          + (call.caller.map { ", by the plugin '\($0)'\n" } ?? "\n"))
    }
    guard let file else { return }
    guard var line = try? Value(encoding: call.line).text else { return }
    line.append(0x0A)
    guard isTerminal else {
      _ = write(file, line, line.count)
      return
    }
    OutputGate.process.passOrHold { [line] in _ = write(file, line, line.count) }
  }

  /// The permission list that this run needed, as it stands in `app.json`.
  package func finish() {
    guard tracing.audits else { return }
    // One with a scope is one without, too.
    let scoped = Set(needed.compactMap { name in name.firstIndex(of: ":").map { String(name[..<$0]) } })
    let list = needed.subtracting(scoped).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    output.writeError("\"permissions\": [\(list)]\n")
  }

  package static func milliseconds(_ microseconds: Int) -> String {
    let fraction = String(1000 + microseconds % 1000).dropFirst()
    return "\(microseconds / 1000).\(fraction)"
  }
}

extension CallObservation {
  struct Line: Codable {
    let service, action, kind, outcome: String
    let code: String?
    let microseconds: Int
    let caller: String?
  }

  var line: Line {
    Line(
      service: service, action: action, kind: kind, outcome: failed ? "failed" : "ok", code: code,
      microseconds: microseconds, caller: caller)
  }
}
