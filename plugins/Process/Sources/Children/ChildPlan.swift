// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A child that may be started: checked, permitted, its folder open.
struct ChildPlan: Sendable {
  let program: GroupedChild.Program
  let options: StartOptions
  /// In milliseconds; nil for none.
  let timeLimit: Int?
  let outputLimit: Int
  let grace: Int

  /// What of an output is gathered by default, in bytes.
  private static let usualOutput = 64 << 20

  init(_ options: StartOptions, _ call: Call) throws {
    self.options = options
    timeLimit = try Self.number(options.timeLimit, "timeLimit", 1...1e12).map { Int($0.rounded(.up)) }
    outputLimit =
      try Self.number(options.outputLimit, "outputLimit", 0...1e15).map { Int($0) } ?? Self.usualOutput
    grace = try Self.number(options.grace, "grace", 0...60_000).map { Int($0) } ?? 1000
    let memory = try Self.number(options.memoryLimit, "memoryLimit", 1...1e15).map { UInt64($0) } ?? 0
    for argument in options.arguments where argument.utf8.contains(0) {
      throw BridgeError(.invalidParameter, "an argument holds a NUL character, which ends an argument")
    }
    let found = try ProgramPath(options.program, call)
    program = GroupedChild.Program(
      folder: found.folder, path: found.path,
      arguments: [PathText.encode(options.program)] + options.arguments.map(PathText.encode),
      environment: try ChildEnvironment.variables(options.environment, call),
      workingFolder: try options.workingFolder.map(Self.folder), memory: memory)
  }

  private static func number(
    _ value: Double?, _ name: String, _ range: ClosedRange<Double>
  ) throws -> Double? {
    guard let value else { return nil }
    guard range.contains(value) else {
      throw BridgeError(
        .invalidParameter, "option.\(name) must be from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }
    return value
  }

  private static func folder(_ text: String) throws -> Descriptor {
    let path = PathText.encode(text)
    guard path.first == UInt8(ascii: "/"), !path.contains(0) else {
      throw BridgeError(.invalidParameter, "option.cwd must be a whole path, as \"/home/ada\", not '\(text)'")
    }
    do throws(SystemError) {
      return try .open(path, in: AT_FDCWD, Int32(NB_O_PATH) | Int32(NB_O_DIRECTORY))
    } catch {
      let reason = SystemError.reason(of: error.code)
      throw BridgeError(.notFound, "option.cwd: no child can start in '\(text)': \(reason)")
    }
  }
}
