// SPDX-License-Identifier: MIT

/// A viewer at work: the server, and what is told of it.
package struct LogSession {
  private let place: LogEndpoint
  private let archive: LogArchive
  let names: SourceNames

  package init(_ place: LogEndpoint, _ archive: LogArchive, _ names: SourceNames) {
    (self.place, self.archive, self.names) = (place, archive, names)
  }

  package var whereabouts: String {
    place.port > 0 ? "127.0.0.1:\(place.port) and \(place.socketPath)" : place.socketPath
  }

  package func start(
    tell: @escaping @Sendable ([LogBatch]) -> Void, fail: @escaping @Sendable (String) -> Void
  ) throws -> LogServer {
    let server = try LogServer(archive, place, tell: tell, fail: fail)
    server.start()
    return server
  }
}
