// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Tells the input of a message's connection where the head of its answer begins and ends. Confined to the
/// engine's thread.
final class HeadWatch: @unchecked Sendable {  // see above
  private let soup: LibSoup
  private let inputs: ServerInputs
  private let sender: OpaquePointer
  private let isEncrypted: Bool
  /// Of a connection that was made for it, until that is used.
  private weak var made: ServerInput?
  private weak var input: ServerInput?

  /// - Parameter sender: libsoup's session, which the message keeps.
  init(_ session: HttpSession, _ sender: OpaquePointer, isEncrypted: Bool) {
    (soup, inputs, self.sender, self.isEncrypted) = (session.soup, session.inputs, sender, isEncrypted)
  }

  /// The message keeps this until it goes.
  func watch(_ message: OpaquePointer) {
    MadeConnection(isEncrypted: isEncrypted) { [weak self] in self?.attach($0) }.watch(message)
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let start: Handler = { message, data in
      if let message { GLibSignal.listener(data, as: HeadWatch.self)?.begin(message) }
    }
    let answered: Handler = { _, data in GLibSignal.listener(data, as: HeadWatch.self)?.input?.endHead() }
    GLibSignal.connect(message, "starting", start, keeping: self)
    GLibSignal.connect(message, "got-headers", answered, keeping: self)
  }

  private func attach(_ connection: UnsafeMutablePointer<GIOStream>) {
    guard let stream = g_io_stream_get_input_stream(connection) else { return }
    made = ServerInput.before(UnsafeMutableRawPointer(stream))
  }

  private func begin(_ message: OpaquePointer) {
    let connection = ServerInputs.Connection(session: sender, number: soup.connection(message))
    if let made { inputs.note(made, of: connection) }
    made = nil
    input = inputs.input(of: connection)
    input?.beginHead()
  }
}
