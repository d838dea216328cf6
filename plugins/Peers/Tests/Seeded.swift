// SPDX-License-Identifier: MIT

import Foundation
import NBridgeTesting
import TestSupport
import Testing

@testable import PeersPlugin

/// What frames are made of.
extension SeededGenerator {
  mutating func octets() -> Octets32 { Octets32(bytes(32)) ?? Octets32() }

  mutating func id() -> PeerID { PeerID(high: next(), low: next()) }

  mutating func text(_ maxLength: Int) -> String {
    text(of: "abcXYZ 019-_.äöü漢字🦆".map { String($0) }, count: 0...maxLength)
  }
}

/// A folder of one test, which goes with it.
final class OwnFolder {
  let path = TemporaryFolder.make()

  deinit { TemporaryFolder.remove(path) }

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
