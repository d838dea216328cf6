// SPDX-License-Identifier: MIT

internal import Glibc

/// Compares passphrases, and makes who says wrong ones wait: each wrong one twice as long for its address,
/// and too many of all for everybody.
struct PassphraseGate {
  enum Answer: Equatable {
    case right, wrong
    /// It was not even looked at.
    case wait(seconds: Int)
  }

  private struct Tries {
    var count = 0
    /// When the next one is looked at, and when the last was, in microseconds.
    var next = 0
    var last = 0
  }

  /// In bytes.
  static let longest = 1_024
  /// In characters. 100 tries an hour find none of so many.
  static let shortest = 8
  /// So many wrong ones an hour are looked at, of all addresses together.
  static let mostAnHour = 100

  private static let second = 1_000_000
  private static let hour = 3_600 * second
  /// An address waits no longer, in seconds.
  private static let longestWait = 300

  private let passphrase: Padded
  private var places: [String: Tries] = [:]
  /// The wrong ones of this hour, and when it began.
  private var wrong = (count: 0, since: 0)

  init(_ passphrase: String) { self.passphrase = Padded(passphrase) }

  /// Tries a passphrase.
  ///
  /// - Parameters:
  ///   - address: whose it is, a number.
  ///   - now: in microseconds.
  mutating func take(_ given: String, from address: String, now: Int) -> Answer {
    if now - wrong.since >= Self.hour {
      wrong = (0, now)
      places = places.filter { now - $0.value.last < Self.hour }
    }
    let place = Self.place(of: address)
    var tries = places[place] ?? Tries()
    if now - tries.last >= Self.hour { tries = Tries() }
    let next = wrong.count >= Self.mostAnHour ? max(tries.next, wrong.since + Self.hour) : tries.next
    if now < next { return .wait(seconds: (next - now + Self.second - 1) / Self.second) }
    if given.utf8.count <= Self.longest, Padded(given).isSame(as: passphrase) {
      places[place] = nil
      return .right
    }
    tries.count += 1
    tries.last = now
    tries.next = now + min(1 << min(tries.count - 1, 16), Self.longestWait) * Self.second
    places[place] = tries
    wrong.count += 1
    return .wrong
  }

  /// Of an IPv6 address, the network: one machine has all addresses behind that.
  static func place(of address: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
  }

  /// A passphrase at the length of the longest: comparing takes as long wherever they differ, and however
  /// long they are.
  private struct Padded {
    private let bytes: [UInt8]
    private let count: Int

    init(_ text: String) {
      let text = Array(text.utf8.prefix(PassphraseGate.longest))
      count = text.count
      bytes = text + [UInt8](repeating: 0, count: PassphraseGate.longest - text.count)
    }

    func isSame(as other: Padded) -> Bool {
      var difference = count ^ other.count
      for index in 0..<PassphraseGate.longest { difference |= Int(bytes[index] ^ other.bytes[index]) }
      return difference == 0
    }
  }
}
