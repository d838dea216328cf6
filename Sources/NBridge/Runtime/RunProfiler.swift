// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgeScript

/// Samples a program, and keeps what was seen as its author's functions. Confined to the engine's thread.
final class RunProfiler {
  private let profiler: SamplingProfiler
  private let registry: SourceRegistry
  private var profile = ScriptProfile()
  private var taken = ContinuousClock.now
  /// The engine keeps every sample until it is asked for them.
  private static let interval = Duration.seconds(2)

  /// Nil when the engine has no profiler.
  init?(_ machine: JSVirtualMachine, _ registry: SourceRegistry) {
    guard let profiler = SamplingProfiler(machine) else { return nil }
    (self.profiler, self.registry) = (profiler, registry)
  }

  /// Takes what was seen, now and then.
  func takeIfDue() {
    if taken.duration(to: .now) > Self.interval { take() }
  }

  private func take() {
    profile.add(profiler.take(), authored: registry.authored)
    taken = .now
  }

  /// Ends the sampling, and answers all that was seen.
  func finish() -> ScriptProfile {
    take()
    profiler.stop()
    return profile
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
    let loop = parts.world.loop
    loop.willSleep = { [willSleep = loop.willSleep] in
      willSleep()
      profiler.takeIfDue()
    }
  }

  /// Tells what was seen.
  func tellProfile() {
    guard let profiler else { return }
    self.profiler = nil
    options.profile?(profiler.finish())
  }
}
