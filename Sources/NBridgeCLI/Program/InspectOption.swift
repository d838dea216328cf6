// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgeInspector
internal import NBridgeScript
internal import NBridgeSystem

/// `--inspect` and `--inspect-brk`: let a debugger into a program.
enum InspectOption {
  static let specs = [
    OptionSpec(
      "inspect", value: "HOST:PORT", isValueOptional: true,
      "Lets a debugger in, at 127.0.0.1:9229 where nothing else is said."),
    OptionSpec(
      "inspect-brk", value: "HOST:PORT", isValueOptional: true,
      "The same; waits for it, and stops at the first line."),
  ]

  /// Listens before the program runs: better told now that a port is taken than when it is needed.
  static func read(_ arguments: ParsedArguments, _ options: inout RuntimeOptions, _ file: String) throws {
    guard let name = ["inspect-brk", "inspect"].first(where: arguments.has) else { return }
    for other in ["watch", "profile", "record", "replay"] where arguments.has(other) {
      throw UsageError("--\(name) and --\(other) can't go together")
    }
    let text = arguments.last(name) ?? ""
    guard let address = text.isEmpty ? InspectorAddress() : InspectorAddress(text) else {
      throw UsageError(
        "--\(name) takes an address that is a number, and a port, as 127.0.0.1:9229, not '\(text)'")
    }
    let isFile = file != "-"
    // What is not there is told at once, not to a debugger that may come.
    if isFile, RealPath(file) == nil { return }
    let inspector: Inspector
    do throws(SystemError) {
      inspector = try Inspector(
        address, title: file, file: isFile ? RealPath(file)?.text : nil, folder: ScriptFile.currentFolder,
        waits: name == "inspect-brk")
    } catch {
      throw UsageError("--\(name) can't listen at \(address.text): \(error.reason); another port may be free")
    }
    options.inspector = inspector
    // A debugger that waits is no program that stands still, and what loops can be looked at.
    options.patience = nil
    options.interruptsLoops = true
  }
}
