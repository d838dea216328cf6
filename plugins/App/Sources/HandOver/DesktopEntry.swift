// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Tells the desktop of an app's schemes: a `.desktop` file (Desktop Entry Specification 1.5) and
/// `xdg-mime`'s defaults. So programs that know nothing of nbridge open such URLs, too.
public struct DesktopEntry {
  private let app: RegisteredApp

  /// Describes an app to the desktop; does nothing yet.
  public init(_ app: RegisteredApp) { self.app = app }

  private static var folder: String? {
    if let data = getenv("XDG_DATA_HOME"), data.pointee == 0x2F {
      return String(cString: data) + "/applications"
    }
    return getenv("HOME").map { String(cString: $0) + "/.local/share/applications" }
  }

  private var name: String { "nbridge-\(app.id).desktop" }
  private var types: [String] { app.schemes.map { "x-scheme-handler/\($0)" } }

  /// Writes the entry and makes it the default; answers what a person should know. Nothing where there is no
  /// desktop.
  public func install() throws -> String? {
    guard Desktop.isPresent, let folder = Self.folder else { return nil }
    guard let tool = Desktop.program("xdg-mime") else {
      return "the desktop was not told: xdg-mime is missing (Debian: apt install xdg-utils)"
    }
    try Folders.make(folder)
    try SmallFile.replace("\(folder)/\(name)", with: Array(text.utf8), mode: 0o644)
    let status = try ChildProcess.start(tool, ["default", name] + types).wait()
    return status == 0 ? nil : "xdg-mime could not make it the default (status \(status))"
  }

  /// Takes it away again.
  public func remove() {
    if let folder = Self.folder { unlink("\(folder)/\(name)") }
  }

  /// The entry's text.
  var text: String {
    """
    [Desktop Entry]
    Type=Application
    Name=\(Self.escaped(app.name))
    Exec=\(Self.quoted(app.program)) open %u
    MimeType=\(types.joined(separator: ";"));
    NoDisplay=true
    Terminal=false

    """
  }

  /// Values are one line.
  private static func escaped(_ text: String) -> String {
    // Scalar by scalar: a line end of two, or a sign with an accent on it, is one character to Swift.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// An argument of `Exec`: in quotes, with the characters escaped that keep a meaning there, then escaped as
  /// any value.
  private static func quoted(_ text: String) -> String {
    let argument = text.unicodeScalars.reduce(into: "") { result, scalar in
      if "\"`$\\".unicodeScalars.contains(scalar) { result += "\\" }
      if scalar == "%" { result += "%" }
      result.unicodeScalars.append(scalar)
    }
    return "\"\(escaped(argument))\""
  }
}
