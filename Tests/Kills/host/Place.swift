// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeSystem

/// The place in which the programs of a scenario work: a folder of its own, with its own container and shared
/// folders.
struct Place {
  let scenario: Scenario
  let folder: String
  let program: String

  init(_ scenario: Scenario, program: String, scripts: String) throws {
    var template = Array("/tmp/nbridge-kills-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw KillProblem("no folder below /tmp") }
    (self.scenario, folder, self.program) = (scenario, String(cString: made), program)
    write("app.json", scenario.app)
    for script in ["\(scenario.plugin).work.js", "\(scenario.plugin).check.js"] {
      write(script, try Self.read("\(scripts)/\(script)"))
    }
    setenv("NBRIDGE_HOME", folder + "/home", 1)
    setenv("XDG_RUNTIME_DIR", folder, 1)
    setenv("NBRIDGE_PLUGINS", folder, 1)
  }

  func remove() { run("rm", ["-rf", folder]) }

  /// Makes what the scenario shows visible to the program that looks.
  func show() {
    guard let shows = scenario.shows else { return }
    run("rm", ["-rf", folder + "/shown"])
    run("cp", ["-r", "\(folder)/\(shows)", folder + "/shown"])
  }

  /// Whether something is left where nothing may be; nil when nothing is.
  var leftOver: String? { scenario.swept.lazy.flatMap { files(in: folder + "/" + $0) }.first }

  private func run(_ program: String, _ arguments: [String]) {
    _ = try? ChildProcess.start(program, arguments).wait()
  }

  private func write(_ name: String, _ text: String) {
    let file = open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    _ = Glibc.write(file, text, text.utf8.count)
    close(file)
  }

  /// The text of one of its files.
  func text(of name: String) throws -> String { try Self.read(folder + "/" + name) }

  private static func read(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw KillProblem("can't open '\(path)'") }
    defer { close(file) }
    var text: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(file, &room, room.count), count > 0 { text += room[..<count] }
    return String(decoding: text, as: UTF8.self)
  }

  /// The files that may be damaged, sorted.
  var damageable: [String] {
    scenario.stores.flatMap { files(in: folder + "/" + $0) }.sorted()
  }

  private func files(in path: String) -> [String] {
    guard let list = opendir(path) else { return access(path, F_OK) == 0 ? [path] : [] }
    defer { closedir(list) }
    var found: [String] = []
    while let entry = readdir(list) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      found += entry.pointee.d_type == UInt8(DT_DIR) ? files(in: path + "/" + name) : [path + "/" + name]
    }
    return found
  }
}

struct KillProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
