// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge serve --host`: what it takes, and what it asks for.
@Suite struct ServeReachTests {
  /// Makes `pem` and `key`, for 127.0.0.1 and localhost.
  static let certificate = """
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=nbridge \
    -addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout key -out pem 2> /dev/null
    """

  private static let page = "<!doctype html><p>page</p>"

  /// Each says what failed, why, and what to do next.
  @Test(arguments: [
    ("--host 192.0.2.1", 2, "--host 192.0.2.1 needs --cert FILE and --key FILE, a certificate and its key"),
    ("--host 192.0.2.1 --cert pem", 2, "--host 192.0.2.1 needs --key FILE"),
    ("--key key", 2, "--key needs --cert FILE"),
    ("--passphrase-file word", 2, "--passphrase-file needs --cert FILE and --key FILE"),
    ("--host 127.0.0.1 --cert pem --key key", 2, "--passphrase-file FILE names a file of mode 0600"),
    ("--host 0.0.0.0 --cert pem --key key", 1, "name those that browsers open"),
    ("--host localhost:80 --cert pem --key key", 1, "without a port, not 'localhost:80'"),
    ("--cert none --key key", 1, "--cert 'none': there is no such file"),
    ("--cert key --key key", 1, "are no certificate and key in PEM"),
    ("--cert pem --key key --passphrase-file none", 1, "--passphrase-file 'none' can't be read"),
    ("--cert pem --key key --passphrase-file open", 1, "the mode 0644, and others may read it: chmod 600"),
    ("--cert pem --key key --passphrase-file .", 1, "--passphrase-file '.' is no file"),
    ("--cert pem --key key --passphrase-file short", 1, "a passphrase has 8 characters or more"),
    ("--cert pem --key key --passphrase-file lines", 1, "a passphrase is one line of text"),
    ("--host 192.0.2.1 --cert pem --key key --passphrase-file word", 1, "can be served at 192.0.2.1:0"),
  ])
  func withoutAllThatItNeedsItRefuses(_ options: String, _ status: Int32, _ says: String) throws {
    let result = try CommandRunner.run(
      [
        "index.html": Self.page, "word": "correct horse\n", "open": "correct horse\n", "short": "correct\n",
        "lines": "correct\nhorse\n",
      ],
      """
      \(Self.certificate); chmod 600 word short lines; chmod 644 open
      timeout 60 "$NBRIDGE" serve --container box \(options)
      """)
    #expect(result.status == status && result.errors.contains(says), "\(result)")
    #expect(!result.errors.contains("horse") && result.output.isEmpty, "\(result)")
  }

  /// It is typed twice, and neither seen nor in the list of processes.
  @Test func theTerminalAsksAndShowsNothing() throws {
    let driver = try PromptDriver(
      "--container box --cert pem --key key . 2>/dev/tty; true", files: ["index.html": Self.page],
      environment: "; \(Self.certificate); true", command: "serve", waits: false)
    driver.expect("Passphrase for the page:")
    try driver.enter("short")
    driver.expect("a passphrase has 8 characters or more")
    driver.wait("the question again") { $0.components(separatedBy: "Passphrase for the page:").count == 3 }
    try driver.enter("correct horse")
    driver.expect("The same again:")
    try driver.enter("correct horse")
    let screen = driver.expect("  https://127.0.0.1:")
    #expect(screen.contains("asks for") && !screen.contains("horse"), "\(screen)")
    let listed = try driver.runner.shell("ps -C nbridge eww -o args | grep -c '[c]orrect horse'")
    #expect(listed.output == "0\n", "\(listed)")
  }

  /// The terminal shows what is typed again.
  @Test func aStopGivesTheTerminalBack() throws {
    let driver = try PromptDriver(
      "--container box --cert pem --key key . 2>/dev/tty; stty -a | grep -o -- '-\\?echo '",
      files: ["index.html": Self.page], environment: "; \(Self.certificate); true", command: "serve",
      waits: false)
    driver.expect("Passphrase for the page:")
    try driver.press("C-c")
    driver.expect("left with")
    #expect(driver.screen().contains("\necho"), "\(driver.screen())")
  }

  /// What browsers will say is said before, and what anybody could do with a key that all may read.
  @Test(arguments: ["600", "640", "644"])
  func aCertificateForAnotherAddressAndAKeyForAllAreSaid(_ mode: String) throws {
    let result = try CommandRunner.run(
      ["index.html": Self.page, "word": "correct horse"],
      """
      \(Self.certificate); chmod 600 word; chmod \(mode) key
      reach='--host 127.0.0.2 --cert pem --key key --passphrase-file word'
      "$NBRIDGE" serve --container box $reach > out 2>&1 & s=$!
      n=0; until grep -q https:// out || [ $n = 1200 ]; do sleep 0.05; n=$((n+1)); done
      kill $s; wait $s; cat out
      """)
    #expect(result.output.contains("nbridge: the certificate 'pem' is not for '127.0.0.2'"), "\(result)")
    let said = "nbridge: the key 'key' has the mode 0644, and every user here may read it: chmod 600 'key'\n"
    #expect(result.output.contains(said) == (mode == "644"), "\(result)")
    #expect(result.output.contains("  https://127.0.0.2:"), "\(result)")
  }
}
