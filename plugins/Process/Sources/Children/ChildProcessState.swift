// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The running process of a child: its pipes and its times. Of the thread of children alone.
final class ChildProcessState {
  private let process: GroupedChild
  private unowned let child: RunningChild
  private var input: Descriptor?
  private var output: Descriptor?
  private var errors: Descriptor?
  /// When it is ended for its time, and when it is killed, in milliseconds of ``MonotonicTime``.
  private var timeLimit: Int?
  private var killing: Int?
  private var hasEnded = false
  /// Until when outputs are waited for that a program holds open which has left the group.
  private var patience: Int?

  /// Whether the outputs are among what is waited for: one that a reader has no room for is not.
  private var isWaitedFor = (output: false, errors: false)

  private static let patienceAfterEnd = 200

  init(_ process: GroupedChild, _ child: RunningChild, _ pipes: ChildPipes) {
    (self.process, self.child) = (process, child)
    (input, output, errors) = (pipes.input?.writing, pipes.output?.reading, pipes.errors?.reading)
    if output == nil { child.output.end() }
    if errors == nil { child.errors.end() }
    timeLimit = child.plan.timeLimit.map { MonotonicTime.milliseconds + $0 }
    [input, output, errors].forEach { $0?.neverWait() }
  }

  /// Whether nothing is left to be done for it.
  var isOver: Bool { hasEnded && output == nil && errors == nil }

  // MARK: - Waiting

  /// What is waited for: four entries, -1 for what is not.
  var files: [(number: Int32, events: Poller.Readiness)] {
    if input != nil, child.input.isDone { input = nil }
    // Who writes there hears it with its next write (SIGPIPE).
    if output != nil, child.output.isClosed { output = nil }
    if errors != nil, child.errors.isClosed { errors = nil }
    isWaitedFor = (child.output.room > 0, child.errors.room > 0)
    return [
      (hasEnded ? -1 : process.ended.number, .readable),
      (child.input.hasBytes ? input?.number ?? -1 : -1, .writable),
      (isWaitedFor.output ? output?.number ?? -1 : -1, .readable),
      (isWaitedFor.errors ? errors?.number ?? -1 : -1, .readable),
    ]
  }

  /// When it is to be looked at without anything having happened.
  var due: Int? { [timeLimit, killing, patience].compactMap(\.self).min() }

  func attend(_ ready: ArraySlice<Poller.Readiness>) {
    let at = ready.startIndex
    if !ready[at + 1].isEmpty, let input { child.input.write(to: input.number) }
    // Before the end is taken: what is in the pipes then is all there is of a group that was killed.
    if !ready[at + 2].isEmpty { output = read(output, child.output, child.plan.options.output) }
    if !ready[at + 3].isEmpty { errors = read(errors, child.errors, child.plan.options.errors) }
    if !ready[at].isEmpty { takeEnd() }
    heedTimes(ready)
    if isOver { child.finished.happen() }
  }

  private func read(_ file: Descriptor?, _ source: ByteSource, _ use: StartOptions.Output) -> Descriptor? {
    guard let file else { return nil }
    let room = source.room
    let isOpen = withUnsafeTemporaryAllocation(byteCount: max(1, room), alignment: 16) { memory in
      let count = Glibc.read(file.number, memory.baseAddress, room)
      if count > 0 { source.append(UnsafeRawBufferPointer(rebasing: memory[0..<count])) }
      return count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) || room == 0
    }
    if use == .collect, source.count > child.plan.outputLimit {
      if child.note(.outputLimit) { process.signal(SIGKILL) }
      source.end()
      return nil
    }
    if isOpen { return file }
    source.end()
    return nil
  }

  private func takeEnd() {
    guard let ending = process.reap() else { return }
    hasEnded = true
    (timeLimit, killing) = (nil, nil)
    patience = MonotonicTime.milliseconds + Self.patienceAfterEnd
    input = nil
    child.input.end()
    child.end(ending)
    if child.plan.options.output != .collect, child.plan.options.errors != .collect {
      child.finished.happen()
    }
  }

  // MARK: - Ending

  /// Asks the group to end, and kills it when it has not in time.
  func stop(_ reason: RunningChild.Stop) {
    guard !hasEnded, child.note(reason) else { return }
    timeLimit = nil
    signal(SIGTERM)
    // One that stands still can't end.
    signal(SIGCONT)
    killing = MonotonicTime.milliseconds + child.plan.grace
  }

  func signal(_ number: Int32) { if !hasEnded { process.signal(number) } }

  /// At the program's end: it has so long, whatever its own grace is.
  func hurry(_ milliseconds: Int) {
    if !hasEnded { killing = min(killing ?? .max, MonotonicTime.milliseconds + milliseconds) }
  }

  private func heedTimes(_ ready: ArraySlice<Poller.Readiness>) {
    let now = MonotonicTime.milliseconds
    if let limit = timeLimit, limit <= now { stop(.timeLimit) }
    if let time = killing, time <= now {
      killing = nil
      signal(SIGKILL)
    }
    guard let time = patience, hasEnded else { return }
    if ready.dropFirst(2).contains(where: { !$0.isEmpty }) {
      patience = now + Self.patienceAfterEnd
    } else if time <= now {
      patience = nil
      letGo()
    }
  }

  /// What holds the pipes open is no child any more. What a reader of the script's has not taken yet stays:
  /// there may be room for it only since the last wait, which then says nothing of what the pipe holds.
  private func letGo() {
    if isWaitedFor.output { (output, _) = (nil, child.output.end()) }
    if isWaitedFor.errors { (errors, _) = (nil, child.errors.end()) }
    if output != nil || errors != nil { patience = MonotonicTime.milliseconds + Self.patienceAfterEnd }
  }
}

/// The pipes of a child that is being started; nil where it gets none.
struct ChildPipes {
  var input: PipeEnds?
  var output: PipeEnds?
  var errors: PipeEnds?
  /// What the child gets.
  var ends: (Descriptor, Descriptor, Descriptor)

  init(_ options: StartOptions) throws(SystemError) {
    input = options.writes ? try PipeEnds() : nil
    output = options.output.isRead ? try PipeEnds() : nil
    errors = options.errors.isRead ? try PipeEnds() : nil
    ends = (
      try Self.end(input?.reading, options.inherits == true ? .inherit : .discard, STDIN_FILENO),
      try Self.end(output?.writing, options.output, STDOUT_FILENO),
      try Self.end(errors?.writing, options.errors, STDERR_FILENO)
    )
  }

  private static func end(
    _ pipe: Descriptor?, _ use: StartOptions.Output, _ own: Int32
  ) throws(SystemError) -> Descriptor {
    if let pipe { return pipe }
    if use == .inherit { return try .aboveStreams(own) }
    return try nothing(own == STDIN_FILENO ? O_RDONLY : O_WRONLY)
  }

  private static func nothing(_ flags: Int32) throws(SystemError) -> Descriptor {
    let file = try Descriptor.open("/dev/null", flags)
    return file.number > 2 ? file : try .aboveStreams(file.number)
  }
}

extension StartOptions.Output {
  /// Whether this process reads it.
  var isRead: Bool { self == .collect || self == .stream }
}
