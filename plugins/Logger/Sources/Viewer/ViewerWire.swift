// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What programs and the viewer say to each other: lines of JSON. A program greets, the viewer says with
/// which record it goes on (`next`), records follow, and now and then `next` tells that all before it are
/// kept. `end` is a program that ended in order.
package enum ViewerWire {
  /// The viewer's socket in the folder of sockets.
  package static let socketName = "logs.sock"
  package static let version = 1
  /// The port on which the first viewer listened (2022).
  package static let port: UInt16 = 2532

  /// The first line of a program, and of a file of records that wait for a viewer.
  package struct Hello: Codable, Sendable {
    package var nbridgeLog: Int
    /// Unique to a run of a program.
    package var source: String
    package var app: String
    package var pid: Int

    package init(source: String, app: String, pid: Int) {
      (nbridgeLog, self.source, self.app, self.pid) = (ViewerWire.version, source, app, pid)
    }
  }

  package static let helloStart = Array("{\"nbridgeLog\":".utf8)
  package static let recordStart = Array("{\"seq\":".utf8)
  package static let end = Array("{\"end\":true}\n".utf8)
  /// Said for a program that ended without a word, by the program that found its records.
  package static let lost = Array("{\"lost\":true}\n".utf8)

  package static func next(_ number: Int) -> [UInt8] { Array("{\"next\":\(number)}\n".utf8) }

  /// The number in `{"next":N}`; nil for another line.
  package static func next(in line: UnsafeBufferPointer<UInt8>) -> Int? { number(line, after: "{\"next\":") }

  /// The number that a record begins with.
  package static func record(in line: UnsafeBufferPointer<UInt8>) -> Int? { number(line, after: "{\"seq\":") }

  private static func number(_ line: UnsafeBufferPointer<UInt8>, after start: StaticString) -> Int? {
    let length = start.utf8CodeUnitCount
    guard line.count > length else { return nil }
    for index in 0..<length where line[index] != start.utf8Start[index] { return nil }
    var number = 0, at = length
    while at < line.count, 0x30...0x39 ~= line[at], at < length + 18 {
      number = number * 10 + Int(line[at] - 0x30)
      at += 1
    }
    return at > length ? number : nil
  }
}
