// SPDX-License-Identifier: MIT

import NBridgePlugin
import Synchronization

/// What the guides on settings, permissions and a plugin's own JavaScript show: `GuidePluginTests` runs it.
struct NotesPlugin: Plugin {
  static let manifest = PluginManifest(
    service: "notes", version: "1.0.0", help: "Keeps notes.",
    script: PluginScript(source: script, members: members, types: types))

  struct Settings: Codable, Sendable {
    /// How long a note may get, in characters.
    var longest: Int?
  }

  struct Named: Codable, Sendable { var name: String }
  struct Line: Codable, Sendable {
    var name: String
    var text: String
  }

  private let notes = Notes()

  func start(_ app: AppEnvironment) throws {
    notes.longest = try app.settings(as: Settings.self)?.longest ?? 10_000
  }

  var body: PluginBody {
    Immediate("read", "The text of a note.") { [notes] (option: Named, call) throws in
      if option.name.hasPrefix("private/"), !call.allows("notes.read:\(option.name)") {
        throw BridgeError(.permissionDenied, "the app may not read the note '\(option.name)'")
      }
      return try notes.text(of: option.name)
    }
    .positional("name").errors(.notFound)
    Immediate("append", "Adds a line to a note.") { [notes] (option: Line, call) throws in
      try notes.add(option.text, to: option.name)
    }
    .hidden().permission("write")
  }
}

extension NotesPlugin {
  static let script = """
    (facade, hidden, BridgeError, program) => {
      "use strict";
      class Note {
        constructor(name) { this.name = name; }
        add(text) { return hidden.append({ name: this.name, text }); }
        text() { return facade.read(this.name); }
      }
      facade.note = (name) => {
        if (typeof name === "string") return new Note(name);
        throw new BridgeError("invalid_parameter", `name must be a string, not ${typeof name}`);
      };
    }
    """

  static let members = """
    /** A note, which need not be there yet. */
    note(name: string): NBridgeNote;

    """

  static let types = """
    /** A note by its name. */
    interface NBridgeNote {
      readonly name: string;
      /** Adds a line. */
      add(text: string): Promise<void>;
      text(): Promise<string>;
    }

    """
}

/// The notes of one program.
final class Notes: Sendable {
  private let state = Mutex((texts: [String: String](), longest: 0))

  var longest: Int {
    get { state.withLock { $0.longest } }
    set { state.withLock { $0.longest = newValue } }
  }

  func text(of name: String) throws -> String {
    guard let text = state.withLock({ $0.texts[name] }) else {
      throw BridgeError(.notFound, "there is no note '\(name)'")
    }
    return text
  }

  func add(_ line: String, to name: String) throws {
    try state.withLock { state in
      let text = state.texts[name, default: ""] + line + "\n"
      guard text.count <= state.longest else {
        throw BridgeError(
          .tooLarge, "a note may have \(state.longest) characters, and would get \(text.count)")
      }
      state.texts[name] = text
    }
  }
}
