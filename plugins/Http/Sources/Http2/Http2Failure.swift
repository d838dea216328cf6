// SPDX-License-Identifier: MIT

/// Why a request by HTTP/2 has no answer.
enum Http2Failure: Error {
  /// Who has asked wants it no more.
  case cancelled
  /// The server wants HTTP/1.1 for it (RFC 9113, 7: HTTP_1_1_REQUIRED).
  case wantsOlder
  /// The server has done nothing with it, so that it may be sent again (RFC 9113, 8.7).
  case notTaken
  /// The connection has ended before its end.
  case cut
  /// The server has ended it alone, in the middle.
  case reset
  case fault(AnswerFault)

  /// As whoever reads the answer is told it.
  var answerFault: AnswerFault {
    switch self {
    case .cut, .reset: .cut
    case .fault(let fault): fault
    case .cancelled: .broken("the request was cancelled")
    case .wantsOlder: .broken("it wants HTTP/1.1 in the middle of a request")
    case .notTaken: .broken("it does not take the request, of which a part was sent")
    }
  }

  /// What a stream's end means that is not the answer's.
  ///
  /// - Parameter code: of RFC 9113, 7.
  init(code: UInt32) {
    switch code {
    case 0x7: self = .notTaken
    case 0xD: self = .wantsOlder
    // NO_ERROR, INTERNAL_ERROR and CANCEL: what there was of it is no whole answer.
    case 0x0, 0x2, 0x8: self = .reset
    default: self = .fault(.broken("it ends with error \(code) of HTTP/2 (RFC 9113, 7)"))
    }
  }
}
