// SPDX-License-Identifier: MIT

/// The page that asks for the passphrase, and what it sends.
enum PassphraseForm {
  /// Where it is sent to.
  static let path = "/.nbridge/enter"
  static let type = "application/x-www-form-urlencoded"
  /// More than the longest passphrase takes, each byte as three characters; in bytes.
  static let largest = 4_096

  /// It runs nothing, loads nothing, stands in no frame, and sends to its own address only. Its
  /// `Referrer-Policy` is one by which browsers say the `Origin` of what it sends (Fetch Standard, 3.2).
  static let headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"
    ),
    ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Connection", "close"),
  ]

  /// - Parameter remark: why the last one was not taken; empty for none.
  static func page(_ remark: String) -> [UInt8] {
    let said = remark.isEmpty ? "" : "<p role=\"alert\">\(remark)</p>"
    return Array(
      """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Passphrase</title>
      <style>
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
      form { max-width: 22rem; margin: 20vh auto 0; padding: 0 1rem; }
      input, button { box-sizing: border-box; width: 100%; padding: .5rem; margin-top: .5rem; font: inherit; }
      </style>
      <form method="post" action="\(path)">
      <label for="passphrase">Passphrase of this page, as who serves it has told you</label>
      <input id="passphrase" name="passphrase" type="password" autocomplete="current-password"
        autofocus required>
      <button>Open the page</button>
      \(said)
      </form>
      </html>

      """.utf8)
  }

  /// The passphrase of what was sent; nil for what the page does not send.
  static func passphrase(in body: some Sequence<UInt8>) -> String? {
    let parts = Array(body).split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].elementsEqual("passphrase".utf8), !parts[1].contains(UInt8(ascii: "&"))
    else { return nil }
    return decoded(parts[1])
  }

  /// As forms are encoded (URL Standard, 5.1).
  private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.flatMap { UInt8(exactly: $0) }
  }
}
