// SPDX-License-Identifier: MIT

internal import NBridgeTesting
public import Testing

/// Runs each test of a suite twice: with its plugins linked in, and behind the table of loaded ones.
public struct BothWays: SuiteTrait, TestTrait, TestScoping {
  /// Suites pass it on to their tests.
  public var isRecursive: Bool { true }

  /// Runs the test once for each way.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for way in PluginWay.allCases {
      try await ScriptHarness.$way.withValue(way) { try await function() }
    }
  }
}

extension Trait where Self == BothWays {
  /// Runs each test with linked and with loaded plugins.
  public static var bothWays: BothWays { BothWays() }
}
