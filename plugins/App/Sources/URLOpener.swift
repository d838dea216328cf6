// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin

/// Opens URLs with the desktop's programs: GIO knows who is registered, else `xdg-open` is asked.
enum URLOpener {
  static func canOpen(_ url: String) throws -> Bool {
    let scheme = try URLScheme.of(url)
    guard !URLScheme.refused.contains(scheme) else { return false }
    return try handler(of: scheme) || (Desktop.isPresent && Desktop.program("xdg-open") != nil)
  }

  /// Opens `url` or throws ``BridgeError/Code/unavailable``; blocks until the program has taken it.
  static func open(_ url: String, schemes: [String]? = nil) throws {
    let scheme = try URLScheme.of(url)
    if let schemes, !schemes.contains(scheme) {
      throw BridgeError(
        .invalidParameter,
        "option.url must start with \(schemes.map { $0 + ":" }.joined(separator: " or ")), not '\(scheme):'")
    }
    guard !URLScheme.refused.contains(scheme) else {
      throw BridgeError(.permissionDenied, "a '\(scheme):' URL is not opened for a script")
    }
    if try handler(of: scheme) {
      var error: UnsafeMutablePointer<GError>?
      if g_app_info_launch_default_for_uri(url, nil, &error) != 0 { return }
      let reason = error.map { String(cString: $0.pointee.message) } ?? "no reason given"
      g_clear_error(&error)
      throw BridgeError(.unavailable, "the program for '\(scheme):' could not be started: \(reason)")
    }
    guard Desktop.isPresent else {
      throw BridgeError(.unavailable, "nothing on this machine opens '\(scheme):' URLs (there is no desktop)")
    }
    try Desktop.run("xdg-open", [url])
  }

  private static func handler(of scheme: String) throws -> Bool {
    // GIO watches the desktop's folders from a thread of its own, and ends the process when it gets no descriptor for that.
    try DescriptorRoom.demand(8, to: "ask the desktop who opens '\(scheme):'")
    guard let info = g_app_info_get_default_for_uri_scheme(scheme) else { return false }
    g_object_unref(gpointer(info))
    return true
  }
}

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

  static func share(_ options: ShareOptions) throws {
    guard isPresent else { throw BridgeError(.unavailable, "there is no desktop to share with") }
    try run("xdg-email", (options.subject.map { ["--subject", $0] } ?? []) + ["--body", options.text])
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
