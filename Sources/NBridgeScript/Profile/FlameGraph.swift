// SPDX-License-Identifier: MIT

/// A profile as a picture: a bar for each function, as wide as it was seen, below the one that called it.
/// SVG without scripts; a bar tells more under the pointer.
package struct FlameGraph {
  private let profile: ScriptProfile
  private static let width = 1200.0
  private static let height = 18
  private static let top = 34
  /// Of a letter of the font, in pixels.
  private static let letter = 6.7
  /// Bars that are narrower can't be seen.
  private static let minWidth = 0.4
  /// What is called deeper than this is left out: a recursion would make a picture that nothing can show.
  private static let maxDepth = 400

  package init(_ profile: ScriptProfile) { self.profile = profile }

  /// The text of the file.
  package var svg: String {
    var bars: [String] = []
    var depth = 0
    add(0, at: 0, depth: 0, &bars, &depth)
    let height = Self.top + (depth + 1) * Self.height + 8
    let title = "\(profile.count) samples, about one in 5 ms"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(height)" \
      viewBox="0 0 \(Int(Self.width)) \(height)" font-family="monospace" font-size="11">
      <style>
      svg{background:#fff}.t{fill:#222}text{pointer-events:none;fill:#111}g:hover rect{stroke:#000}
      @media(prefers-color-scheme:dark){svg{background:#1b1b1f}.t{fill:#ddd}g:hover rect{stroke:#fff}}
      </style>
      <text class="t" x="4" y="20" font-size="14">\(title)</text>
      \(bars.joined(separator: "\n"))
      </svg>

      """
  }

  private func add(_ index: Int, at x: Double, depth: Int, _ bars: inout [String], _ deepest: inout Int) {
    let node = profile.nodes[index]
    let width = Self.width * Double(node.total) / Double(max(1, profile.count))
    guard width >= Self.minWidth, depth < Self.maxDepth else { return }
    deepest = max(deepest, depth)
    bars.append(bar(node, x, width, depth))
    var at = x
    for child in node.children.sorted(by: { profile.nodes[$0].total > profile.nodes[$1].total }) {
      add(child, at: at, depth: depth + 1, &bars, &deepest)
      at += Self.width * Double(profile.nodes[child].total) / Double(max(1, profile.count))
    }
  }

  private func bar(_ node: ScriptProfile.Node, _ x: Double, _ width: Double, _ depth: Int) -> String {
    let label = profile.label(node.function)
    let letters = Int((width - 6) / Self.letter)
    let y = Self.top + depth * Self.height
    let fits = label.count <= letters
    let shown = letters < 3 ? "" : fits ? label : label.prefix(letters - 1) + "…"
    let share = Self.percent(node.total, of: profile.count), own = Self.percent(node.own, of: profile.count)
    return """
      <g><title>\(Self.escaped(label)): \(share), itself \(own)</title>\
      <rect x="\(Self.short(x))" y="\(y)" width="\(Self.short(width))" height="\(Self.height - 1)" rx="1" \
      fill="\(colour(node.function))"/>\
      <text x="\(Self.short(x + 3))" y="\(y + 13)">\(Self.escaped(String(shown)))</text></g>
      """
  }

  /// One colour for each file; grey for what no author wrote.
  private func colour(_ function: Int) -> String {
    let file = profile.functions[function].file
    if file.isEmpty { return "#b8b8c0" }
    let hue = file.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 360
    return "hsl(\(hue),65%,\(72 + Int(profile.lines[function] % 3) * 4)%)"
  }

  /// `41.2 %`.
  static func percent(_ part: Int, of whole: Int) -> String {
    let tenths = whole == 0 ? 0 : (part * 1000 + whole / 2) / whole
    return "\(tenths / 10).\(tenths % 10) %"
  }

  private static func short(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    let rest = hundredths % 100
    return rest == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// As XML 1.0 takes it: no control characters.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
