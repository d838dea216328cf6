// SPDX-License-Identifier: MIT

import Testing

/// `fetch` and proxies: what they are told, and what nobody believes of them.
@Suite struct FetchProxyTests {
  /// Writes its port into `port`, and the first line of each request and the password that came with it into
  /// `seen`. `CONNECT` is answered with a status, or `endless`, or with the tunnel.
  private static let proxy = """
    import select, socket, ssl, sys, threading
    listener = socket.create_server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    open("port.new", "w").write(str(listener.getsockname()[1]))
    import os; os.rename("port.new", "port")
    def relay(one, other):
      while True:
        for end in select.select([one, other], [], [])[0]:
          data = end.recv(65536)
          if not data: return
          (other if end is one else one).sendall(data)
    def serve(client):
      head = b""
      while b"\\r\\n\\r\\n" not in head:
        piece = client.recv(4096)
        if not piece: return
        head += piece
      lines = head.decode().split("\\r\\n")
      told = [line for line in lines if line.lower().startswith("proxy-authorization")]
      open("seen", "a").write(" ".join([lines[0].split(":")[0].split("//")[0], *told]) + "\\n")
      mode = sys.argv[1]
      if not lines[0].startswith("CONNECT"):
        client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nproxy")
      elif mode == "endless":
        while True: client.sendall(b"HTTP/1.1 100 Continue\\r\\n\\r\\n" * 100)
      elif mode == "tunnel":
        host, port = lines[0].split()[1].rsplit(":", 1)
        other = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
        relay(client, other)
      else:
        head = f"HTTP/1.1 {mode} No\\r\\nContent-Length: 0\\r\\nProxy-Authenticate: Basic\\r\\n\\r\\n"
        client.sendall(head.encode())
    # Over TLS, once there is a certificate.
    def guarded(client):
      try:
        if os.path.exists("proxy.pem"):
          context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
          context.load_cert_chain("proxy.pem")
          client = context.wrap_socket(client, server_side=True)
        serve(client)
      except OSError: pass
      finally: client.close()
    while True: threading.Thread(target=guarded, args=[listener.accept()[0]], daemon=True).start()
    """

  private static let ask = """
    const told = (answer) => answer.then(async (r) => `${r.status} ${await r.text()}`,
      (e) => `${e.name} ${e.cause?.code} ${e.message.replace(/localhost:\\d+/, "HOST")}`);
    for (const url of nbridge.args) {
      console.log(await told(fetch(url, { signal: AbortSignal.timeout(60000) })));
    }
    """

  /// Runs a shell script beside a proxy: `$port` is its port.
  private func run(_ mode: String, _ script: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["proxy.py": Self.proxy, "ask.js": Self.ask])
    return try runner.shell(
      """
      python3 proxy.py \(mode) & proxy=$!
      while [ ! -s port ]; do sleep 0.05; done
      port=$(cat port)
      \(script)
      kill $proxy
      """)
  }

  /// No server has shown who it is.
  @Test(arguments: ["404", "302", "304", "407"])
  func whatAProxySaysToTheWishForATunnelIsNoAnswerOfTheServer(_ status: String) throws {
    let result = try run(
      status, "https_proxy=http://ada:secret@127.0.0.1:$port nbridge run ask.js https://localhost:2/")
    let told = "TypeError unavailable fetch failed: https://HOST was not reached: the proxy answers "
    #expect(result.output.hasPrefix(told + status), "\(result)")
  }

  /// It may be mended at the next try, which an `EventSource` makes by this code.
  @Test(arguments: ["502", "503"]) func aProxyThatFailsForNowIsToldApart(_ status: String) throws {
    let result = try run(status, "https_proxy=http://127.0.0.1:$port nbridge run ask.js https://localhost:2/")
    let told = "TypeError io_error fetch failed: https://HOST was not reached"
    #expect(result.output.hasPrefix(told), "\(result)")
  }

  /// Two would be one too many.
  @Test func whatAScriptSaysToAProxyItselfIsSaidAlone() throws {
    let result = try run(
      "407",
      """
      http_proxy=http://ada:secret@127.0.0.1:$port nbridge eval -p 'fetch("http://a.test/", {
        headers: { "Proxy-Authorization": "Basic bWluZQ==" } }).then((answer) => answer.text())'
      cat seen
      """)
    #expect(result.output == "proxy\nGET http Proxy-Authorization: Basic bWluZQ==\n", "\(result)")
  }

  @Test func aProxyThatComesToNoAnswerDoesNotStopTheProgram() throws {
    let result = try run(
      "endless", "https_proxy=http://127.0.0.1:$port nbridge run ask.js https://localhost:2/")
    let told = "TypeError invalid_data fetch failed: https://HOST was not reached"
    #expect(result.output.hasPrefix(told), "\(result)")
  }

  /// GIO asks the database of the process, not the one of the session; and for the proxy's address in its
  /// certificate. It makes a tunnel for HTTP, too, which this one refuses.
  @Test func aProxyOverTLSIsTrustedAsServersAre() throws {
    let result = try run(
      "404",
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem \
        -out cert.pem -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2> errors
      cat key.pem cert.pem > proxy.new; mv proxy.new proxy.pem
      export http_proxy=https://localhost:$port
      SSL_CERT_FILE=cert.pem nbridge run ask.js http://localhost:2/
      nbridge run ask.js http://localhost:2/
      """)
    let told = result.output.split(separator: "\n")
    #expect(told.first?.hasSuffix("HTTP proxy connection failed: 404") == true, "\(result)")
    #expect(told.last?.hasSuffix("Unacceptable TLS certificate") == true && told.count == 2, "\(result)")
  }

  /// One for what asks whether the server speaks HTTP/2, one for all requests.
  @Test func aTunnelIsAskedForWithThePasswordAndUsedAgain() throws {
    let result = try run(
      "tunnel",
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem \
        -out cert.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost 2> errors
      cat > tls.js << 'END'
      const [cert, key] = JSON.parse(await nbridge.process.stdin.text());
      const server = await nbridge.http.serve({ cert, key }, () => new Response("served"));
      console.log(server.port);
      END
      python3 -c 'import json; print(json.dumps([open("cert.pem").read(), open("key.pem").read()]))' > pair
      "$NBRIDGE" run tls.js < pair > tls & server=$!
      while [ ! -s tls ]; do sleep 0.05; done
      export SSL_CERT_FILE=cert.pem https_proxy=http://ada:secret@127.0.0.1:$port
      nbridge run ask.js https://localhost:$(cat tls)/ https://localhost:$(cat tls)/
      cat seen
      kill $server
      """)
    #expect(
      result.output == """
        200 served
        200 served
        CONNECT localhost Proxy-Authorization: Basic YWRhOnNlY3JldA==
        CONNECT localhost Proxy-Authorization: Basic YWRhOnNlY3JldA==

        """, "\(result)")
  }

  /// Also of who needs no proxy at the port that an address need not name.
  @Test func whoIsAskedWithoutAProxyIsNotToldItsPassword() throws {
    let result = try run(
      "407",
      """
      mkdir other
      (cd other && exec unshare -rn sh -c '
        ip link set lo up
        python3 ../proxy.py 407 80 & origin=$!
        while [ ! -s port ]; do sleep 0.05; done
        export no_proxy=127.0.0.1:80 http_proxy=http://ada:secret@127.0.0.1:1
        "$NBRIDGE" run ../ask.js http://127.0.0.1/
        kill $origin
        cat seen')
      """)
    if result.errors.contains("unshare:") {
      print("SKIPPED: a test of FetchProxyTests: this user can't make a network")
      return
    }
    #expect(result.output.hasPrefix("200 proxy\nGET / HTTP/1.1\n"), "\(result)")
    #expect(!result.output.contains("Authorization"), "\(result)")
  }

  @Test func whoNeedsNoProxyIsAskedWithoutOne() throws {
    let result = try run(
      "407",
      """
      no_proxy='*' http_proxy=http://127.0.0.1:$port nbridge run ask.js http://localhost:2/
      no_proxy='[::1]' http_proxy=http://127.0.0.1:$port nbridge run ask.js http://[::1]:2/
      ls seen
      """)
    #expect(result.output.hasPrefix("TypeError io_error"), "\(result)")
    #expect(result.errors.contains("seen") && !result.errors.contains("CRITICAL"), "\(result)")
  }

  @Test(arguments: [
    "ada:s3cr#t@127.0.0.1:1", "ada:s3cr/t@127.0.0.1:1", "ada:s3cret@127.0.0.1:99999", "ada:s3cr%zz@h:1",
  ])
  func aVariableThatIsNoAddressIsNamedWithoutItsPassword(_ address: String) throws {
    let result = try run("407", "http_proxy='http://\(address)' nbridge run ask.js http://localhost:2/")
    #expect(result.output.contains("the variable http_proxy holds no address of a proxy"), "\(result)")
    #expect(!(result.output + result.errors).contains("s3cr"), "\(result)")
  }

  /// An address that may be written in another way leads one way only.
  @Test func whoIsAskedByAnotherSpellingIsNotToldThePassword() throws {
    let result = try run(
      "407",
      """
      mkdir other
      (cd other && exec python3 ../proxy.py 407) & origin=$!
      while [ ! -s other/port ]; do sleep 0.05; done
      export http_proxy=http://ada:secret@127.0.0.1:$port
      no_proxy=::/0 nbridge run ask.js http://[::ffff:127.0.0.1]:$(cat other/port)/
      no_proxy=127.0.0.0/8 nbridge run ask.js http://[::ffff:127.0.0.1]:$(cat other/port)/
      kill $origin
      cat other/seen
      echo proxy: $(cat seen)
      """)
    #expect(
      result.output == """
        200 proxy
        200 proxy
        GET / HTTP/1.1
        proxy: GET http Proxy-Authorization: Basic YWRhOnNlY3JldA==

        """, "\(result)")
  }
}
