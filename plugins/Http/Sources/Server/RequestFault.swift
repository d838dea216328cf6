// SPDX-License-Identifier: MIT

/// What a client has sent that is no request, or none that is taken; its connection ends with the answer.
enum RequestFault: Error, Equatable {
  /// It can be read in several ways, or in none.
  case malformed
  /// The head is too long.
  case longHead
  /// It asks for a tunnel.
  case noTunnels
  /// It asks about the server as a whole (RFC 9112, 3.2.4).
  case noPlace
  /// libsoup has not read a request as it was given it: nothing is said of that.
  case misread

  /// The status line's end.
  var status: String? {
    switch self {
    case .malformed: "400 Bad Request"
    case .longHead: "431 Request Header Fields Too Large"
    case .noTunnels: "501 Not Implemented"
    case .noPlace: "404 Not Found"
    case .misread: nil
    }
  }
}
