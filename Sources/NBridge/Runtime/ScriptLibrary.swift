// SPDX-License-Identifier: MIT

internal import NBridgePage

/// The JavaScript that is part of the binary.
enum ScriptLibrary: String, CaseIterable {
  case boot, timers, events, console, inspect, format, dialogs, page, nbridge, seed, test

  /// The script's bytes, ASCII.
  var source: [UInt8] {
    switch self {
    case .boot: PackageResources.boot_js
    case .timers: PackageResources.timers_js
    case .events: PackageResources.events_js
    case .console: PackageResources.console_js
    case .inspect: PackageResources.inspect_js
    case .format: PackageResources.format_js
    case .dialogs: PackageResources.dialogs_js
    case .page: PackageResources.page_js
    case .nbridge: NBridgePage.script
    case .seed: PackageResources.seed_js
    case .test: PackageResources.test_js
    }
  }

  /// What stack lines call it. The scheme marks the runtime's own frames, which no report shows.
  var url: String { Self.scheme + rawValue + ".js" }

  static let scheme = "nbridge:"
}
