// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

@testable import NBridgePlugin
@testable import NBridgeSystem

/// A host that keeps what it is told and answers what the test says.
final class RecordingHost: AppHost {
  private struct State {
    var exits: [Int32] = []
    var notes: [String] = []
    var records: [LogRecord] = []
    var requests: [InvocationRequest] = []
    var answer = Value.undefined
    var least = LogLevel.trace
    var files: Set<RealPath> = []
  }
  private let state = Mutex<State>(State())
  let readers = LifecycleReaders()

  var exits: [Int32] { state.withLock(\.exits) }
  var notes: [String] { state.withLock(\.notes) }
  var records: [LogRecord] { state.withLock(\.records) }
  var requests: [InvocationRequest] { state.withLock(\.requests) }
  var answer: Value {
    get { state.withLock(\.answer) }
    set { state.withLock { $0.answer = newValue } }
  }
  var least: LogLevel {
    get { state.withLock(\.least) }
    set { state.withLock { $0.least = newValue } }
  }
  var files: Set<RealPath> {
    get { state.withLock(\.files) }
    set { state.withLock { $0.files = newValue } }
  }

  func requestExit(_ code: Int32) { state.withLock { $0.exits.append(code) } }
  func lifecycle() -> AsyncStream<LifecycleState> { readers.stream() }
  var phase: LifecycleState { readers.phase }
  func note(_ line: String) { state.withLock { $0.notes.append(line) } }
  func logs(_ level: LogLevel) -> Bool { level >= least }
  func log(_ record: LogRecord) { state.withLock { $0.records.append(record) } }
  func invoke(_ request: InvocationRequest) async throws -> Value {
    state.withLock { $0.requests.append(request) }
    return answer
  }
  func allows(_ permission: String) -> Bool { permission == "yes" }
  func holdsProgramFile(_ path: RealPath) -> Bool { state.withLock { $0.files.contains(path) } }
}

extension AppEnvironment {
  /// The environment of a program that is not there.
  static func testing(
    service: String = "", container: String = "/nowhere/container", bundle: String? = nil,
    resources: [String]? = nil,
    shared: SharedFolders = SharedFolders(below: "/nowhere/shared"), host: any AppHost = RecordingHost()
  ) -> AppEnvironment {
    AppEnvironment(
      info: AppInfo(id: "org.example.test", name: "Test", version: "1.0.0", build: "1"),
      container: Container(path: container), bundle: bundle,
      resources: resources, arguments: ["a", "b"], registeredDefaults: ["k": .null], shared: shared,
      schemes: ["test"], service: service, host: host)
  }
}

/// A folder of a test's own.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    path = base + "/nbridge-units-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    chmod(path, 0o700)
    for name in all { chmod("\(path)/\(name)", 0o700) }
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a file, and the folders that lead to it; answers its path.
  @discardableResult
  func make(_ name: String, _ content: String = "") throws -> String {
    let file = file(name)
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(content.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  @discardableResult
  func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    return file(name)
  }

  func mode(_ name: String) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: file(name)))?[.posixPermissions] as? Int) ?? -1
  }
}
