// SPDX-License-Identifier: MIT

internal import Foundation
internal import NBridgeTesting
public import Testing

/// Runs each test of a suite once for each way in which its plugins may come into the program: linked in,
/// behind the table of loaded ones, and behind the messages of isolated ones.
public struct BothWays: SuiteTrait, TestTrait, TestScoping {
  /// Whether isolated plugins are among them also where the environment does not ask.
  let isolates: Bool

  /// Suites pass it on to their tests.
  public var isRecursive: Bool { true }

  /// Runs the test once for each way.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for way in PluginWay.allCases where way != .isolated || Self.asked ?? isolates {
      try await ScriptHarness.$way.withValue(way) { try await function() }
    }
  }

  /// `make soak` asks for all. Among all tests at once a machine is too busy: what takes a moment in this
  /// process takes seconds in two.
  private static let asked = ProcessInfo.processInfo.environment["NBRIDGE_ISOLATED"].map { $0 == "1" }
}

extension Trait where Self == BothWays {
  /// Runs each test with linked and with loaded plugins; with isolated ones, too, where `NBRIDGE_ISOLATED=1`.
  public static var bothWays: BothWays { BothWays(isolates: false) }
  /// Runs each test with linked, loaded and isolated plugins.
  public static var allWays: BothWays { BothWays(isolates: true) }
}

/// Leaves a test out where answers come later than the call: it is about those that are there at once, or
/// about the order of what two plugins do, which two processes don't keep.
public struct InThisProcess: TestTrait, TestScoping {
  /// Runs the test unless its plugins are isolated.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if testCase == nil || ScriptHarness.way != .isolated { try await function() }
  }
}

extension Trait where Self == InThisProcess {
  /// Runs a test with plugins in this process only.
  public static var inThisProcess: InThisProcess { InThisProcess() }
}
