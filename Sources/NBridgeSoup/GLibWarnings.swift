// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// What GLib would write to stderr about what came over the wire.
enum GLibWarnings {
  /// libsoup hands GObject a length below nothing, as somebody's head says it, which GObject remarks on; who
  /// reads the message refuses it. Other warnings are written as before.
  static func passOverLengths() { _ = once }

  private static let once: guint = {
    let take: GLogFunc = { domain, level, text, _ in
      if let text, strstr(text, "for property 'content-length' of type 'gint64'") != nil { return }
      g_log_default_handler(domain, level, text, nil)
    }
    return g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING, take, nil)
  }()
}
