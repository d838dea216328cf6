// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin

/// An address of this machine that browsers open a page at, as a person gave it.
struct PageAddress: Equatable {
  /// As a browser writes it in a URL: `192.168.1.5`, `[fd00::5]`, `box.example`.
  let name: String
  /// Where the program listens for it.
  let numbers: [String]

  static let loopback = PageAddress(name: "127.0.0.1", numbers: ["127.0.0.1"])

  private init(name: String, numbers: [String]) { (self.name, self.numbers) = (name, numbers) }

  /// - Parameter given: a number of this machine, or a name that leads to it, which is looked up once.
  /// - Throws: `invalid_parameter` for what no browser writes, `not_found` for a name that leads nowhere.
  init(_ given: String) throws {
    if let number = Self.number(of: given) {
      guard !Self.all.contains(number) else {
        throw BridgeError(
          .invalidParameter,
          "--host '\(given)' is every address of this machine, and no browser opens that: name those that "
            + "browsers open, as --host 192.168.1.5; it may be given again")
      }
      // Browsers write these as IPv4 addresses, or as no dotted ones.
      guard !(number.contains(":") && number.contains(".")) else {
        throw BridgeError(.invalidParameter, "--host '\(given)': give the IPv4 address that is in it")
      }
      self.init(name: number.contains(":") ? "[\(number)]" : number, numbers: [number])
      return
    }
    let name = given.lowercased()
    guard Self.isName(name) else {
      throw BridgeError(
        .invalidParameter,
        "--host takes an address, as 192.168.1.5 or fd00::5, or a name in ASCII, as box.example, without a "
          + "port, not '\(given)'")
    }
    self.init(name: name, numbers: try Self.lookUp(name))
  }

  /// With its port, which browsers leave out where it is the usual one.
  func host(port: Int, usual: Int) -> String { port == usual ? name : "\(name):\(port)" }

  private static let all: Set = ["0.0.0.0", "::"]

  /// A number, as browsers write it too: the shortest form, in small letters (URL Standard, 3.5).
  private static func number(of text: String) -> String? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let text = isBracketed ? String(text.dropFirst().dropLast()) : text
    for family in [AF_INET, AF_INET6] {
      var bytes = [UInt8](repeating: 0, count: 16)
      guard inet_pton(family, text, &bytes) == 1 else { continue }
      var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(family, &bytes, &shortest, socklen_t(shortest.count)) != nil else { return nil }
      return String(decoding: shortest.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return nil
  }

  /// Whether it is a name that browsers leave as it is. One whose last part is a number is an address to
  /// them.
  private static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, let last = parts.last, !last.allSatisfy(\.isNumber),
      !last.hasPrefix("0x")
    else { return false }
    return parts.allSatisfy { part in
      !part.isEmpty && part.utf8.count <= 63 && !part.hasPrefix("-") && !part.hasSuffix("-")
        && part.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
    }
  }

  private static func lookUp(_ name: String) throws -> [String] {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, nil, &wanted, &first)
    guard status == 0 else {
      let reason = gai_strerror(status).map { String(cString: $0) } ?? "it can't be looked up"
      throw BridgeError(.notFound, "--host '\(name)' leads nowhere: \(reason); an address needs no look-up")
    }
    defer { freeaddrinfo(first) }
    var numbers: [String] = []
    var next = first
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(
        entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
      {
        let number = String(
          decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // One that is known on one link only (`fe80::1%eth0`) is no address for browsers.
        if !number.contains("%"), !numbers.contains(number) { numbers.append(number) }
      }
      next = entry.ai_next
    }
    guard !numbers.isEmpty else {
      throw BridgeError(.notFound, "--host '\(name)' has no address that browsers could open")
    }
    return numbers
  }
}
