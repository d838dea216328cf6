// SPDX-License-Identifier: MIT

/// A plugin's way into the program's log, under its service name. Good on any thread; returns at once.
///
/// ```swift
/// call.logger.info("connected", ["host": host, "port": port])
/// ```
public struct PluginLogger: Sendable {
  /// What fields hold: anything that is written as JSON.
  public typealias Fields = KeyValuePairs<String, any Encodable & Sendable>

  private let host: any AppHost
  private let service: String

  package init(_ host: any AppHost, _ service: String) { (self.host, self.service) = (host, service) }

  /// Each step, for a developer who looks for one fault.
  public func trace(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.trace, message(), fields(), file, line) }
  /// What helps developers.
  public func debug(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.debug, message(), fields(), file, line) }
  /// What happens in the normal course.
  public func info(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.info, message(), fields(), file, line) }
  /// Normal, but worth being seen.
  public func notice(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.notice, message(), fields(), file, line) }
  /// Something that may become an error.
  public func warning(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.warning, message(), fields(), file, line) }
  /// Something failed, the program goes on.
  public func error(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.error, message(), fields(), file, line) }
  /// The program can't go on, or data is at risk.
  public func critical(
    _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:],
    file: StaticString = #fileID,
    line: UInt = #line
  ) { log(.critical, message(), fields(), file, line) }

  private func log(
    _ level: LogLevel, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields,
    _ file: StaticString, _ line: UInt
  ) {
    guard host.logs(level) else { return }
    host.log(
      LogRecord(
        level: level, service: service, message: message(), fields: Self.text(of: fields()),
        place: "\(file):\(line)"
      ))
  }

  /// The fields as a JSON object; what can't be written says so in its place.
  private static func text(of fields: Fields) -> [UInt8] {
    guard !fields.isEmpty else { return [] }
    var text = [UInt8(ascii: "{")]
    for (key, value) in fields {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text += (try? Value(encoding: key).text) ?? []
      text.append(UInt8(ascii: ":"))
      do { text += try Value(encoding: value).text } catch { text += Array("\"(can't be written)\"".utf8) }
    }
    text.append(UInt8(ascii: "}"))
    return text
  }
}
