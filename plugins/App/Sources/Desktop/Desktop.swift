// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The desktop, where there is one.
enum Desktop {
  static var isPresent: Bool { getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil }

  static func openSettings() throws {
    guard isPresent else { throw BridgeError(.unavailable, "there is no desktop, so no settings to open") }
    for name in ["gnome-control-center", "systemsettings", "xfce4-settings-manager", "lxqt-config"]
    where program(name) != nil {
      return try run(name, [], waits: false)
    }
    throw BridgeError(.unavailable, "no settings program of a known desktop is installed")
  }

  static func share(_ text: String, subject: String?) throws {
    guard isPresent else { throw BridgeError(.unavailable, "there is no desktop to share with") }
    try run("xdg-email", (subject.map { ["--subject", $0] } ?? []) + ["--body", text])
  }

  /// The full path of a program; nil when it is not installed.
  static func program(_ name: String) -> String? {
    guard let path = g_find_program_in_path(name) else { return nil }
    defer { g_free(path) }
    return String(cString: path)
  }

  /// Runs a program without a shell. Throws when it is missing or fails.
  static func run(_ name: String, _ arguments: [String], waits: Bool = true) throws {
    guard let path = program(name) else {
      throw BridgeError(.notInstalled, "'\(name)' is not installed (Debian: apt install xdg-utils)")
    }
    do {
      let child = try ChildProcess.start(path, arguments)
      let status = waits ? child.wait() : 0
      guard status == 0 else {
        throw BridgeError(.unavailable, "'\(name)' found nothing to do it with (status \(status))")
      }
    } catch let error as ChildProcess.SpawnError {
      throw BridgeError(.unavailable, "'\(name)' could not be started: \(error.reason)")
    }
  }
}
