// SPDX-License-Identifier: MIT

internal import Glibc
internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// Samples a program, and keeps what was seen as its author's functions. Confined to the engine's thread.
final class RunProfiler {
  private let profiler: SamplingProfiler
  private let registry: SourceRegistry
  private var profile = ScriptProfile()
  private var taken = ContinuousClock.now
  private var isOver = false
  /// The engine keeps every sample until it is asked for them.
  private static let interval = Duration.milliseconds(40)
  /// Of the text of what was seen in that time. A stack of some thousands of functions makes more.
  private static let maxText = 64 << 20

  /// Nil when the engine has no profiler.
  init?(_ machine: JSVirtualMachine, _ registry: SourceRegistry) {
    guard let profiler = SamplingProfiler(machine) else { return nil }
    (self.profiler, self.registry) = (profiler, registry)
  }

  /// Takes what was seen, now and then.
  func takeIfDue() {
    if !isOver, taken.duration(to: .now) > Self.interval { take() }
  }

  private func take() {
    if let text = profiler.take(upTo: Self.maxText) {
      profile.add(text, authored: registry.authored)
    } else {
      profile.isCut = true
      isOver = true
      profiler.stop()
    }
    taken = .now
  }

  /// Ends the sampling, and answers all that was seen.
  func finish() -> ScriptProfile {
    if !isOver {
      take()
      profiler.stop()
    }
    isOver = true
    return profile
  }
}

/// Ends a process whose profile fills the memory: the engine keeps what it saw until the script lets it be
/// taken, and has no limit of its own. Before the system ends another program for it.
private enum ProfileMemory {
  private static let (most, look): (Double, UInt32) = (4e9, 20_000)

  static func watch() {
    let start = ResidentMemory.bytes
    PlainThread.start("nb-profile") {
      while ResidentMemory.bytes - start < most { usleep(look) }
      let text = "nbridge: memory grew by 4 GB under --profile, as for very deep stacks; ended\n"
      _ = write(STDERR_FILENO, text, text.utf8.count)
      RawTerminal.leave()
      _exit(ExitStatus.failure.code)
    }
  }
}

extension Runtime {
  /// Begins to sample, when that is wanted.
  func startProfile() {
    guard options.profile != nil else { return }
    profiler = RunProfiler(machine, sourceRegistry)
    guard let profiler else {
      options.output.writeError("nbridge: this engine has no profiler, so there is no profile\n")
      return
    }
    ProfileMemory.watch()
    let loop = parts.world.loop
    loop.willSleep = { [willSleep = loop.willSleep] in
      willSleep()
      profiler.takeIfDue()
    }
    // Called on the engine's thread alone, while a script keeps it busy.
    let shared = UncheckedSendable(profiler)
    machine.interrupter.atPoll { shared.value.takeIfDue() }
  }

  /// Tells what was seen. Answers whether it was written.
  func tellProfile() -> Bool {
    guard let profiler else { return true }
    self.profiler = nil
    machine.interrupter.atPoll(nil)
    // A stop waits for it.
    parts.control.isSaving = true
    defer { parts.control.isSaving = false }
    let profile = profiler.finish()
    return options.profile?(hasBegun ? profile : nil) ?? true
  }
}
