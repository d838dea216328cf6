// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The answer of `app.deviceInfo`.
struct DeviceInfo: Codable {
  /// Made once for the app, a random UUID.
  var deviceId: String
  /// The system's version, as `12`.
  var version: String
  /// The machine's product name, or its processor's architecture.
  var model: String
  /// The system's name, as `Debian GNU/Linux 12 (bookworm)`.
  var system: String
  /// ISO 3166, from the locale; empty when it tells none.
  var region: String
  /// ISO 639, from the locale; `en` when it tells none.
  var language: String

  init(deviceId: String) {
    self.deviceId = deviceId
    let release = OSRelease.read()
    version = release["VERSION_ID"] ?? ""
    system = release["PRETTY_NAME"] ?? "Linux"
    model = Self.model()
    (language, region) = LocaleName.parse(LocaleName.current())
  }

  private static func model() -> String {
    for path in ["/sys/devices/virtual/dmi/id/product_name", "/proc/device-tree/model"] {
      guard let file = fopen(path, "re") else { continue }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      guard fgets(&line, Int32(line.count), file) != nil else { continue }
      let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      let name = String(decoding: bytes, as: UTF8.self)
      if !name.isEmpty { return name }
    }
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux" }
    return withUnsafeBytes(of: names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// `/etc/os-release` (freedesktop.org, os-release(5)).
enum OSRelease {
  static func read(_ path: String = "/etc/os-release") -> [String: String] {
    guard let bytes = try? SmallFile.read(path, followsLinks: true) else { return [:] }
    return parse(String(decoding: bytes, as: UTF8.self))
  }

  static func parse(_ text: String) -> [String: String] {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, !line.hasPrefix("#") else { continue }
      var value = parts[1]
      if let quote = value.first, quote == "\"" || quote == "'", value.count > 1, value.last == quote {
        value = value.dropFirst().dropLast()
      }
      values[String(parts[0])] = String(value)
    }
    return values
  }
}

/// A POSIX locale's name: `language_REGION.encoding@modifier`.
enum LocaleName {
  /// The language, in the order of POSIX: LC_ALL, LC_MESSAGES, LANG.
  static func current() -> String {
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return "C"
  }

  /// Language and region; `C` and `POSIX` are English without a region.
  static func parse(_ name: String) -> (language: String, region: String) {
    let plain = name.prefix { $0 != "." && $0 != "@" }
    let parts = plain.split(separator: "_", maxSplits: 1)
    guard let language = parts.first, language != "C", language != "POSIX" else { return ("en", "") }
    return (String(language), parts.count > 1 ? String(parts[1]) : "")
  }
}
