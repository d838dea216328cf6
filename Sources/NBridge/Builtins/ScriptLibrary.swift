// SPDX-License-Identifier: MIT

internal import NBridgePage

/// The JavaScript that is part of the binary.
enum ScriptLibrary: String, CaseIterable {
  case boot, intrinsics, primordials, timers, console, inspect, format, dialogs, page, nbridge, seed, test,
    repl, tape
  // What the bridge loads when a program needs it.
  case tagging, control, watch, mocks
  // The web's: Web/WebHosts.swift.
  case events, domexception, reports, abort, clone, messaging, encoding, encodinglabels, base64, performance,
    crypto,
    navigator
  case url, urlparser, urlsearchparams, pairlist, blob, formdata, platform
  case streamcore, queuing, writable, readable, readablepipes, readablebytes, readablebyob, transform,
    textstreams

  /// The script's bytes, ASCII.
  var source: [UInt8] {
    switch self {
    case .boot: PackageResources.boot_js
    case .intrinsics: PackageResources.intrinsics_js
    case .primordials: PackageResources.primordials_js
    case .timers: PackageResources.timers_js
    case .events: PackageResources.events_js
    case .domexception: PackageResources.domexception_js
    case .reports: PackageResources.reports_js
    case .abort: PackageResources.abort_js
    case .clone: PackageResources.clone_js
    case .messaging: PackageResources.messaging_js
    case .encoding: PackageResources.encoding_js
    case .encodinglabels: PackageResources.encodinglabels_js
    case .base64: PackageResources.base64_js
    case .performance: PackageResources.performance_js
    case .crypto: PackageResources.crypto_js
    case .url: PackageResources.url_js
    case .blob: PackageResources.blob_js
    case .streamcore: PackageResources.streamcore_js
    case .queuing: PackageResources.queuing_js
    case .writable: PackageResources.writable_js
    case .readable: PackageResources.readable_js
    case .readablepipes: PackageResources.readablepipes_js
    case .readablebytes: PackageResources.readablebytes_js
    case .readablebyob: PackageResources.readablebyob_js
    case .transform: PackageResources.transform_js
    case .textstreams: PackageResources.textstreams_js
    case .pairlist: PackageResources.pairlist_js
    case .platform: PackageResources.platform_js
    case .formdata: PackageResources.formdata_js
    case .urlparser: PackageResources.urlparser_js
    case .urlsearchparams: PackageResources.urlsearchparams_js
    case .navigator: PackageResources.navigator_js
    case .console: PackageResources.console_js
    case .inspect: PackageResources.inspect_js
    case .format: PackageResources.format_js
    case .dialogs: PackageResources.dialogs_js
    case .page: PackageResources.page_js
    case .seed: PackageResources.seed_js
    case .repl: PackageResources.repl_js
    case .tape: PackageResources.tape_js
    case .tagging: PackageResources.tagging_js
    case .control: PackageResources.control_js
    case .watch: PackageResources.watch_js
    case .mocks: PackageResources.mocks_js
    case .test: PackageResources.test_js
    case .nbridge: NBridgePage.script
    }
  }

  /// What stack lines call it. The scheme marks the runtime's own frames, which no report shows.
  var url: String { Self.scheme + rawValue + ".js" }

  static let scheme = StackFrame.internalScheme
}
