// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// What of a process's environment changes how dates and numbers are written.
package enum RecordedEnvironment {
  private static let names = ["LANG", "LC_ALL", "LC_TIME", "LC_NUMERIC", "TZ"]

  package static var now: [String: String] {
    var found: [String: String] = [:]
    for name in names { if let value = getenv(name) { found[name] = String(cString: value) } }
    found["TZ"] = found["TZ"] ?? systemZone
    return found
  }

  /// Sets what was recorded, and takes away what was not there. A recording may come from any sender: it sets
  /// nothing but these, and to nothing that is a path of its own.
  package static func restore(_ recorded: [String: String]) {
    for name in names {
      if let value = recorded[name], isName(value) { setenv(name, value, 1) } else { unsetenv(name) }
    }
  }

  /// A locale or a zone: `de_CH.UTF-8`, `Europe/Zurich`, `CET-1CEST,M3.5.0,M10.5.0/3`.
  private static func isName(_ value: String) -> Bool {
    value.utf8.count <= 256 && !value.hasPrefix("/") && !value.hasPrefix(":/") && !value.contains("..")
      && value.utf8.allSatisfy {
        0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || "_-+./:,<>@=".utf8.contains($0)
      }
  }

  /// The zone that `/etc/localtime` is a link to.
  private static var systemZone: String? {
    RealPath("/etc/localtime")?.string.flatMap { path in
      path.firstRange(of: "zoneinfo/").map { String(path[$0.upperBound...]) }
    }
  }
}
