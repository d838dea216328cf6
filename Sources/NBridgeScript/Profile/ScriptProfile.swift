// SPDX-License-Identifier: MIT

/// Where a program's time went: how often each function was seen at work, and what had called it.
package struct ScriptProfile {
  /// A function, as its author knows it.
  package struct Function: Hashable, Sendable {
    /// Empty for one without a name.
    package var name: String
    /// The author's file; empty for what is native, or the runtime's own.
    package var file: String
  }

  /// A function in one chain of calls.
  package struct Node: Sendable {
    package var function: Int
    /// Where it is in ``nodes``, of what called it; nil for the first.
    package var parent: Int?
    package var children: [Int] = []
    /// The samples in which it ran itself.
    package var own = 0
    /// Those, and the ones in which something ran that it had called.
    package var total = 0
  }

  package private(set) var functions: [Function] = []
  /// The first line of each function at which it was seen, from 1; 0 for none.
  package private(set) var lines: [Int] = []
  /// The first is the program.
  package private(set) var nodes = [Node(function: 0)]
  /// The node of each sample, and the microseconds since the one before it.
  package private(set) var samples: [(node: Int, microseconds: Int)] = []

  /// Whether the engine saw more than is here: stacks that were too deep to be kept, or what can't be read.
  package var isCut = false

  private var places: [Key: Int] = [:]
  /// The functions by the engine's file and hash of their code.
  private var byCode: [String: Int] = [:]
  private var lastTime: Double?

  /// One function of one file, whatever line it was at.
  private struct Key: Hashable {
    let function: Function
    let code: String
  }

  /// How many samples are kept as such; more are counted only.
  private static let limit = 1_000_000

  package init() {
    functions.append(Function(name: "(program)", file: ""))
    lines.append(0)
  }

  /// Adds what the engine saw.
  ///
  /// - Parameter authored: the author's frame of an engine's one; nil for one that no author wrote.
  package mutating func add(_ text: String, authored: (StackFrame) -> StackFrame?) {
    guard let seen = ProfileSamples(text) else {
      isCut = isCut || !text.isEmpty
      return
    }
    var urls: [Double: String] = [:]
    for source in seen.sources { urls[source.sourceID] = source.url }
    for trace in seen.traces { add(trace, urls, authored) }
  }

  private mutating func add(
    _ trace: ProfileSamples.Trace, _ urls: [Double: String], _ authored: (StackFrame) -> StackFrame?
  ) {
    let chain = chain(of: trace, urls, authored)
    var at = 0
    nodes[at].total += 1
    for function in chain {
      at = child(of: at, function)
      nodes[at].total += 1
    }
    nodes[at].own += 1
    let passed = lastTime.map { (trace.timestamp - $0) * 1_000_000 } ?? 0
    lastTime = trace.timestamp
    if samples.count < Self.limit { samples.append((at, max(0, Int(passed)))) }
  }

  /// The functions that were running, the outermost first. Of those in a row that no author wrote, the first:
  /// what it does inside is its own affair. What leads to the author's first function is left out.
  private mutating func chain(
    of trace: ProfileSamples.Trace, _ urls: [Double: String], _ authored: (StackFrame) -> StackFrame?
  ) -> [Int] {
    var chain: [Int] = []
    for frame in trace.frames.reversed() {
      let function = function(of: frame, urls[frame.sourceID], authored)
      let isOthers = functions[function].file.isEmpty
      if isOthers, chain.last.map({ functions[$0].file.isEmpty }) ?? true { continue }
      chain.append(function)
    }
    return chain.isEmpty && !trace.frames.isEmpty ? [index(Self.ofRuntime, "", line: 0)] : chain
  }

  private static let ofRuntime = Function(name: "(nbridge)", file: "")

  private mutating func function(
    of frame: ProfileSamples.Frame, _ url: String?, _ authored: (StackFrame) -> StackFrame?
  ) -> Int {
    let code = String(frame.location.prefix { $0 != ":" })
    let isProgram = frame.name == "(program)" || frame.name == "(eval)"
    let name = isProgram ? "" : frame.name
    guard let url else {
      return index(Function(name: frame.name == "(host)" ? "(native)" : frame.name, file: ""), code, line: 0)
    }
    // The fastest code does not always know its line.
    guard frame.line < 0xFFFF_FFFF else {
      let text = "\(name)@\(url):1:1"
      if let known = byCode["\(url) \(code)"] { return known }
      let file = StackFrame(text).flatMap(authored)?.url
      guard let file else { return index(Self.ofRuntime, "", line: 0) }
      return index(Function(name: name, file: file), code, line: 0)
    }
    let text = "\(name)@\(url):\(Int(frame.line)):\(min(Int(frame.column), 1 << 30))"
    guard let place = StackFrame(text).flatMap(authored) else { return index(Self.ofRuntime, "", line: 0) }
    let function = index(Function(name: name, file: place.url), code, line: place.line)
    byCode["\(url) \(code)"] = function
    return function
  }

  private mutating func index(_ function: Function, _ code: String, line: Int) -> Int {
    let key = Key(function: function, code: code)
    let place = places[key] ?? functions.count
    if place == functions.count {
      places[key] = place
      functions.append(function)
      lines.append(line)
    }
    if line > 0 { lines[place] = lines[place] == 0 ? line : min(lines[place], line) }
    return place
  }

  private mutating func child(of parent: Int, _ function: Int) -> Int {
    if let known = nodes[parent].children.first(where: { nodes[$0].function == function }) { return known }
    nodes.append(Node(function: function, parent: parent))
    nodes[parent].children.append(nodes.count - 1)
    return nodes.count - 1
  }
}

extension ScriptProfile {
  /// How many samples there are.
  package var count: Int { nodes[0].total }

  /// Of a name: what is longer can't be shown.
  private static let maxName = 200

  /// What a function is called, to be shown: its name, and its file and line where it has them.
  package func label(_ function: Int) -> String {
    let whole = functions[function].name
    let name = DisplayText.printable(
      whole.utf8.count > Self.maxName ? whole.prefix(Self.maxName) + "…" : whole)
    let file = DisplayText.printable(functions[function].file)
    if file.isEmpty { return name }
    let place = lines[function] > 0 ? "\(file):\(lines[function])" : file
    return name.isEmpty ? place : "\(name) \(place)"
  }

  /// The functions that ran longest themselves, with their own samples and those of what they called, each
  /// sample once.
  package func longest(_ limit: Int) -> [(function: Int, own: Int, total: Int)] {
    var own = Array(repeating: 0, count: functions.count), total = own
    for index in nodes.indices.dropFirst() {
      own[nodes[index].function] += nodes[index].own
      if !isBelowItself(index) { total[nodes[index].function] += nodes[index].total }
    }
    let order = own.indices.filter { own[$0] > 0 }.sorted { (own[$0], $1) > (own[$1], $0) }
    return order.prefix(limit).map { ($0, own[$0], total[$0]) }
  }

  /// Whether a function called itself, however indirectly: then the outer one has counted it.
  private func isBelowItself(_ index: Int) -> Bool {
    var at = nodes[index].parent
    while let node = at {
      if nodes[node].function == nodes[index].function { return true }
      at = nodes[node].parent
    }
    return false
  }
}
