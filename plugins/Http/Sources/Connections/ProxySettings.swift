// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin

/// The proxies that the environment names, as curl reads them: `http_proxy` (in small letters only: the
/// other one a web server may have set for a request), `https_proxy`, `all_proxy`, and in `no_proxy` who
/// needs none. Confined to the engine's thread.
final class ProxySettings {
  /// What libsoup asks.
  let resolver: OpaquePointer
  /// What GIO asks for WebSockets, which are tunnelled: with the passwords in it.
  let socketResolver: OpaquePointer
  /// For requests that a proxy of HTTP carries. libsoup, when it is asked for a password, sends the second
  /// request to the proxy's own address instead (3.2), so it goes with the first.
  private let credentials: String?
  /// What a proxy of HTTP is told that makes a tunnel; nil for nothing.
  let tunnelAuthorization: String?
  /// Whether hands are shaken with one of them.
  let hasTLS: Bool

  /// Nil where all go straight.
  ///
  /// - Throws: `invalid_parameter` for a variable that holds no address; its text, which may hold a password,
  ///   is not told.
  init?() throws {
    let ignored = Self.ignored
    if ignored.contains("*") { return nil }
    let all = try Self.address(in: "all_proxy", "ALL_PROXY")
    let secure = try Self.address(in: "https_proxy", "HTTPS_PROXY")
    let named = try Self.address(in: "http_proxy") ?? all
    let plain = named.map { ProxyAddress($0) }
    let tunnelling = (secure ?? all).map { ProxyAddress($0) }
    guard plain != nil || secure != nil else { return nil }
    var hosts: [UnsafeMutablePointer<CChar>?] = ignored.map { strdup($0) } + [nil]
    defer { for host in hosts { free(host) } }
    guard let resolver = g_simple_proxy_resolver_new(all, &hosts) else { return nil }
    let simple = UnsafeMutablePointer<GSimpleProxyResolver>(resolver)
    if let plain { g_simple_proxy_resolver_set_uri_proxy(simple, "http", plain.url) }
    if let tunnelling { g_simple_proxy_resolver_set_uri_proxy(simple, "https", tunnelling.url) }
    guard let sockets = g_simple_proxy_resolver_new(all, &hosts) else { return nil }
    for (scheme, proxy) in [("http", named), ("https", secure)] {
      if let proxy {
        g_simple_proxy_resolver_set_uri_proxy(
          UnsafeMutablePointer<GSimpleProxyResolver>(sockets), scheme, proxy)
      }
    }
    (self.resolver, socketResolver, credentials) = (resolver, sockets, plain?.credentials)
    hasTLS = [named, secure, all].contains { $0?.hasPrefix("https://") == true }
    tunnelAuthorization = tunnelling?.credentials.map { "Basic " + $0 }
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(resolver))
    g_object_unref(UnsafeMutableRawPointer(socketResolver))
  }

  /// What a request says to the proxy that carries it; nil where none does, or none asks.
  ///
  /// - Parameter host: as the request's own address has it. By another spelling GIO might take another way
  ///   than the request does, and a server be told what is the proxy's.
  func authorization(for place: RequestPlace, host: String) -> String? {
    // With its port, by which libsoup asks, too: who needs no proxy at one may need it at others.
    guard let credentials, place.scheme == "http",
      let found = g_proxy_resolver_lookup(
        resolver, RequestPlace.target(place.scheme, host, place.port), nil, nil)
    else { return nil }
    defer { g_strfreev(found) }
    guard let first = found[0], strcmp(first, "direct://") != 0 else { return nil }
    return "Basic " + credentials
  }

  private static func text(of name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The first of some variables that is set; a proxy without a scheme speaks HTTP.
  private static func address(in names: String...) throws -> String? {
    for name in names {
      guard let text = text(of: name) else { continue }
      let url = Self.withScheme(text)
      // What GIO can't read it would print.
      guard let uri = g_uri_parse(url, G_URI_FLAGS_HAS_PASSWORD, nil) else { throw refusal(of: name) }
      defer { g_uri_unref(uri) }
      if g_uri_get_host(uri).map({ $0.pointee == 0 }) ?? true { throw refusal(of: name) }
      return url
    }
    return nil
  }

  /// Its scheme in small letters, as GIO wants it.
  private static func withScheme(_ text: String) -> String {
    guard text.contains("://"), let colon = text.firstIndex(of: ":") else { return "http://" + text }
    return text[..<colon].lowercased() + text[colon...]
  }

  private static func refusal(of name: String) -> BridgeError {
    BridgeError(
      .invalidParameter,
      """
      the variable \(name) holds no address of a proxy, as http://127.0.0.1:3128 (in a password /, ?, #, @ \
      and % are written as %2F, %3F, %23, %40 and %25)
      """)
  }

  /// `example.org` is that host and all below it, with the dot behind a whole name or without; `*`, alone in
  /// the list, is everybody.
  private static var ignored: [String] {
    let list = text(of: "no_proxy") ?? text(of: "NO_PROXY") ?? ""
    return list.split { $0 == "," || $0 == " " }.flatMap { entry -> [String] in
      var name = entry.hasPrefix(".") ? String(entry.dropFirst()) : String(entry)
      if name.hasSuffix(".") { name.removeLast() }
      if name.hasPrefix("[") { return [name.filter { $0 != "[" && $0 != "]" }] }
      if name == "*" { return [name] }
      return [name, "*.\(name)"] + (name.contains(":") ? [] : ["\(name).", "*.\(name)."])
    }
  }
}

/// A proxy's address without the name and password in it, and these as HTTP sends them.
private struct ProxyAddress {
  let url: String
  let credentials: String?

  /// What can't be read, and a proxy that is not of HTTP, is libsoup's to judge.
  init(_ text: String) {
    guard text.hasPrefix("http://"), let uri = g_uri_parse(text, G_URI_FLAGS_HAS_PASSWORD, nil) else {
      (url, credentials) = (text, nil)
      return
    }
    defer { g_uri_unref(uri) }
    guard let user = g_uri_get_user(uri), let host = g_uri_get_host(uri) else {
      (url, credentials) = (text, nil)
      return
    }
    let password = g_uri_get_password(uri).map { String(cString: $0) } ?? ""
    let pair = Array((String(cString: user) + ":" + password).utf8)
    let encoded = g_base64_encode(pair, gsize(pair.count))
    defer { g_free(encoded) }
    credentials = encoded.map { String(cString: $0) }
    let name = String(cString: host)
    let port = g_uri_get_port(uri)
    url = "http://" + (name.contains(":") ? "[\(name)]" : name) + (port > 0 ? ":\(port)" : "")
  }
}
