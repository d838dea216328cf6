// SPDX-License-Identifier: MIT

/// The names that Node's own modules have (nodejs.org/api, version 22).
enum NodeModules {
  static func has(_ name: String) -> Bool {
    // With a slash at its end a name is always a package's.
    if name.hasSuffix("/") { return false }
    return name.hasPrefix("node:")
      || names.contains(name.split(separator: "/").first.map(String.init) ?? name)
  }

  private static let names: Set<String> = [
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
    "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module",
    "net", "os",
    "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
    "string_decoder", "sys",
    "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
  ]
}
