// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// The proxies that the environment names, as curl reads them: `http_proxy` (in small letters only: the
/// other one a web server may have set for a request), `https_proxy`, `all_proxy`, and in `no_proxy` who
/// needs none.
enum ProxySettings {
  /// What libsoup asks, to be let go of by the caller; nil where all go straight.
  static func resolver() -> OpaquePointer? {
    let plain = text(of: "http_proxy"), secure = text(of: "https_proxy") ?? text(of: "HTTPS_PROXY")
    let all = text(of: "all_proxy") ?? text(of: "ALL_PROXY")
    guard plain != nil || secure != nil || all != nil else { return nil }
    var hosts: [UnsafeMutablePointer<CChar>?] = ignored.map { strdup($0) } + [nil]
    defer { for host in hosts { free(host) } }
    guard let resolver = g_simple_proxy_resolver_new(all.map(url), &hosts) else { return nil }
    let simple = UnsafeMutablePointer<GSimpleProxyResolver>(resolver)
    if let plain { g_simple_proxy_resolver_set_uri_proxy(simple, "http", url(plain)) }
    if let secure { g_simple_proxy_resolver_set_uri_proxy(simple, "https", url(secure)) }
    return resolver
  }

  private static func text(of name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// A proxy without a scheme speaks HTTP.
  private static func url(_ text: String) -> String { text.contains("://") ? text : "http://" + text }

  /// `example.org` is that host and all below it; `*` is everybody.
  private static var ignored: [String] {
    let list = text(of: "no_proxy") ?? text(of: "NO_PROXY") ?? ""
    return list.split { $0 == "," || $0 == " " }.flatMap { entry -> [String] in
      let name = entry.hasPrefix(".") ? String(entry.dropFirst()) : String(entry)
      return name == "*" ? ["*", "0.0.0.0/0", "::/0"] : [name, "*.\(name)"]
    }
  }
}
