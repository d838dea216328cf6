// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
package import NBridgePlugin
internal import NBridgeSystem

/// What was known when a recording began.
package struct RecordingHeader: Codable, Sendable {
  /// The version of nBridge that wrote it.
  package var nbridge: String
  /// What ran, as it stood on the command line.
  package var program: String
  /// When, in milliseconds since 1970.
  package var began: Double
  package var arguments: [String]
  package var services: [String]
  /// What `app.json` said for plugins, by service.
  package var settings: [String: Value]
  /// Of `Math.random`.
  package var seed: UInt32
  /// The time zone and language of the environment (``RecordedEnvironment``).
  package var environment: [String: String]
  /// Words in names of members that are secret.
  package var secretNames: [String]
  /// Whether the script was run as a classic one, by `--classic`.
  package var isClassic: Bool
  /// Whether the console wrote to the logger.
  package var logsConsole: Bool
  /// The services that `--mock` answered for.
  package var mocks: [String]

  package init(
    nbridge: String, program: String, began: Double, arguments: [String], services: [String],
    settings: [String: Value], seed: UInt32, environment: [String: String], secretNames: [String],
    isClassic: Bool, logsConsole: Bool, mocks: [String]
  ) {
    self.nbridge = nbridge
    self.program = program
    self.began = began
    self.arguments = arguments
    self.services = services
    self.settings = settings
    self.seed = seed
    self.environment = environment
    self.secretNames = secretNames
    self.isClassic = isClassic
    self.logsConsole = logsConsole
    self.mocks = mocks
  }

  /// Takes what is secret out of it.
  mutating func takeOut(_ secrets: SecretFilter) {
    arguments = secrets.filter(arguments: arguments)
    settings = secrets.filter(settings: settings)
  }
}

/// A recorded run: everything that crossed between a script and the world. `nbridge run --record` writes one,
/// `--replay` answers a script out of it without the plugins, `nbridge replay show` prints it.
///
/// The file is a line of text, `nbridge recording 1`, then frames: a length, a kind, a content
/// (`FrameBuffer`). It is written as the program runs, so that one that was killed leaves a recording up to
/// that moment.
public struct Recording: Sendable {
  /// The file's first line. The number is the format's version: another one can't be read.
  package static let mark = "nbridge recording 1\n"
  private static let markWithoutVersion = "nbridge recording "

  package let header: RecordingHeader
  package let bytes: Bytes
  /// Where the frames behind the header begin.
  package let start: Int

  /// Reads a file. Throws ``RecordingError`` for one that is no recording, is damaged at its start, or is of
  /// another version.
  public init(path: String) throws(RecordingError) {
    try self.init(Self.contents(path), name: path)
  }

  /// Reads what a file holds; `name` stands in errors.
  package init(_ bytes: Bytes, name: String) throws(RecordingError) {
    let mark = Array(Self.mark.utf8)
    guard bytes.starts(with: mark) else {
      if bytes.starts(with: Self.markWithoutVersion.utf8) {
        throw RecordingError(
          "'\(name)' is a recording of another version of nbridge; this one reads: \(Self.mark.dropLast())")
      }
      throw RecordingError("'\(name)' is no recording; nbridge run --record FILE makes one")
    }
    self.bytes = bytes
    var reader = FrameReader(bytes, from: mark.count)
    do {
      guard try reader.next() == .header else { throw reader.damage("it has no header") }
      let text = try reader.text()
      try reader.demandEnd()
      guard text.withUnsafeBufferPointer(UTF8Check.isValid) else {
        throw reader.damage("its header is no text")
      }
      header = try Value(text: text).decode(RecordingHeader.self)
    } catch let damage as RecordingDamage {
      throw RecordingError("'\(name)' is damaged at byte \(damage.offset): \(damage.reason)")
    } catch {
      throw RecordingError(
        "'\(name)' is damaged in its header: \((error as? BridgeError)?.message ?? "\(error)")")
    }
    start = reader.offset
  }

  private static func contents(_ path: String) throws(RecordingError) -> Bytes {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      throw RecordingError("can't open the recording '\(path)': \(SystemError.lastReason)")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RecordingError("the recording '\(path)' is no regular file")
    }
    return Bytes(frames(in: file))
  }

  /// The mark and the frames of a file. One that was killed leaves zeros behind them, and a file may say that
  /// it is larger than any memory: what is behind the first frame that is none is not read.
  private static func frames(in file: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var end = mark.utf8.count
    while true {
      // The length of the frame at `end`, or what there is of it.
      guard fill(&bytes, to: end + FrameReader.longestLength, from: file) || bytes.count > end else {
        return bytes
      }
      guard let frame = FrameReader.size(of: bytes, at: end) else { return bytes }
      guard fill(&bytes, to: end + frame, from: file) else { return bytes }
      end += frame
    }
  }

  private static let chunk = 1 << 20

  /// Reads on until there are so many bytes; false when there are not.
  private static func fill(_ bytes: inout [UInt8], to count: Int, from file: Int32) -> Bool {
    while bytes.count < count {
      let start = bytes.count
      bytes += [UInt8](unsafeUninitializedCapacity: chunk) { memory, count in
        var done = read(file, memory.baseAddress, chunk)
        while done < 0 && errno == EINTR { done = read(file, memory.baseAddress, chunk) }
        count = max(0, done)
      }
      if bytes.count == start { return false }
    }
    return true
  }

  /// Sets the environment so that dates and numbers are written as they were. Nothing else of it can be set
  /// by a recording.
  public func restoreEnvironment() { RecordedEnvironment.restore(header.environment) }

  /// The services that mocks answered for; they must be there again.
  public var mocks: [String] { header.mocks }
}

/// A recording that can't be used, or made.
public struct RecordingError: Error, CustomStringConvertible {
  /// What is wrong.
  public let description: String
  package init(_ description: String) { self.description = description }
}
