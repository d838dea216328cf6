// SPDX-License-Identifier: MIT

/// A member of a class with decorators or `accessor`, and what the engine can run instead.
struct LoweredMember {
  let marker: Lowering.Marker
  let index: Int
  let state: String
  /// Where its own words begin.
  var start = 0
  private(set) var isStatic = false
  private var kind = "method"
  var key = TokenList.Item(kind: .end, text: "", range: 0..<0, startsLine: false)
  /// What stands in the brackets of its key.
  var computed: Range<Int>?
  /// Where its first value begins; nil without one.
  var value: Int?
  /// Whether the value may be a function without a name, which gets the field's.
  var getsName = false
  /// Behind its value, or its key.
  var end = 0

  init(_ marker: Lowering.Marker, index: Int, state: String) {
    (self.marker, self.index, self.state) = (marker, index, state)
    switch marker.kind {
    case .method: kind = "method"
    case .field: kind = "field"
    case .accessor: kind = "accessor"
    }
  }

  mutating func take(_ word: String) {
    switch word {
    case "static": isStatic = true
    case "get": kind = "getter"
    case "set": kind = "setter"
    default: break
    }
  }

  /// Of an accessor without decorators, whose name is plain, the text says all.
  var needsState: Bool { marker.kind != .accessor || marker.literal == nil && !marker.isEmpty }

  private var mark: UnicodeScalar { ModuleText.mark }
  /// A name that ``NewerSyntax`` made is no private one.
  private var isPrivate: Bool { key.text.hasPrefix("#") && !key.text.hasPrefix("#\(mark)") }
  private var word: String { isStatic ? "static " : "" }

  typealias Edit = (range: Range<Int>, text: String)

  /// All changes, in order of place.
  var edits: [Edit] {
    guard needsState else { return [(marker.whole, "")] + plainAccessor }
    var edits: [Edit] = [
      (marker.call, "\(state).element(\(about),["), (marker.close, "])"),
    ]
    switch marker.kind {
    case .method: edits += method
    case .field: edits += isPrivate ? [] : [(key.range, "[\(state).nameOf(\(index))]")]
    case .accessor: edits += accessor
    }
    return marker.kind == .method ? edits : edits + first
  }

  /// What is told of it.
  private var about: String {
    var parts = ["kind:\"\(kind)\",isStatic:\(isStatic),isPrivate:\(isPrivate)"]
    if marker.kind != .method, !isPrivate {
      parts.append("hasKey:true")
    } else if computed == nil {
      let name = key.kind == .string || key.kind == .number ? key.text : ValueText.quoted(key.text)
      parts.append("name:\(key.kind == .number ? "String(\(name))" : name)")
    }
    if isPrivate { parts.append("of:{\(access)}") }
    return "{\(parts.joined(separator: ","))}"
  }

  private var access: String {
    var parts = ["has:o=>\(key.text) in o"]
    if kind != "setter" { parts.append("get:o=>o.\(key.text)") }
    if kind != "method", kind != "getter" { parts.append("set:(o,v)=>{o.\(key.text)=v}") }
    return parts.joined(separator: ",")
  }

  private var method: [Edit] {
    if let computed {
      return [
        (computed.lowerBound..<computed.lowerBound, "\(state).key(\(index),"),
        (computed.upperBound..<computed.upperBound, ")"),
      ]
    }
    guard isPrivate else { return [] }
    let name = key.text
    let stand =
      switch kind {
      case "getter": "get \(name)(){return \(state).get(\(index),this)}"
      case "setter": "set \(name)(\(mark)){\(state).set(\(index),this,\(mark))}"
      default: "get \(name)(){return \(state).value(\(index))}"
      }
    return [(start..<start, word + stand), (key.range, "[\(state).temporary(\(index))]")]
  }

  /// The private name that an accessor keeps its value by.
  private var storage: String { isPrivate ? "#\(mark)s\(state.dropFirst())_\(index)" : key.text }

  private func pair(_ name: String) -> String {
    "\(word)get \(name)(){return this.\(storage)}\(word)set \(name)(\(mark)){this.\(storage)=\(mark)}"
  }

  private var accessor: [Edit] {
    guard isPrivate else { return [(start..<start, pair("[\(state).nameOf(\(index))]"))] }
    let stand =
      "\(word)get \(key.text)(){return \(state).get(\(index),this)}"
      + "\(word)set \(key.text)(\(mark)){\(state).set(\(index),this,\(mark))}"
    return [(start..<start, stand + pair("[\(state).temporary(\(index))]")), (key.range, storage)]
  }

  private var plainAccessor: [Edit] {
    let name = isPrivate ? key.text : marker.literal?.text ?? ""
    var edits: [Edit] = [(start..<start, pair(name))]
    if isPrivate { edits.append((key.range, storage)) }
    if let value, getsName {
      let name = isPrivate ? ValueText.quoted(name) : name
      edits += [(value..<value, "({[\(name)]:"), (end..<end, "})[\(name)]")]
    }
    edits.append((end..<end, ";"))
    return edits
  }

  /// The field's first value, and what its decorators asked for.
  private var first: [Edit] {
    let name = getsName ? "initNamed(\(index),this,{[\(state).nameOf(\(index))]:" : "init(\(index),this,"
    let extra = "\(state).extra(\(index),this)"
    let behind = isStatic ? ";static{\(extra)}" : ";#\(mark)x\(index)=\(extra);"
    guard let value else { return [(end..<end, "=\(state).init(\(index),this,void 0)" + behind)] }
    return [(value..<value, "\(state).\(name)"), (end..<end, (getsName ? "})" : ")") + behind)]
  }
}
