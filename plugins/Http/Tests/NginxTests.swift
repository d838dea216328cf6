// SPDX-License-Identifier: MIT

import Foundation
import NBridgeTesting
import Testing

/// `fetch` and Debian's nginx: what a server says that many people use.
@Suite struct NginxTests {
  /// Runs a script with the origins `plain` and `secure` of an nginx, whose folder holds `text`: 3,000,000
  /// letters.
  private static func run(_ server: String, _ script: String) async throws -> ScriptHarness.Result {
    let authority = try TestAuthority.shared.get()
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try FileManager.default.createDirectory(atPath: folder + "/root", withIntermediateDirectories: false)
    let letters = String(repeating: "abcdefghij", count: 300_000)
    try letters.write(toFile: folder + "/root/text", atomically: false, encoding: .utf8)
    let peer = try PeerProgram(
      nginx: folder,
      """
      \(server)
      ssl_certificate \(authority.certificate); ssl_certificate_key \(authority.key);
      default_type text/plain;
      """)
    return await FetchTests.run(
      // Nobody asks this one.
      try RawServer { _ in [.close] },
      """
      const plain = "http://127.0.0.1:\(peer.port)", secure = "https://localhost:\(peer.port)";
      const letters = "abcdefghij".repeat(300_000);
      \(script)
      """, authorities: authority.certificate)
  }

  private static let http = "listen 127.0.0.1:PORT;"
  private static let https = "listen 127.0.0.1:PORT ssl http2;"

  @Test func whatItCompressesIsReadWhole() async throws {
    let result = try await Self.run(
      Self.http + "gzip on; gzip_types text/plain;",
      """
      const answer = await fetch(plain + "/text");
      console.log(answer.headers.get("content-encoding"), answer.headers.get("transfer-encoding"));
      console.log(await answer.text() === letters);
      """)
    #expect(result.output == "gzip chunked\ntrue\n", "\(result)")
  }

  @Test func aPartIsReadByItsRange() async throws {
    let result = try await Self.run(
      Self.http,
      """
      const ask = async (range) => {
        const answer = await fetch(plain + "/text", { headers: { range } });
        return [answer.status, answer.headers.get("content-range"), (await answer.text()).slice(0, 10)];
      };
      console.log(await ask("bytes=3-5"), await ask("bytes=-2"), (await ask("bytes=3000000-"))[0]);
      """)
    #expect(
      result.output == """
        [ 206, 'bytes 3-5/3000000', 'def' ] [ 206, 'bytes 2999998-2999999/3000000', 'ij' ] 416

        """, "\(result)")
  }

  @Test func redirectsAreFollowedFromOneServerToTheOther() async throws {
    let result = try await Self.run(
      Self.http + "location = /go { return 302 /moved; } location = /moved { return 308 /end; } "
        + "location = /end { return 200 \"$request_method $http_x_kept\"; }",
      """
      const answer = await fetch(plain + "/go", { method: "POST", body: "x", headers: { "x-kept": "kept" } });
      console.log(answer.status, answer.redirected, new URL(answer.url).pathname, await answer.text());
      """)
    #expect(result.output == "200 true /end GET kept\n", "\(result)")
  }

  /// It takes one by each connection, and says so before it answers that.
  @Test func aServerThatTakesOneRequestByEachConnectionAnswersAll() async throws {
    let result = try await Self.run(
      Self.https + "keepalive_requests 1; location = /uses { return 200 $connection_requests; }",
      """
      const ask = async () => (await fetch(secure + "/uses", { method: "POST", body: "x" })).text();
      const all = await Promise.all(Array.from({ length: 60 }, ask));
      console.log(all.length, all.every((count) => count === "1"));
      """)
    #expect(result.output == "60 true\n", "\(result)")
  }

  /// One that nginx closes after so many requests, in order, over TLS, too; with many at a time.
  @Test(arguments: [http, https])
  func connectionsThatItLetsGoOfFailNoRequest(_ listen: String) async throws {
    let result = try await Self.run(
      listen + "keepalive_requests 5; location = /uses { return 200 $connection_requests; }",
      """
      const server = \(listen == Self.http ? "plain" : "secure"), uses = [];
      const ask = async () => (await fetch(server + "/uses")).text();
      for (let i = 0; i < 12; i++) uses.push(await ask());
      console.log(uses.join());
      const all = await Promise.all(Array.from({ length: 60 }, ask));
      console.log(all.length, all.every((count) => count >= 1 && count <= 5));
      """)
    #expect(result.output == "1,2,3,4,5,1,2,3,4,5,1,2\n60 true\n", "\(result)")
  }

  @Test(arguments: [http, https])
  func aLongBodyIsTakenAndAnswered(_ listen: String) async throws {
    let scheme = listen == Self.http ? "http" : "https"
    let result = try await Self.run(
      listen + "client_max_body_size 10m; location = /told { return 200 $content_length; } "
        + "location = /take { proxy_pass \(scheme)://127.0.0.1:PORT/told; proxy_ssl_verify off; }",
      """
      const server = \(listen == Self.http ? "plain" : "secure");
      const send = async (body) => {
        const answer = await fetch(server + "/take", { method: "POST", body, duplex: "half" });
        return [answer.status, await answer.text()].join(" ");
      };
      console.log(await send(letters), await send(new Blob([letters]).stream()));
      console.log((await send("x".repeat(11 << 20)).catch((error) => error.cause?.code)).slice(0, 8));
      """)
    #expect(
      result.output.hasPrefix("200 3000000 200 3000000\n") && result.output.count < 40, "\(result)")
  }

  /// A server behind it that ends in the middle of its answer.
  @Test(arguments: [http, https])
  func whatBreaksBehindItIsNoWholeBody(_ listen: String) async throws {
    let broken = try RawServer { _ in
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncut\r\n"), .close]
    }
    let result = try await Self.run(
      listen + "location / { proxy_pass \(broken.origin); proxy_http_version 1.1; proxy_buffering off; }",
      """
      const server = \(listen == Self.http ? "plain" : "secure");
      console.log(await fetch(server).then((r) => r.text()).catch((error) => error.cause?.code));
      """)
    #expect(result.output == "io_error\n", "\(result)")
  }
}
