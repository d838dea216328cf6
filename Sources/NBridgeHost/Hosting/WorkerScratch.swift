// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What one worker thread keeps from job to job.
final class WorkerScratch {
  private let sink = WireSink()

  /// The one that a worker kept, or a new one for it to keep.
  static func kept(in place: inout AnyObject?) -> WorkerScratch {
    if let kept = place as? WorkerScratch { return kept }
    let made = WorkerScratch()
    place = made
    return made
  }

  /// Runs a detached action and makes its reply, all on the worker.
  func run(
    _ body: (WireInput, Call, WireSink) throws -> WireOutput, _ text: [UInt8], _ attachments: [Bytes],
    _ call: Call
  ) -> Result<Reply, any Error> {
    defer { sink.reset() }
    return text.withUnsafeBufferPointer { text in
      Result {
        try call.checkCancellation()
        return Reply(try body(WireInput(text: text, attachments: attachments), call, sink), sink)
      }
    }
  }
}
