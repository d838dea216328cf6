// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// How a child is started. The plugin's own script makes this of what scripts say.
struct StartOptions: Codable, Sendable {
  /// What becomes of an output.
  enum Output: String, Codable, CaseIterable, Sendable {
    /// It is gathered until the child has ended.
    case collect
    /// The script reads it meanwhile.
    case stream
    /// It goes where this program's own goes.
    case inherit
    /// It is dropped.
    case discard
  }

  var program: String
  var arguments: [String]
  var workingFolder: String?
  var environment: [String: String]?
  /// Whether the script writes to its stdin; else it is at its end.
  var writes: Bool
  /// Whether its stdin is the program's own.
  var inherits: Bool?
  var output: Output
  var errors: Output
  /// How many milliseconds it may run.
  var timeLimit: Double?
  /// How many bytes of each output are gathered.
  var outputLimit: Double?
  /// How much memory it may have, in bytes.
  var memoryLimit: Double?
  /// How many milliseconds it has between SIGTERM and SIGKILL.
  var grace: Double?
}

/// A child that runs.
struct StartedChild: Codable, Sendable {
  var child: Handle<RunningChild>
  var pid: Int
}

struct ResultOptions: Codable, Sendable {
  /// Whether what was gathered is wanted as text.
  var text: Bool?
}

struct KillOptions: Codable, Sendable {
  var signal: String
}

struct InputOptions: Codable, Sendable {
  var text: String?
  var content: Bytes?

  var bytes: Bytes { content ?? Bytes(Array((text ?? "").utf8)) }
}

/// How a child ended.
struct ChildResult: Codable, Sendable {
  /// Its status; nil when a signal ended it.
  var status: Int?
  /// The signal that ended it, as `SIGKILL`; nil when it ended by itself.
  var signal: String?
  /// What was gathered; nil of an output that was not.
  var output: TakenWhole
  var errors: TakenWhole
}
