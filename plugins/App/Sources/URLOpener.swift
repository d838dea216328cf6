// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Opens URLs with the desktop's programs: GIO knows which one is registered, else `xdg-open` is asked.
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
    // GIO watches the desktop's folders from a thread of its own, and ends the process when it gets no
    // descriptor for that.
    try DescriptorRoom.demand(8, to: "ask the desktop who opens '\(scheme):'")
    guard let info = g_app_info_get_default_for_uri_scheme(scheme) else { return false }
    g_object_unref(gpointer(info))
    return true
  }
}
