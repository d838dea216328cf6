// SPDX-License-Identifier: MIT

/// Replies go out.
extension CallSession {
  func watchHasEvents(_ record: CallRecord) {
    dirtyWatches.append(record)
    wantFlush()
  }

  package func send(_ slot: Int, _ reply: Reply) {
    host.progress &+= 1
    outbox.append((slot, reply))
    wantFlush()
  }

  private func wantFlush() {
    loop.wantsRound = true
    if !isQueued { queue() }
  }

  package func queue() {
    isQueued = true
    onReplies()
  }

  /// Hands everything that waits to the client. Runs once per round of the loop.
  package func flush() {
    if isClosed { return }
    guard let client, client.takesReplies else {
      // A script that is being stopped takes them soon; another client says when it does.
      if holdsProgram, hasReplies { loop.wantsRound = true }
      return
    }
    if !hasReplies {
      calls.retiredLeave()
      return calls.reuseLeft()
    }
    var isFirst = true
    while hasReplies {
      // What the client did with the last ones may have been answered meanwhile, and so on for ever: timers
      // have their turn.
      if !isFirst, loop.lateness.isOver { return loop.wantsRound = true }
      isFirst = false
      if !dirtyWatches.isEmpty { collectEvents() }
      var replies: [SlotReply] = []
      swap(&replies, &outbox)
      calls.retiredLeave()
      tap?.delivers(replies)
      client.deliver(&replies)
      // The memory is kept for the next round, unless it is much or replies have come meanwhile.
      if outbox.isEmpty, replies.count <= 4096 {
        replies.removeAll(keepingCapacity: true)
        swap(&replies, &outbox)
      }
    }
  }

  /// The last replies of a hand-over are on their way to the client: their slots can be used again.
  package func reuseSlots() { calls.reuseLeft() }

  private func collectEvents() {
    let watches = dirtyWatches
    dirtyWatches = []
    for record in watches where record.life.isRunning { record.watch?.flush(record, self) }
  }
}
