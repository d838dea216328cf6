// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import CNBridgePlugin
internal import Glibc
internal import NBridgeSystem

/// The program `nbridge-plugin-host`: runs the plugin in one library for the program that started it, which
/// is at the other end of its stdin.
package enum ChildProgram {
  /// - Parameter arguments: its name, the library, and ``free`` or what it may do as
  ///   `Confinement.arguments`.
  package static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count >= 2, isSocket(0), let confinement = confinement(arguments.dropFirst(2)) else {
      let help =
        "nbridge-plugin-host: nbridge starts this program by itself, for a plugin that runs isolated:\n"
        + "  nbridge run --isolate NAME script.js\n"
      _ = help.withCString { write(2, $0, strlen($0)) }
      return 2
    }
    guard let socket = try? Descriptor.aboveStreams(0) else { return 1 }
    // A pipe, which a person may be at the other end of.
    nb_buffer_lines()
    // The plugin has no input: what reads finds the end.
    if let nothing = try? Descriptor.open("/dev/null", O_RDONLY) { dup2(nothing.number, 0) }
    // Before any code of the library's runs.
    do throws(SystemError) { try confinement.value?.enter() } catch {
      refuse(noSandbox(error), Channel(socket))
      return 0
    }
    do throws(PluginTable.Problem) {
      ChildHost(try PluginTable.open(arguments[1]), socket).run()
    } catch {
      refuse(error.description, Channel(socket))
    }
    return 0
  }

  /// The argument for a process that may do whatever its user may.
  package static let free = "--free"

  private static func confinement(_ arguments: ArraySlice<String>) -> (value: Confinement?, Void)? {
    if Array(arguments) == [free] { return (nil, ()) }
    return Confinement(arguments: arguments).map { ($0, ()) }
  }

  private static func noSandbox(_ error: SystemError) -> String {
    "its process can't be confined: \(error); it runs without a sandbox when it is granted 'everything', as "
      + "with --grant NAME:everything"
  }

  private static func isSocket(_ number: Int32) -> Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Says why the library can't be used, and waits until the program has read it.
  private static func refuse(_ reason: String, _ channel: Channel) {
    var text = FailureText.of("unavailable", reason)
    text.withUTF8 { text in
      var failure = nbridge_value()
      failure.kind = UInt32(NBRIDGE_FAILURE)
      failure.text = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
      failure.text_size = UInt64(text.count)
      _ = try? channel.put(FrameHead(.failed), &failure)
    }
    while !channel.flush() { if channel.wait(milliseconds: -1) { return } }
  }
}

/// A failure as the table has it.
enum FailureText {
  static func of(_ code: String, _ message: String) -> String {
    "{\"code\":\"\(code)\",\"message\":\"\(escaped(message))\"}"
  }

  /// RFC 8259, 7.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case "\u{0}"..."\u{1F}":
        escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
