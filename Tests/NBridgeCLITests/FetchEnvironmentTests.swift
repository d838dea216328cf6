// SPDX-License-Identifier: MIT

import Testing

/// What the environment says to `fetch`: certificates and proxies.
@Suite struct FetchEnvironmentTests {
  /// A certificate of its own making, for localhost and 127.0.0.1, and its key; of no use but here.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBnDCCAUGgAwIBAgIUPj4HfsihCJ26datzR5KXQS0DsAUwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzA3Mzk1NVoYDzIxMjYxMTAz
    MDczOTU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAQL2/KDkDPzZ+EEiTWeAiwN4zWCCJPCVc4CkWVyGBkOVmI4eWwj1o+M
    /PTMNhLHLR2r/DXqfXr0HtXLUoz/KyWeo28wbTAdBgNVHQ4EFgQU8b3e210avbYV
    xY28wrxImZ8WDHowHwYDVR0jBBgwFoAU8b3e210avbYVxY28wrxImZ8WDHowDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSQAwRgIhAOT50fFj6ZIemkkqxVufj2p/DxksvqsvXUhX8uJ8iF70AiEA
    07ZvAkImxylWptt21m2I8ltVGr/jrqANIYamDsecWYY=
    -----END CERTIFICATE-----
    """
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqxLSRHUaruFhhOOP
    rfTPHNYd64v8Uw8ilc1Dm1ScthehRANCAAQL2/KDkDPzZ+EEiTWeAiwN4zWCCJPC
    Vc4CkWVyGBkOVmI4eWwj1o+M/PTMNhLHLR2r/DXqfXr0HtXLUoz/KyWe
    -----END PRIVATE KEY-----
    """

  /// Serves by TLS and asks itself.
  private static let script = """
    const [cert, key] = JSON.parse(await nbridge.process.stdin.text());
    const handler = (request) => new Response(new URL(request.url).protocol);
    const server = await nbridge.http.serve({ cert, key }, handler);
    for (const host of ["localhost", "127.0.0.1"]) {
      const answer = fetch(`https://${host}:${server.port}/`);
      console.log(await answer.then((r) => r.text(), (e) => e.message.replaceAll(`:${server.port}`, "")));
    }
    await server.stop();
    """

  @Test func aCertificateOfOnesOwnIsTrustedWhereTheEnvironmentSaysSo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let pair = "[\"\(Self.inJSON(Self.certificate))\", \"\(Self.inJSON(Self.key))\"]"
    try runner.write(["tls.js": Self.script, "pair.json": pair, "own.pem": Self.certificate])
    let trusted = try runner.shell("SSL_CERT_FILE=own.pem nbridge run tls.js < pair.json")
    #expect(trusted.output == "https:\nhttps:\n", "\(trusted)")
    let unknown = try runner.shell("nbridge run tls.js < pair.json")
    let refused = "fetch failed: https://localhost has a certificate that can't be trusted: its authority"
    #expect(unknown.output.hasPrefix(refused), "\(unknown)")
    let missing = try runner.shell("SSL_CERT_FILE=none.pem nbridge run tls.js < pair.json")
    #expect(missing.output.contains("SSL_CERT_FILE 'none.pem': No such file"), "\(missing)")
    #expect(!trusted.errors.contains("PRIVATE") && !unknown.errors.contains("PRIVATE"))
  }

  private static func inJSON(_ text: String) -> String { text.replacing("\n", with: "\\n") }

  @Test func aProxyIsAskedUnlessAHostNeedsNone() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "proxy.js": """
      const server = await nbridge.http.serve((request) => request.headers.has("proxy-authorization")
        ? new Response("by proxy: " + request.url)
        : new Response("who?", { status: 407, headers: { "proxy-authenticate": "Basic realm=here" } }));
      console.log(server.port);
      """,
      "ask.js": """
      const [url] = nbridge.args;
      console.log(await fetch(url).then(async (r) => r.status + " " + await r.text(), (e) => e.message));
      """,
    ])
    let result = try runner.shell(
      """
      "$NBRIDGE" run proxy.js > port & proxy=$!
      while [ ! -s port ]; do sleep 0.05; done
      export http_proxy="http://ada:secret@127.0.0.1:$(cat port)"
      nbridge run ask.js http://example.invalid/a
      no_proxy=127.0.0.1 nbridge run ask.js "http://127.0.0.1:$(cat port)/b"
      http_proxy="http://127.0.0.1:$(cat port)" nbridge run ask.js http://example.invalid/c
      kill $proxy
      """)
    #expect(
      result.output == "200 by proxy: http://example.invalid/a\n407 who?\n407 who?\n", "\(result)")
  }
}
