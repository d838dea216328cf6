// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PeersPlugin

/// Numbers for tests that try much: the same each time.
extension SeededRandom {
  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  mutating func chance(_ ofHundred: Int) -> Bool { number(0..<100) < ofHundred }

  mutating func octets() -> Octets32 { Octets32(bytes(32)) ?? Octets32() }

  mutating func id() -> PeerID { PeerID(high: next(), low: next()) }

  mutating func text(_ maxLength: Int) -> String {
    let letters = Array("abcXYZ 019-_.äöü漢字🦆")
    return String((0..<number(0..<(maxLength + 1))).map { _ in letters[number(0..<letters.count)] })
  }
}

/// A folder of one test, which goes with it.
final class OwnFolder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "nbridge-peers-\(UUID().uuidString)"
  ).path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// Waits until something holds: at most so long as no machine takes.
func eventually(
  _ seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) async rethrows {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if try holds() { return }
    try? await Task.sleep(for: .milliseconds(2))
  }
  #expect(try holds(), "it did not come about in \(seconds) seconds", sourceLocation: sourceLocation)
}

/// The end of something in time; nil when it takes longer than any machine would.
func within<R: Sendable>(seconds: Double = 60, _ body: @escaping @Sendable () async throws -> R) async
  -> Result<R, any Error>?
{
  await withTaskGroup(of: Result<R, any Error>?.self) { group in
    group.addTask {
      do { return .success(try await body()) } catch { return .failure(error) }
    }
    group.addTask {
      try? await Task.sleep(for: .seconds(seconds))
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
}
