// SPDX-License-Identifier: MIT

/// Questions to one esbuild: while it waits for our answers, it can be asked for something else.
final class EsbuildSession {
  private let process: EsbuildProcess
  private var nextID: UInt32 = 0
  /// What came while an answer was waited for.
  private var waiting: [EsbuildPacket] = []

  /// Begins the process that the next session will talk to, so that it is there when it is needed.
  static func prepare() { EsbuildProcess.beginSpare() }

  init() throws(BundleError) { process = try EsbuildProcess.start() }

  /// Sends a question, and answers its number.
  @discardableResult func ask(_ value: EsbuildValue) throws(BundleError) -> UInt32 {
    defer { nextID += 1 }
    try process.send(EsbuildPacket(id: nextID, isRequest: true, value: value))
    return nextID
  }

  func answer(_ packet: EsbuildPacket, _ value: EsbuildValue) throws(BundleError) {
    try process.send(EsbuildPacket(id: packet.id, isRequest: false, value: value))
  }

  /// Waits for what comes next.
  func receive() throws(BundleError) -> EsbuildPacket {
    if !waiting.isEmpty { return waiting.removeFirst() }
    return try process.receive()
  }

  /// Takes types and JSX off a text. Its settings are the project's.
  func transform(_ text: String, loader: String, file: String, settings: String?) throws(BundleError)
    -> EsbuildValue
  {
    var flags = [
      "--loader=\(loader)", "--target=es2022", "--charset=utf8", "--sourcemap=external",
      "--sources-content=false",
      "--sourcefile=\(file)", "--log-level=silent", "--log-limit=0",
    ]
    if let settings { flags.append("--tsconfig-raw=\(settings)") }
    let id = try ask(
      .object([
        "command": .string("transform"), "flags": .array(flags.map { .string($0) }), "inputFS": .bool(false),
        "input": .bytes(Array(text.utf8)),
      ]))
    while true {
      let packet = try process.receive()
      if !packet.isRequest, packet.id == id { return packet.value }
      waiting.append(packet)
    }
  }
}
