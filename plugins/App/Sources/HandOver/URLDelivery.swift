// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
public import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Hands a URL to the app that handles its scheme: over its socket when it runs, else it is started first.
public struct URLDelivery: Sendable {
  private let shared: SharedFolders
  private let source: URLSource

  /// What came of the delivery.
  public struct Outcome: Codable, Sendable {
    /// What the app answered; true for a program of the desktop, which answers nothing.
    public var handled: Bool
    /// The app's id; nil for a program of the desktop.
    public var app: String?
  }

  /// How long an app has to start and ask for URLs, and to answer, in milliseconds.
  public static let patience = 30_000
  /// The largest annotation that goes with a URL, in bytes.
  public static let largestAnnotation = 1 << 20

  /// - Parameters:
  ///   - id: the app that asks for it, as the receiving app will be told.
  ///   - name: the same for people.
  public init(_ shared: SharedFolders, from id: String, named name: String) {
    self.shared = shared
    source = URLSource(id: id, name: name)
  }

  /// Whether an app handles the URL's scheme.
  public func isHandled(_ url: String) throws -> Bool { try app(for: URLScheme.of(url)) != nil }

  /// Delivers a URL, once. Nil when no app handles its scheme. Blocks until the app has answered.
  ///
  /// - Throws: `permission_denied` for `file:`, `data:` and `javascript:`, `unavailable` when the app could
  ///   not be started or ended, `timeout`, `too_large`. No message holds more of the URL than its scheme.
  public func open(_ url: String, annotation: Value?, milliseconds: Int = patience) throws -> Outcome? {
    let scheme = try URLScheme.of(url)
    guard !URLScheme.refused.contains(scheme) else {
      throw BridgeError(.permissionDenied, "a '\(scheme):' URL is not opened for a script")
    }
    guard (annotation?.archived().count ?? 0) <= Self.largestAnnotation else {
      throw BridgeError(
        .tooLarge, "what goes with a URL may have \(Self.largestAnnotation) bytes; put more on a pasteboard")
    }
    guard let app = app(for: scheme) else { return nil }
    let message = URLMessage(url: url, source: source, annotation: annotation)
    let end = MonotonicTime.milliseconds + milliseconds
    if let handled = try send(message, to: app.id, until: end) {
      return Outcome(handled: handled, app: app.id)
    }
    guard let registered = app.registered else {
      throw BridgeError(
        .unavailable, "'\(app.id)' has ended, and is not registered so that it could be started")
    }
    let launch = try AppLaunch(registered, RunningApps(shared: shared))
    defer { launch.finish() }
    while MonotonicTime.milliseconds < end {
      if let handled = try send(message, to: app.id, until: end) {
        return Outcome(handled: handled, app: app.id)
      }
      try launch.wait(until: end)
    }
    throw BridgeError(
      .timeout,
      """
      '\(app.id)' was started but did not ask for URLs (app.onOpenURL) within \(Double(milliseconds) / 1000) s
      """
    )
  }

  private func app(for scheme: String) -> (id: String, registered: RegisteredApp?)? {
    if let found = AppRegistry(shared).app(for: scheme) { return (found.id, found) }
    return RunningApps(shared: shared).app(for: scheme).map { ($0.id, nil) }
  }

  /// Nil when no process of the app takes it. One that took it is the only one that gets it.
  private func send(_ message: URLMessage, to app: String, until end: Int) throws -> Bool? {
    let apps = RunningApps(shared: shared)
    for instance in apps.instances(of: app) {
      guard apps.isAlive(instance),
        let socket = try LocalSocket.connected(
          instance.name, in: instance.folder, milliseconds: max(1, end - MonotonicTime.milliseconds))
      else {
        if !apps.isAlive(instance) { apps.forget(instance) }
        if MonotonicTime.milliseconds >= end {
          throw BridgeError(.timeout, "'\(app)' did not take the URL in time")
        }
        continue
      }
      guard socket.send(try Value(encoding: message)) else {
        if MonotonicTime.milliseconds >= end {
          throw BridgeError(.timeout, "'\(app)' did not take the URL in time")
        }
        continue
      }
      guard let reply = socket.receive(milliseconds: end - MonotonicTime.milliseconds) else {
        let isLate = MonotonicTime.milliseconds >= end
        throw BridgeError(
          isLate ? .timeout : .unavailable,
          isLate ? "'\(app)' has the URL but did not answer in time" : "'\(app)' ended before it answered")
      }
      return try reply.decode(URLReply.self).handled
    }
    return nil
  }
}
