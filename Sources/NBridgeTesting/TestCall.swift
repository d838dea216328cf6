// SPDX-License-Identifier: MIT

internal import Glibc
public import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem
internal import Synchronization

/// A call for unit tests of handlers and of what they are made of: without an engine, a script or a runtime.
///
/// ```swift
/// let test = TestCall(service: "weather", permissions: ["weather.fetch:example.org"])
/// #expect(try Forecasts(test.call).fetch("example.org").days == 7)
/// ```
///
/// Its container is a folder that is taken away with it. Calls of other plugins reject, unless ``answer`` is
/// set. Any thread.
public final class TestCall: Sendable {
  /// What a handler is given.
  public let call: Call
  private let host: TestCallHost
  private let state: CallState
  private let told: ToldProgress
  private let folder: String

  /// What another plugin answers: its name, the action's, and the option.
  public typealias Answer = @Sendable (String, String, Value) throws -> Value

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - service: the plugin's name.
  ///   - permissions: what scripts may do, as in `app.json`; nil for all that has no scope.
  ///   - settings: what `app.json` says for the plugin; nil for nothing.
  ///   - timeout: how long the script waits; nil for as long as it takes.
  ///   - answer: answers the calls of other plugins; nil when there are none.
  public init(
    service: String = "test", permissions: [String]? = nil, settings: Value? = nil, timeout: Duration? = nil,
    answer: Answer? = nil
  ) {
    folder = TemporaryFolder.make()
    let container = Container(path: folder)
    for path in container.folders { mkdir(path, 0o700) }
    host = TestCallHost(permissions.map { PermissionSet($0) } ?? .everything, answer)
    told = ToldProgress()
    state = CallState(deadline: timeout.map { .now + $0 }, progress: told)
    let app = AppEnvironment(
      info: AppInfo(id: "org.example.test", name: "test", version: "1.0.0", build: "1"),
      container: container, bundle: nil, arguments: [], registeredDefaults: [:],
      shared: SharedFolders(below: folder + "/shared"), schemes: [], settings: settings, service: service,
      host: host)
    call = Call(app: app, state: state)
  }

  deinit { TemporaryFolder.remove(folder) }

  /// Cancels the call, as its script's signal or deadline does.
  public func cancel() { state.cancel() }

  /// What the handler told of its progress, in order.
  public var progress: [Value] { told.values.withLock(\.list) }

  /// What the plugin put on record, as `info: connected`, and wrote for the person who runs the program.
  public var log: [String] { host.lines.withLock(\.list) }
}

private struct Told<Element: Sendable>: Sendable { var list: [Element] = [] }

private final class ToldProgress: ProgressListener {
  let values = Mutex(Told<Value>())

  func tell(_ value: Value) { values.withLock { $0.list.append(value) } }
}

/// A program that is not there.
private final class TestCallHost: AppHost {
  let lines = Mutex(Told<String>())
  private let readers = LifecycleReaders()
  private let permissions: PermissionSet
  private let answer: TestCall.Answer?

  init(_ permissions: PermissionSet, _ answer: TestCall.Answer?) {
    (self.permissions, self.answer) = (permissions, answer)
  }

  func requestExit(_ code: Int32) { note("exit: \(code)") }
  func lifecycle() -> AsyncStream<LifecycleState> { readers.stream() }
  var phase: LifecycleState { readers.phase }
  func note(_ line: String) { lines.withLock { $0.list.append(line) } }
  func logs(_ level: LogLevel) -> Bool { true }
  func log(_ record: LogRecord) { note("\(record.level.rawValue): \(record.message)") }
  func allows(_ permission: String) -> Bool { permissions.allows(permission) }
  func forbidding(_ permission: String) -> String? { permissions.forbidding(permission) }
  func holdsProgramFile(_ path: RealPath) -> Bool { false }

  func invoke(_ request: InvocationRequest) async throws -> Value {
    if let denial = permissions.denial(of: "\(request.service).\(request.action)") { throw denial }
    guard let answer else {
      throw BridgeError(.invalidService, "there is no plugin for the service '\(request.service)'")
    }
    return try answer(request.service, request.action, request.option)
  }
}
