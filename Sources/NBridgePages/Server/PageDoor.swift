// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Who may come in: the person who was shown the link, by the browser that opened it; beyond this machine,
/// who knows the passphrase, by the browser that said it.
///
/// The link's token is worth one visit. For it the browser gets a cookie that scripts can't read and other
/// sites' pages can't send. Cookies of an address are sent to all its ports, so its name has the port and a
/// part that nobody knows, and more is asked: the browser's word for where a request comes from, the exact
/// `Host` and `Origin`, and a ticket that only a script of ours gets (OWASP's cheat sheets for CSRF and
/// WebSockets).
struct PageDoor {
  /// The addresses as browsers write them: `127.0.0.1:8080`.
  let hosts: [String]
  /// Whether a passphrase lets in, over TLS, and no token does.
  let isGuarded: Bool
  private(set) var token = Secret.make()
  private let cookie: (name: String, value: String)
  /// For pages that are being loaded.
  private var tickets: [Ticket] = []

  /// What lets a page that is being loaded open a session.
  struct Ticket {
    let text: String
    /// In microseconds.
    let given: Int
    /// The number of the window that shows the page; nil in a browser.
    let window: Int?
  }

  /// A page that does not use its ticket within so long has gone, in microseconds.
  private static let patience = 120_000_000
  private static let mostTickets = 256

  init(_ addresses: [PageAddress], port: Int, isGuarded: Bool) {
    self.isGuarded = isGuarded
    hosts = addresses.map { $0.host(port: port, usual: isGuarded ? 443 : 80) }
    // Only who is at this very address over TLS can set one of such a name (RFC 6265bis, 4.1.3.2).
    let prefix = isGuarded ? "__Host-" : ""
    cookie = ("\(prefix)nbridge-\(port)-\(Secret.make().prefix(8))", Secret.make())
  }

  func origin(_ host: String) -> String { (isGuarded ? "https://" : "http://") + host }
  var origins: [String] { hosts.map(origin) }

  /// Takes a token, which is worth nothing afterwards. Answers the cookie to be set.
  mutating func open(_ given: String) -> String? {
    guard !isGuarded, Secret.isSame(given, token) else { return nil }
    token = Secret.make()
    return admission
  }

  /// The cookie for a browser that may come in.
  var admission: String {
    "\(cookie.name)=\(cookie.value); Path=/; HttpOnly; SameSite=Strict" + (isGuarded ? "; Secure" : "")
  }

  /// Whether a request's header has the cookie.
  func isKnown(_ header: String?) -> Bool {
    guard let header else { return false }
    var isKnown = false
    for part in header.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " } }
      if pair.count == 2, pair[0] == cookie.name,
        Secret.isSame(String(pair[1]), cookie.value)
      {
        isKnown = true
      }
    }
    return isKnown
  }

  mutating func giveTicket(now: Int, window: Int?) -> String {
    tickets.removeAll { now - $0.given > Self.patience }
    if tickets.count >= Self.mostTickets { tickets.removeFirst() }
    let ticket = Secret.make()
    tickets.append(Ticket(text: ticket, given: now, window: window))
    return ticket
  }

  /// Takes a ticket, which is worth nothing afterwards; nil for what is none, or no more.
  mutating func take(ticket: String, now: Int) -> Ticket? {
    guard let index = tickets.firstIndex(where: { Secret.isSame($0.text, ticket) }) else { return nil }
    let taken = tickets.remove(at: index)
    return now - taken.given <= Self.patience ? taken : nil
  }
}

/// Texts that nobody guesses.
enum Secret {
  /// 256 bits of the system's, in hexadecimal.
  static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(UInt64.random(in: 0 ... .max, using: &random), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Takes as long wherever they differ.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }
}
