// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// What GLib and libsoup would write to stderr about what came over the wire.
enum GLibWarnings {
  /// libsoup hands GObject a length below nothing, as somebody's head says it, which GObject remarks on; who
  /// reads the message refuses it. And where a server ends a kept connection, and the one that the request is
  /// sent again by, libsoup (3.2) has the request fail a second time, which it then finds has been told: the
  /// remark is all that comes of it. Others are written as before.
  static func passOver() { _ = once }

  private static let once: (guint, guint) = {
    let lengths: GLogFunc = { domain, level, text, _ in
      if let text, strstr(text, "for property 'content-length' of type 'gint64'") != nil { return }
      g_log_default_handler(domain, level, text, nil)
    }
    let failures: GLogFunc = { domain, level, text, _ in
      let known = "async_send_request_return_result: assertion 'item->task != NULL' failed"
      if let text, strcmp(text, known) == 0 { return }
      g_log_default_handler(domain, level, text, nil)
    }
    return (
      g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING, lengths, nil),
      g_log_set_handler("libsoup", G_LOG_LEVEL_CRITICAL, failures, nil)
    )
  }()
}
