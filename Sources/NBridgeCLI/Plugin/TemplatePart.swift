// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What a new plugin may have besides actions and a watch: `nbridge plugin new Weather --with handle`.
enum TemplatePart: String, CaseIterable {
  /// An object that scripts hold.
  case handle
  /// Streams and functions that scripts hand over.
  case stream
  /// JavaScript of the plugin's own.
  case script
  /// A target in C.
  case c

  /// Reads a list, as `handle`. Throws for what there is not.
  static func parse(_ lists: [String]) throws -> [TemplatePart] {
    try lists.flatMap { $0.split(separator: ",") }.map { name in
      guard let part = TemplatePart(rawValue: String(name)) else {
        let hint = NearestName.hint(for: String(name), among: allCases.map(\.rawValue))
        throw UsageError("a new plugin can't have '\(name)'\(hint)")
      }
      return part
    }
  }

  /// What stands in the plugin's `body`.
  var declarations: String {
    switch self {
    case .handle:
      """

            // An object that the script holds: `const tally = await nbridge.weather.tally(10)`.
            Immediate("tally", "Opens a tally.") { (options: Start, call) in
              call.hold(Tally(from: options.from ?? 0))
            }
            .positional("from")

            // What scripts can do with it, besides `close()`.
            Handles(Tally.self) {
              Immediate("add", "Adds, and answers the total.") { (tally: Tally, options: Count, _) in
                try tally.add(options.count)
              }
              .positional("count").errors(.tooLarge)

              Watch("totals", "The totals from now on.") { (tally: Tally, _) in tally.totals() }
            }

      """
    case .stream:
      """

            // Reads what the script gives, and no faster than it can use it; tells how far it is.
            Action("mean", "Tells the mean of readings.") { (options: Readings, call) async throws in
              var mean = Mean()
              for try await reading in options.readings {
                mean.add(reading.degrees)
                if mean.count.isMultiple(of: 100) { try await options.progress?(mean.count) }
              }
              return mean
            }
            .positional("readings")

            // A stream of bytes, on a thread that may wait for the script.
            Detached("longest", "Tells how long the longest line is, in bytes.") { (options: Chunks, call) in
              var lines = Lines()
              while let chunk = try options.chunks.nextBlocking() { lines.read(chunk) }
              return lines.longest
            }
            .positional("chunks")

      """
    case .script: ""
    case .c:
      """

            // In C: a target of the package.
            Detached("checksum", "The Adler-32 checksum of bytes.") { (options: Checked, call) in
              options.checksum
            }
            .positional("bytes")

      """
    }
  }

  /// Files beside the plugin's: their paths and texts.
  func files(_ name: String, _ service: String) -> [(path: String, text: String)] {
    let plugin = "Sources/\(name)Plugin"
    return switch self {
    case .handle: [("\(plugin)/Tally.swift", Self.tally)]
    case .stream: [("\(plugin)/Readings.swift", Self.readings)]
    case .script:
      [("\(plugin)/js/face.js", Self.face(service)), ("\(plugin)/js/members.d.ts", Self.members)]
    case .c:
      [
        ("\(plugin)/Checked.swift", Self.checked(name)),
        ("Sources/C\(name)/include/checksum.h", Self.header), ("Sources/C\(name)/checksum.c", Self.checksum),
      ]
    }
  }

  /// Lines of the demo.
  func demo(_ service: String) -> String {
    switch self {
    case .handle:
      """

      const tally = await \(service).tally(10), totals = tally.totals();
      console.log(await tally.add(5));
      console.log("total", (await totals.next()).value);
      await tally.close();

      """
    case .stream:
      """

      async function* readings() {
        for (let degrees = 1; degrees <= 200; degrees++) yield { place: "Bern", degrees };
      }
      const progress = (count) => console.log(count, "readings");
      console.log("mean", (await \(service).mean(readings(), { progress })).degrees);
      console.log("longest", await \(service).longest([new TextEncoder().encode("a\\nlong line\\n")]));

      """
    case .script:
      """

      console.log(await \(service).helloAll("Ada", "Bert"));

      """
    case .c:
      """

      console.log("checksum", await \(service).checksum(new TextEncoder().encode("Wikipedia")));

      """
    }
  }

  private static let readings = """
    import NBridgePlugin

    struct Readings: Codable {
      /// What the script gives: a ReadableStream, another iterable, an array.
      var readings: Incoming<Reading>
      /// Told how many have been read, if the script wants to know.
      var progress: Callback<Int, Void>?
    }

    struct Reading: Codable {
      var place: String
      var degrees: Double
    }

    struct Chunks: Codable { var chunks: Incoming<Bytes> }

    struct Mean: Codable {
      var degrees = 0.0
      var count = 0

      mutating func add(_ reading: Double) {
        count += 1
        degrees += (reading - degrees) / Double(count)
      }
    }

    struct Lines {
      private(set) var longest = 0
      private var current = 0

      mutating func read(_ chunk: Bytes) {
        for byte in chunk {
          current = byte == UInt8(ascii: "\\n") ? 0 : current + 1
          longest = max(longest, current)
        }
      }
    }

    """

  private static let tally = """
    import NBridgePlugin
    import Synchronization

    struct Start: Codable {
      /// What it begins with; 0 when not given.
      var from: Int?
    }

    struct Count: Codable { var count: Int }

    /// Counts: an object that a script holds. Its methods may run at once, so it guards what they share.
    final class Tally: HandleObject {
      static let handle = HandleType("tally", "Counts what it is given.")

      private struct State {
        var total: Int
        var readers: [AsyncStream<Int>.Continuation] = []
      }
      private let state: Mutex<State>

      init(from start: Int) { state = Mutex(State(total: start)) }

      func add(_ count: Int) throws -> Int {
        try state.withLock { state in
          let (total, isTooLarge) = state.total.addingReportingOverflow(count)
          guard !isTooLarge, total.magnitude <= 1 << 53 else {
            throw BridgeError(.tooLarge, "the total is past 2^53")
          }
          state.total = total
          for reader in state.readers { reader.yield(total) }
          return total
        }
      }

      func totals() -> AsyncStream<Int> {
        AsyncStream { continuation in state.withLock { $0.readers.append(continuation) } }
      }

      /// Called once, and never while a method runs: by the script's `close()`, when nobody has the tally any
      /// more, or at the end of the program.
      func close() {
        for reader in state.withLock({ $0.readers }) { reader.finish() }
      }
    }

    """
}
