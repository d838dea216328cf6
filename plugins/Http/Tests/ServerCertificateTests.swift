// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Certificates and keys that a script gives `nbridge.http.serve`.
@Suite struct ServerCertificateTests {
  /// GIO takes it, and each client would be cut.
  @Test func aKeyOfAnotherCertificateIsRefused() async throws {
    let (certificate, key) = try TestAuthority.shared.get().literals
    let result = await ServerTests.run(
      """
      const cert = \(certificate), key = \(key);
      const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
      const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
      const lines = bytes.toBase64().replace(/.{64}/g, "$&\\n");
      const other = `-----BEGIN PRIVATE KEY-----\\n${lines}\\n-----END PRIVATE KEY-----\\n`;
      const told = (options) => nbridge.http.serve(options, () => new Response())
        .then((server) => server.stop()).then(() => "served", (error) => error.code + " " + error.message);
      console.log(await told({ cert, key }), await told({ cert, key: other }));
      // The first that is there is the one that would be taken.
      console.log(await told({ cert: cert + other, key }), await told({ cert, key: cert }));
      console.log(await told({ cert, key: "-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----" }));
      """)
    #expect(result.output.split(separator: "invalid_parameter option").count == 5, "\(result)")
    #expect(
      result.output.hasPrefix("served invalid_parameter option.key is not the key of option.cert"),
      "\(result)")
  }

  /// The commonest mistake is a path.
  @Test func whatIsNoPEMIsToldByItsNameAndWithoutItsText() async throws {
    let (certificate, key) = try TestAuthority.shared.get().literals
    let result = await ServerTests.run(
      """
      const cert = \(certificate), key = \(key);
      const told = (options) => nbridge.http.serve(options, () => new Response())
        .catch((error) => error.code + " " + error.message);
      console.log(await told({ cert: "/etc/server.pem", key }));
      console.log(await told({ cert, key: "secret" }));
      const broken = "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----";
      console.log(await told({ cert: broken, key }));
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 3, "\(result)")
    let expected = ["option.cert is no PEM", "option.key is no PEM", "option.cert or option.key is broken"]
    for (line, beginning) in zip(lines, expected) {
      #expect(line.hasPrefix("invalid_parameter " + beginning), "\(result)")
    }
    #expect(!result.output.contains("secret"), "\(result)")
  }
}
