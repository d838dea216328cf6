// SPDX-License-Identifier: MIT

internal import NBridgeSoup

/// Why there is no more of an answer.
enum AnswerFault: Error {
  case failed(GLibFailure)
  /// It ends before its end.
  case cut
  /// Its chunks are none.
  case malformed
  /// The server breaks HTTP/2, or says that it can't go on; with what is wrong.
  case broken(String)
}
