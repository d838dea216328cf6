// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

@testable import DocumentsPlugin
@testable import NBridgeSystem

/// The services of a program for its plugins, in a test.
final class DiskHost: AppHost {
  func requestExit(_ code: Int32) {}
  func lifecycle() -> AsyncStream<LifecycleState> { AsyncStream { $0.finish() } }
  var phase: LifecycleState { .active }
  func note(_ line: String) {}
  func logs(_ level: LogLevel) -> Bool { false }
  func log(_ record: LogRecord) {}
  func invoke(_ request: InvocationRequest) async throws -> Value { .null }
  func allows(_ permission: String) -> Bool { true }
  func holdsProgramFile(_ path: RealPath) -> Bool { false }
}

/// A container of one test, which goes with it.
final class InnerDisk: Sendable {
  let path = TemporaryFolder.make()
  let staging: Staging
  private let host = DiskHost()

  init() throws {
    staging = Staging(path)
    try FileManager.default.createDirectory(atPath: path + "/Documents", withIntermediateDirectories: true)
  }

  deinit { TemporaryFolder.remove(path) }

  var documents: String { path + "/Documents" }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: documents)) ?? []).sorted() }
  /// The files in the staging folders of all processes that use them.
  var staged: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: path + "/.staging"))?.filter { $0.contains("/") }
      ?? []
  }
  func text(_ name: String) -> String? {
    try? String(contentsOfFile: "\(documents)/\(name)", encoding: .utf8)
  }
  func put(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(documents)/\(name)"))
  }

  func place(_ name: String) throws -> FilePlace {
    FilePlace(
      folder: OpenFile(try Descriptor.open(documents, O_RDONLY), try FilePath(""), isRoot: true),
      name: Array(name.utf8),
      path: try FilePath(name))
  }

  var files: Files {
    Files(
      AppEnvironment(
        info: .init(id: "a", name: "a", version: "1", build: "1"), container: Container(path: path),
        bundle: nil, arguments: [],
        registeredDefaults: [:], shared: SharedFolders(below: path + "/shared"), schemes: [], host: host))
  }
}
