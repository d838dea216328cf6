// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// One entry of a window's menu: a menu of items, something to choose, or a line between.
package struct MenuItem: Codable, Sendable, Equatable, SchemaDescribed {
  /// What it says; `_` stands before the letter that chooses it. "-" is a line.
  package var label: String?
  /// What its event says.
  package var id: String?
  /// What the window itself does when it is chosen.
  package var role: MenuRole?
  /// A key, as `Ctrl+Shift+N` or `F5`.
  package var key: String?
  /// Whether it can't be chosen.
  package var disabled: Bool?
  /// Whether it has a mark; without it, it has no place for one.
  package var checked: Bool?
  /// What it opens.
  package var items: [MenuItem]?

  /// A shape must end: what stands deeper than these menus is looked at when it is used.
  package static var schema: Schema {
    get throws { shape(depth: 3) }
  }

  private static func shape(depth: Int) -> Schema {
    let items = Schema.array(depth == 1 ? .any : shape(depth: depth - 1))
    let members: [(String, Schema)] = [
      ("label", .string), ("id", .string), ("role", .oneOf(MenuRole.allCases.map(\.rawValue))),
      ("key", .string), ("disabled", .boolean), ("checked", .boolean), ("items", items),
    ]
    return .object(members.map { .init(name: $0, schema: $1, isOptional: true) })
  }

  /// The lines that the window is told: depth, role, id, key, whether it can be chosen, mark and label, by
  /// tabs.
  ///
  /// - Throws: `invalid_parameter`, with the path of what is wrong.
  static func lines(
    _ menu: [MenuItem], named name: String, in place: MenuPlace = .bar
  ) throws -> String {
    var lines: [String] = []
    try add(menu, depth: 0, name, place, &lines)
    return lines.joined(separator: "\n")
  }

  private static let depthLimit = 8
  private static let limit = 2_000

  private static func add(
    _ menu: [MenuItem], depth: Int, _ name: String, _ place: MenuPlace, _ lines: inout [String]
  ) throws {
    guard depth < depthLimit else { throw refused("\(name) is more than \(depthLimit) menus deep") }
    for (index, item) in menu.enumerated() {
      let path = "\(name)[\(index)]"
      guard lines.count < limit else { throw refused("\(name) has more than \(limit) items") }
      lines.append(try item.line(depth: depth, path, place))
      if let items = item.items { try add(items, depth: depth + 1, path + ".items", place, &lines) }
    }
  }

  private func line(depth: Int, _ path: String, _ place: MenuPlace) throws -> String {
    let label = label ?? role?.label ?? ""
    guard !label.isEmpty else { throw Self.refused("\(path) needs a label") }
    if place == .bar, depth == 0, items == nil {
      throw Self.refused("\(path) needs items: it stands in the bar")
    }
    if place == .tray, let key {
      throw Self.refused("\(path).key '\(key)' is heard by nobody: a tray's menu has no keys")
    }
    if items == nil, id == nil, role == nil, label != "-" {
      throw Self.refused("\(path) ('\(label)') needs an id, which its event says, a role or items")
    }
    if items != nil, id != nil || role != nil || key != nil {
      throw Self.refused("\(path) ('\(label)') is a menu: it has no id, role or key")
    }
    for text in [label, id ?? ""] where text.utf8.contains(where: { $0 < 0x20 }) {
      throw Self.refused("\(path) has a control character")
    }
    let kind = items != nil ? "menu" : label == "-" ? "line" : role?.rawValue ?? "item"
    let mark = checked.map { $0 ? "1" : "0" } ?? ""
    let parts = [
      "\(depth)", kind, id ?? "", try key.map { try MenuKey.accelerator($0, path) } ?? "",
      disabled == true ? "0" : "1", mark, label,
    ]
    return parts.joined(separator: "\t")
  }

  fileprivate static func refused(_ reason: String) -> BridgeError { BridgeError(.invalidParameter, reason) }
}

/// Where a menu is shown.
enum MenuPlace {
  /// Over a page, beside other menus.
  case bar
  /// At an icon in the desktop's tray. No key gets there.
  case tray
}

/// What a window does by itself.
package enum MenuRole: String, Codable, Sendable, CaseIterable {
  case undo, redo, cut, copy, paste, selectAll, reload, zoomIn, zoomOut, zoomReset, fullScreen, print,
    inspect,
    minimize, close, quit

  fileprivate var label: String {
    switch self {
    case .undo: "_Undo"
    case .redo: "_Redo"
    case .cut: "Cu_t"
    case .copy: "_Copy"
    case .paste: "_Paste"
    case .selectAll: "Select _All"
    case .reload: "_Reload"
    case .zoomIn: "Zoom _In"
    case .zoomOut: "Zoom _Out"
    case .zoomReset: "_Normal Size"
    case .fullScreen: "_Full Screen"
    case .print: "_Print…"
    case .inspect: "_Inspect"
    case .minimize: "_Minimize"
    case .close: "_Close"
    case .quit: "_Quit"
    }
  }
}

/// A key of a menu, as people write it.
enum MenuKey {
  private static let modifiers = [
    "ctrl": "<Control>", "control": "<Control>", "cmdorctrl": "<Control>", "shift": "<Shift>", "alt": "<Alt>",
    "option": "<Alt>", "super": "<Super>", "meta": "<Super>",
  ]
  /// GTK's names of keys that people write in another way (gdkkeysyms.h).
  private static let names = [
    "enter": "Return", "return": "Return", "esc": "Escape", "escape": "Escape", "del": "Delete",
    "delete": "Delete", "backspace": "BackSpace", "tab": "Tab", "space": "space", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "home": "Home", "end": "End", "pageup": "Page_Up",
    "pagedown": "Page_Down", "insert": "Insert", "plus": "plus", "minus": "minus", ",": "comma",
    ".": "period", "/": "slash", "-": "minus", "=": "equal", ";": "semicolon",
  ]

  /// As GTK's `gtk_accelerator_parse` takes it.
  ///
  /// - Throws: `invalid_parameter` for what is none.
  static func accelerator(_ text: String, _ path: String) throws -> String {
    var parts = text.split(separator: "+", omittingEmptySubsequences: false).map { $0.lowercased() }
    let refused = MenuItem.refused(
      "\(path).key '\(text)' is no key; write it as Ctrl+N, Ctrl+Shift+S, F5 or Alt+Left")
    guard let last = parts.popLast(), !last.isEmpty else { throw refused }
    var made = ""
    for part in parts {
      guard let modifier = modifiers[part] else { throw refused }
      made += modifier
    }
    if let name = names[last] { return made + name }
    let isFunction = last.first == "f" && (Int(last.dropFirst()).map { 1...24 ~= $0 } ?? false)
    if isFunction { return made + last.uppercased() }
    guard last.utf8.count == 1, let byte = last.utf8.first,
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
    else { throw refused }
    // A letter alone would be taken from every text that is typed.
    guard !parts.isEmpty, parts != ["shift"] else {
      throw MenuItem.refused("\(path).key '\(text)' would be taken from what people type; add Ctrl or Alt")
    }
    return made + last
  }
}
