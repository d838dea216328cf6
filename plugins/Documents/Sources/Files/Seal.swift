// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The parts of a folder that scripts don't get, although they may read the folder.
protocol Seal: Sendable {
  /// Why scripts don't get what lies at a path; nil when they do.
  func refusal(of real: RealPath) -> String?
}

extension Seal {
  /// Throws `permission_denied` for what scripts don't get. Asked about is what was opened, whatever its name
  /// is by now.
  func check(_ opened: OpenFile, to verb: String) throws {
    try check(RealPath(descriptor: opened.number), opened.path, verb)
  }

  /// The same check for the thing that a name of a folder stands for, links not followed.
  func check(_ name: [UInt8], of folder: OpenFile, _ path: FilePath, to verb: String) throws {
    try check(RealPath(descriptor: folder.number)?.appending(name), path, verb)
  }

  private func check(_ real: RealPath?, _ path: FilePath, _ verb: String) throws {
    guard let why = real.map(refusal(of:)) ?? "it has no path, or one that is too long" else { return }
    throw BridgeError(
      .permissionDenied, "can't \(verb) '\(path.shown)': \(why)",
      details: try? Value(encoding: ["path": path.text]))
  }

  /// Which names of a folder scripts hear of.
  func filter(_ folder: OpenFile) -> @Sendable ([UInt8]) -> Bool {
    guard let real = RealPath(descriptor: folder.number) else { return { _ in false } }
    return { name in self.refusal(of: real.appending(name)) == nil }
  }
}

/// Seals the parts of the app's own folder that scripts may not read.
struct BundleSeal: Seal {
  let scope: BundleScope
  func refusal(of real: RealPath) -> String? { scope.refusal(of: real) }
}

/// Seals the preferences: their store is opened by SQLite alone. A process that closes the store otherwise
/// loses SQLite's locks (POSIX.1-2017, fcntl: closing any descriptor of a file lets all of the process's
/// locks on it go).
struct PreferencesSeal: Seal {
  func refusal(of real: RealPath) -> String? {
    real.name.starts(with: "preferences.db".utf8)
      ? "it is the store of nbridge.preference, which reads it" : nil
  }
}

/// Seals a folder outside that is imported with all below it: another app's container may lie deep in it.
struct OutsideSeal: Seal {
  let call: Call
  func refusal(of real: RealPath) -> String? {
    call.allows("documents.import:\(real.text)") ? nil : "no permission opens '\(real.text)' to scripts"
  }
}
