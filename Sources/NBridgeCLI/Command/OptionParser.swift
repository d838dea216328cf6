// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePlugin

/// One option of a command: `--name`, or `--name VALUE` when it has a value's name.
struct OptionSpec: Sendable {
  let name: String
  let short: Character?
  let value: String?
  /// Whether it may stand without its value, which then follows a `=` only.
  let isValueOptional: Bool
  let help: String
  /// What a process of ours is given, and no person.
  let isInternal: Bool

  init(
    _ name: String, short: Character? = nil, value: String? = nil, isValueOptional: Bool = false,
    isInternal: Bool = false, _ help: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.isValueOptional = isValueOptional
    self.help = help
    self.isInternal = isInternal
  }

  /// As help shows it: `--name VALUE`.
  var shown: String { "--\(name)" + (value.map { isValueOptional ? "[=\($0)]" : " \($0)" } ?? "") }
}

/// What stood on a command line.
struct ParsedArguments {
  private(set) var values: [String: [String]] = [:]
  /// What is no option, in order.
  private(set) var operands: [String] = []

  func has(_ name: String) -> Bool { values[name] != nil }
  func last(_ name: String) -> String? { values[name]?.last }
  /// A number of 0 or more.
  func number(_ name: String) throws(UsageError) -> Double? {
    guard let text = last(name) else { return nil }
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw UsageError("--\(name) must be a number of 0 or more, not '\(text)'")
    }
    return number
  }
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// Parses by the habits of GNU getopt_long: `--name value`, `--name=value`, `-nvalue`, `--` ends the
  /// options.
  ///
  /// - Parameter end: behind how many operands the rest are operands, too, as what stands behind a script is
  ///   its own; nil for never.
  init(_ arguments: [String], options: [OptionSpec], optionsEndBehind end: Int? = nil) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        if operands.count == end {
          operands += rest.first == "--" ? rest.dropFirst() : rest
          return
        }
        continue
      }
      try take(argument, &rest, options)
    }
  }

  private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>, _ options: [OptionSpec])
    throws(UsageError)
  {
    let isLong = argument.hasPrefix("--")
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    let name = isLong ? String(parts[0].dropFirst(2)) : String(argument.dropFirst().prefix(1))
    guard let spec = options.first(where: { isLong ? $0.name == name : $0.short.map(String.init) == name })
    else {
      // Not its value: that may be a secret, and is nothing like an option's name.
      throw UsageError(unknown: isLong ? parts[0] : argument, among: options)
    }
    var value = isLong ? (parts.count > 1 ? parts[1] : nil) : String(argument.dropFirst(2))
    if !isLong, value?.isEmpty == true { value = nil }
    guard let valueName = spec.value else {
      if value != nil { throw UsageError("--\(spec.name) takes no value") }
      values[spec.name, default: []].append("")
      return
    }
    guard !spec.isValueOptional || value != nil else { return values[spec.name, default: []].append("") }
    guard let given = value ?? rest.popFirst() else {
      throw UsageError("--\(spec.name) needs a value: --\(spec.name) \(valueName)")
    }
    values[spec.name, default: []].append(given)
  }
}

/// A command line that can't be understood.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// What other runtimes call an option.
  private static let elsewhere = [
    "-t": "--filter", "--grep": "--filter", "--name": "--filter", "--test-name-pattern": "--filter",
    "--testNamePattern": "--filter", "-w": "--watch", "-u": "--update", "--update-snapshots": "--update",
    "--allow-all": "--permissions", "-A": "--permissions", "--allow-read": "--permissions",
    "--cpu-prof": "--profile", "--experimental-test-coverage": "--coverage",
  ]

  init(unknown argument: String, among options: [OptionSpec]) {
    let names = options.map { "--\($0.name)" }
    let other = Self.elsewhere[argument].flatMap { names.contains($0) ? $0 : nil }
    let near = other ?? NearestName.of(argument, among: names)
    self.init("unknown option '\(argument)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
  }
}
