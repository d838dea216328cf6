// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import JSEngine
internal import NBridgePlugin
internal import NBridgeRecording

/// What a script learns of the machine: dice, clocks, languages.
package enum MachineModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "crypto", source: { Scripts.crypto_js }, globals: ["crypto", "Crypto"],
      needs: [
        .exports(["DOMException"], of: "domexception"), .later("subtle", of: "subtle", as: "subtle"),
        .exports(["declareInterface"], of: "idl"),
      ]
    ) { host, services throws(JSException) in
      var generator = services.seed.map(SeededBytes.init)
      host.function("fillRandom") { [unowned inputs = services.inputs] frame throws(JSException) in
        guard let memory = frame[0].bytes else { return frame.undefined }
        if generator != nil { generator?.fill(memory) } else { try KernelRandom.fill(memory) }
        inputs.random(memory)
        return frame.undefined
      }
    },
    BuiltinModule(
      name: "performance", source: { Scripts.performance_js },
      globals: ["performance", "Performance"],
      needs: [
        .exports(["EventTarget"], of: "events"), .exports(["DOMException"], of: "domexception"),
        .exports(["PerformanceMark", "PerformanceMeasure"], of: "timeline"),
        .export("internals", of: "timeline", as: "timeline"),
      ]
    ) { host, services throws(JSException) in
      let inputs = services.inputs
      let started = Int(g_get_real_time()) - (inputs.now - inputs.startTime)
      host.set("timeOrigin", host.make(inputs.number(.origin) { Double(started) / 1000 }))
    },
    BuiltinModule(
      name: "timeline", source: { Scripts.timeline_js },
      globals: [
        "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "PerformanceObserver",
        "PerformanceObserverEntryList",
      ],
      needs: [
        .exports(["append"], of: "lists"), .exports(["DOMException"], of: "domexception"),
        .exports(["structuredClone"], of: "clone"), .exports(["comparesFields"], of: "contents"),
        .exports(["declareInterface", "Table"], of: "idl"),
      ]
    ) { host, services throws(JSException) in
      let inputs = services.inputs
      host.function("now") { [unowned inputs] frame throws(JSException) in frame.make(inputs.sinceStart) }
      host.addTask(services)
    },
    BuiltinModule(
      name: "navigator", source: { Scripts.navigator_js }, globals: ["navigator", "Navigator"],
      needs: [.later("manager", of: "locks", as: "locks"), .exports(["declareInterface"], of: "idl")]
    ) { host, services throws(JSException) in
      let inputs = services.inputs
      host.set("version", host.make("\(NBridgeVersion.current)"))
      let locale: String = getenv("LANG").map { String(cString: $0) } ?? ""
      let language = locale.prefix { $0 != "." }.replacing("_", with: "-")
      let known = inputs.text(.machine) { language.count < 2 ? "en-US" : String(language) }
      host.set("language", host.make(known ?? "en-US"))
      let processors = inputs.number(.machine) { Double(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
      host.set("processors", host.make(processors))
    },
  ]
}

/// The kernel's randomness.
enum KernelRandom {
  /// Fills the memory, in pieces of what one call gives at once.
  static func fill(_ memory: UnsafeMutableRawBufferPointer) throws(JSException) {
    var done = 0
    while done < memory.count {
      let count = getrandom(memory.baseAddress.map { $0 + done }, min(1 << 20, memory.count - done), 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw JSException(message: "the kernel gave no random bytes") }
      done += count
    }
  }
}

/// Bytes that repeat for a seed: splitmix64 (Steele, Lea, Flood 2014). Not for secrets.
struct SeededBytes {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) {
    for index in memory.indices {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      memory[index] = UInt8(truncatingIfNeeded: mixed >> 56)
    }
  }
}
