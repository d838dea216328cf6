// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What scripts don't get of a folder that they may read.
protocol Seal: Sendable {
  /// Why scripts don't get what lies at a path without links; nil when they do.
  func refusal(of real: String) -> String?
}

extension Seal {
  /// Throws `permission_denied` for what scripts don't get. Asked about is what was opened, whatever its name is by now.
  func check(_ opened: OpenFile, to verb: String) throws {
    let real = RealPath.of(descriptor: opened.number)
    if let why = real.map(refusal(of:)) ?? "it has no path" { throw Self.error(why, verb, opened.path) }
  }

  /// The same for what a name of a folder stands for, links not followed.
  func check(_ name: [UInt8], of folder: OpenFile, _ path: FilePath, to verb: String) throws {
    let real = RealPath.of(descriptor: folder.number).map { $0 == "/" ? $0 : $0 + "/" }
    let why = real.map { refusal(of: $0 + String(decoding: name, as: UTF8.self)) } ?? "it has no path"
    if let why { throw Self.error(why, verb, path) }
  }

  private static func error(_ refusal: String, _ verb: String, _ path: FilePath) -> BridgeError {
    BridgeError(
      .permissionDenied, "can't \(verb) '\(path.shown)': \(refusal)",
      details: try? Value(encoding: ["path": path.text]))
  }

  /// Which names of a folder scripts hear of.
  func filter(_ folder: OpenFile) -> @Sendable ([UInt8]) -> Bool {
    guard let real = RealPath.of(descriptor: folder.number) else { return { _ in false } }
    let prefix = real == "/" ? real : real + "/"
    return { name in self.refusal(of: prefix + String(decoding: name, as: UTF8.self)) == nil }
  }
}

/// Of the app's own folder.
struct BundleSeal: Seal {
  let scope: BundleScope
  func refusal(of real: String) -> String? { scope.refusal(of: real) }
}

/// Of the preferences: their store is opened by SQLite alone. A process that closes it otherwise loses SQLite's locks
/// (POSIX.1-2017, fcntl: closing any descriptor of a file lets all of the process's locks on it go).
struct PreferencesSeal: Seal {
  func refusal(of real: String) -> String? {
    guard let name = real.split(separator: "/").last, name.hasPrefix("preferences.db") else { return nil }
    return "it is the store of nbridge.preference, which reads it"
  }
}

/// Of a folder outside that is imported with all below it: another app's container may lie deep in it.
struct OutsideSeal: Seal {
  let call: Call
  func refusal(of real: String) -> String? {
    call.allows("documents.import:\(real)") ? nil : "no permission opens '\(real)' to scripts"
  }
}
