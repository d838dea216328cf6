// SPDX-License-Identifier: MIT

/// Node's own modules, of what needs nothing native, as CommonJS texts: whatever puts a program's modules
/// together asks for them by name. Nothing of them is touched before that.
package struct NodeTexts: Sendable {
  private let start: String

  /// - Parameters:
  ///   - script: the full path of the program, as `process.argv` tells it.
  ///   - workingFolder: what `process.cwd()` answers.
  ///   - appFolder: the folder whose files `node:fs` reads by whole paths.
  package init(script: String, workingFolder: String, appFolder: String) {
    start = """
      module.exports = { script: \(Self.quoted(script)), cwd: \(Self.quoted(workingFolder)), \
      appFolder: \(Self.quoted(appFolder)) };
      """
  }

  /// The text of a module, by its name with or without `node:`; nil for one that nBridge does not have.
  /// Modules of `node:internal/` are for the others, and have no shorter name.
  package func text(_ name: String) -> String? {
    if name == "node:internal/start" { return start }
    let isPrefixed = name.hasPrefix("node:")
    let plain = isPrefixed ? String(name.dropFirst(5)) : name
    // Packages may have the plain name.
    if !isPrefixed, plain == "test" { return nil }
    if let source = Self.sources[plain] { return "\(source())" }
    if let source = Self.onlyPrefixed(name) { return "\(source())" }
    return Self.aliases[plain].map { "module.exports = \($0);\n" }
  }

  private static func onlyPrefixed(_ name: String) -> Source? {
    guard name.hasPrefix(innerPrefix) else { return nil }
    return inner[String(name.dropFirst(innerPrefix.count))]
  }

  private static let innerPrefix = "node:internal/"

  private typealias Source = @Sendable () -> StaticString

  /// Modules that are members of others.
  private static let aliases = [
    "assert/strict": #"require("node:assert").strict"#, "path/posix": #"require("node:path").posix"#,
    "path/win32": #"require("node:path").win32"#, "stream/promises": #"require("node:stream").promises"#,
    "sys": #"require("node:util")"#,
  ]

  private static let sources: [String: Source] = [
    "assert": { Scripts.node_assert_js },
    "buffer": { Scripts.node_buffer_js },
    "child_process": { Scripts.node_child_process_js },
    "console": { Scripts.node_console_js },
    "constants": { Scripts.node_constants_js },
    "crypto": { Scripts.node_crypto_js },
    "diagnostics_channel": { Scripts.node_diagnostics_channel_js },
    "events": { Scripts.node_events_js },
    "fs": { Scripts.node_fs_js },
    "fs/promises": { Scripts.node_fs_promises_js },
    "http": { Scripts.node_http_js },
    "module": { Scripts.node_module_js },
    "os": { Scripts.node_os_js },
    "path": { Scripts.node_path_js },
    "perf_hooks": { Scripts.node_perf_hooks_js },
    "process": { Scripts.node_process_js },
    "punycode": { Scripts.node_punycode_js },
    "querystring": { Scripts.node_querystring_js },
    "stream": { Scripts.node_stream_js },
    "readline": { Scripts.node_readline_js },
    "readline/promises": { Scripts.node_readline_promises_js },
    "string_decoder": { Scripts.node_string_decoder_js },
    "test": { Scripts.node_test_js },
    "timers": { Scripts.node_timers_js },
    "timers/promises": { Scripts.node_timers_promises_js },
    "tty": { Scripts.node_tty_js },
    "url": { Scripts.node_url_js },
    "util": { Scripts.node_util_js },
    "worker_threads": { Scripts.node_worker_threads_js },
    "util/types": { Scripts.node_util_types_js },
  ]

  private static let inner: [String: Source] = [
    "assertionerror": { Scripts.node_internal_assertionerror_js },
    "buffermethods": { Scripts.node_internal_buffermethods_js },
    "destroying": { Scripts.node_internal_destroying_js },
    "duplex": { Scripts.node_internal_duplex_js },
    "duplexfrom": { Scripts.node_internal_duplexfrom_js },
    "encodings": { Scripts.node_internal_encodings_js },
    "equal": { Scripts.node_internal_equal_js },
    "errors": { Scripts.node_internal_errors_js },
    "finished": { Scripts.node_internal_finished_js },
    "format": { Scripts.node_internal_format_js },
    "fscalls": { Scripts.node_internal_fscalls_js },
    "fsconstants": { Scripts.node_internal_fsconstants_js },
    "fscopy": { Scripts.node_internal_fscopy_js },
    "fsoptions": { Scripts.node_internal_fsoptions_js },
    "fsstats": { Scripts.node_internal_fsstats_js },
    "inspect": { Scripts.node_internal_inspect_js },
    "layout": { Scripts.node_internal_layout_js },
    "marks": { Scripts.node_internal_marks_js },
    "hash": { Scripts.node_internal_hash_js },
    "native": { Scripts.node_internal_native_js },
    "numbers": { Scripts.node_internal_numbers_js },
    "oldurl": { Scripts.node_internal_oldurl_js },
    "own": { Scripts.node_internal_own_js },
    "parseargs": { Scripts.node_internal_parseargs_js },
    "pipeline": { Scripts.node_internal_pipeline_js },
    "readable": { Scripts.node_internal_readable_js },
    "shapes": { Scripts.node_internal_shapes_js },
    "systemerrors": { Scripts.node_internal_systemerrors_js },
    "terminal": { Scripts.node_internal_terminal_js },
    "writable": { Scripts.node_internal_writable_js },
  ]

  /// A string literal that stays in ASCII.
  private static func quoted(_ text: String) -> String {
    var literal = "\""
    for unit in text.utf16 {
      if (0x20...0x7E).contains(unit), unit != 0x22, unit != 0x5C {
        literal.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
      } else {
        literal.append("\\u")
        literal.append(padded(String(unit, radix: 16)))
      }
    }
    literal.append("\"")
    return literal
  }

  private static func padded(_ digits: String) -> String {
    String(repeating: "0", count: 4 - digits.count) + digits
  }
}
