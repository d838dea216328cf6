// SPDX-License-Identifier: MIT

/// How pages reach browsers of other machines: where, by which certificate, and who may come in. Without one
/// they are for this machine's only.
package struct PageReach {
  let addresses: [PageAddress]
  let certificate: PageCertificate
  let passphrase: String

  package static let shortestPassphrase = PassphraseGate.shortest
  package static let longestPassphrase = PassphraseGate.longest

  /// - Parameters:
  ///   - hosts: addresses of this machine or names that lead to it, as browsers will open them; 127.0.0.1 for
  ///     none.
  ///   - certificate: the path of a file in PEM.
  ///   - key: the path of its key.
  ///   - passphrase: gives what browsers are asked for; called when all else is right.
  /// - Throws: what is wrong with them.
  package init(
    hosts: [String], certificate: String, key: String, passphrase: () throws -> String
  ) throws {
    addresses = try hosts.isEmpty ? [.loopback] : hosts.map(PageAddress.init)
    self.certificate = try PageCertificate(certificate, key: key)
    self.passphrase = try passphrase()
  }

  /// What browsers will say against the certificate, where that can be told.
  package var flaws: [String] { addresses.compactMap { certificate.flaw(at: $0.name) } }
}
