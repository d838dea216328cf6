// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePages
internal import NBridgePlugin
internal import NBridgeSystem

/// How a page that is served reaches other machines' browsers, as a command line says it.
enum ServedReach {
  static let options = [
    OptionSpec(
      "host", value: "ADDRESS",
      "Serves other machines' browsers, too, at this address or name; may be given again."),
    OptionSpec("cert", value: "FILE", "The certificate that they are shown, and its chain, in PEM."),
    OptionSpec("key", value: "FILE", "The certificate's key, in PEM."),
    OptionSpec(
      "passphrase-file", value: "FILE",
      "Reads the passphrase that they are asked for from a file of mode 0600; else the terminal asks."),
  ]

  /// Nil where the page is for this machine's browsers only.
  ///
  /// - Throws: what is missing or wrong. The terminal asks when all else is right.
  static func read(_ arguments: ParsedArguments) throws -> PageReach? {
    let hosts = arguments.all("host")
    let given = ["cert", "key", "passphrase-file"].filter(arguments.has)
    if given.isEmpty, hosts.allSatisfy({ $0 == "127.0.0.1" }) { return nil }
    guard let certificate = arguments.last("cert"), let key = arguments.last("key") else {
      let what = hosts.first.map { "--host \($0)" } ?? "--\(given[0])"
      let missing = ["cert", "key"].filter { !given.contains($0) }.map { "--\($0) FILE" }
      throw UsageError(
        "\(what) needs \(missing.joined(separator: " and ")), a certificate and its key in PEM: beyond this "
          + "machine pages go over TLS only")
    }
    return try PageReach(hosts: hosts, certificate: certificate, key: key) {
      try arguments.last("passphrase-file").map(passphrase(in:)) ?? PassphraseQuestion.ask()
    }
  }

  /// What is said of a key that every user of this machine may read: who has it is taken for the page. One
  /// that a group has, as Debian's for certificates, is nobody's mistake.
  static func warning(ofKey path: String) -> String? {
    var status = stat()
    guard let file = try? Descriptor.open(path, O_RDONLY | O_NONBLOCK), fstat(file.number, &status) == 0,
      status.st_mode & 0o004 != 0
    else { return nil }
    let mode = String(status.st_mode & 0o777, radix: 8)
    return "the key '\(path)' has the mode 0\(mode), and every user here may read it: chmod 600 '\(path)'"
  }

  /// What is wrong with a passphrase; nil for nothing.
  static func flaw(of passphrase: String) -> String? {
    if passphrase.count < PageReach.shortestPassphrase {
      return "a passphrase has \(PageReach.shortestPassphrase) characters or more"
    }
    if passphrase.utf8.count > PageReach.longestPassphrase {
      return "a passphrase has \(PageReach.longestPassphrase) bytes at the most"
    }
    // Browsers have one line for it.
    let hasControls = passphrase.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return hasControls ? "a passphrase is one line of text" : nil
  }

  /// Reads it from a file that is this user's only.
  static func passphrase(in path: String) throws -> String {
    let option = "--passphrase-file '\(path)'"
    let bytes: [UInt8]?
    do {
      // A pipe would keep the program waiting.
      let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
      var status = stat()
      guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw BridgeError(.ioError, "\(option) is no file")
      }
      guard status.st_uid == geteuid() || status.st_uid == 0 else {
        throw BridgeError(.permissionDenied, "\(option) is another user's: nobody else may know it")
      }
      guard status.st_mode & 0o077 == 0 else {
        let mode = String(status.st_mode & 0o777, radix: 8)
        throw BridgeError(
          .permissionDenied, "\(option) has the mode 0\(mode), and others may read it: chmod 600 '\(path)'")
      }
      bytes = try file.readToEnd(atMost: 2 * PageReach.longestPassphrase)
    } catch let error as SystemError {
      throw BridgeError(.ioError, "\(option) can't be read: \(error.reason)")
    }
    var text = bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    if let last = text.last, last.isNewline { text.removeLast() }
    if let flaw = flaw(of: text) { throw BridgeError(.invalidParameter, "\(option) has none in it: \(flaw)") }
    return text
  }
}
