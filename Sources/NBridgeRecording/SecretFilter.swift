// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
package import NBridgeHost
package import NBridgePlugin

/// What of a call is secret as a whole.
package struct SecretScope: Sendable, Equatable {
  var input = false
  var answer = false
  static let open = SecretScope()
}

/// Takes secrets out of what a recording keeps, and puts marks in their place: `[redacted 1]` for a text, the
/// same one each time; 0 for numbers and dates, zeros for bytes. Secret is
///
/// - what a member holds whose name contains a secret word (``defaultWords``, and what `app.json` adds
///   for the logger), the value of such a key in a Map, and `value` beside a `key` or `name` that contains
///   one;
/// - the answer to a call that names such a key;
/// - every text beside `concealed: true`;
/// - everything of an action that its plugin declares `confidential()`;
/// - what a program was given as `--token VALUE` or `--token=VALUE`, and what a person answers to a `prompt`
///   that asks for one;
/// - a text of 8 bytes or more that was secret once, wherever it stands later: in texts, names of members,
///   bytes.
///
/// JSON in texts and bytes is looked into, line by line. A replay filters what it compares in the same order,
/// so that marks meet marks. Used by one thread at a time.
package final class SecretFilter {
  private let secrets: KnownSecrets
  /// Calls that wait and have something secret, by slot.
  private var parked: [Int: SecretScope] = [:]

  package static let defaultWords = [
    "password", "passwd", "passphrase", "token", "secret", "authorization", "credential", "cookie", "apikey",
    "api_key",
    "api-key", "privatekey", "private_key", "private-key",
  ]
  /// How deep JSON in texts in JSON is looked into.
  private static let deepest = 3

  package init(_ words: [String]) { secrets = KnownSecrets(words) }

  // MARK: - Calls

  /// What of a call is secret altogether.
  package func scope(isConfidential: Bool, _ input: WireInput) -> SecretScope {
    if isConfidential { return SecretScope(input: true, answer: true) }
    guard secrets.mentions(input.text), let source = try? WireSource(input.text),
      let object = source.object(at: 0), namesSecret(source, object)
    else { return .open }
    return SecretScope(input: false, answer: true)
  }

  /// The call is answered later.
  func park(_ scope: SecretScope, _ slot: Int) { parked[slot] = scope == .open ? nil : scope }

  /// A text and its bytes without what is secret; nil when nothing is.
  package func filter(_ text: UnsafeBufferPointer<UInt8>, _ bytes: [Bytes], isSecret: Bool) -> (
    [UInt8], [Bytes]
  )? {
    guard isSecret || mayHold(text) || bytes.contains(where: { mayHold($0) }), !text.isEmpty else {
      return nil
    }
    do {
      let source = try WireSource(text, attachments: bytes)
      var rewriting = Rewriting(bytes: bytes)
      rewriting.text.reserveCapacity(text.count + 16)
      rewrite(source, 0, isSecret, &rewriting)
      return rewriting.text.elementsEqual(text) && !rewriting.hasOtherBytes
        ? nil : (rewriting.text, rewriting.bytes)
    } catch {
      // No JSON, so the filter can't know what in it is a secret.
      return (Array(#""[redacted]""#.utf8), bytes.map(Self.zeros))
    }
  }

  package func filter(_ replies: [SlotReply]) -> [SlotReply] {
    replies.map { slot, reply in
      let scope = parked[slot] ?? .open
      if reply.kind.rawValue < ReplyKind.events.rawValue, !parked.isEmpty { parked[slot] = nil }
      return (slot, filter(reply, scope))
    }
  }

  package func filter(_ reply: Reply, _ scope: SecretScope) -> Reply {
    var reply = reply
    switch reply.payload {
    case .undefined, .bool: break
    case .number: if scope.answer { reply.payload = .number(0) }
    case .string(let text):
      if let filtered = filter(plain: Array(text.utf8), isSecret: scope.answer, depth: 0) {
        reply.payload = .string(String(decoding: filtered, as: UTF8.self))
      }
    case .bytes(let bytes):
      if let filtered = filter(bytes, isSecret: scope.answer, depth: 0) { reply.payload = .bytes(filtered) }
    case .text(let text):
      // A failure says what failed; what is secret in it is a secret that is known.
      let isSecret = scope.answer && reply.kind != .failure
      if let (filtered, _) = text.withUnsafeBufferPointer({ filter($0, [], isSecret: isSecret) }) {
        reply.payload = .text(filtered)
      }
    case .mixed(let text, let bytes):
      if let (filtered, left) = text.withUnsafeBufferPointer({ filter($0, bytes, isSecret: scope.answer) }) {
        reply.payload = .mixed(filtered, left)
      }
    }
    return reply
  }

  // MARK: - What is no call

  /// A program's arguments: what follows an option that is named like a secret is one.
  package func filter(arguments: [String]) -> [String] {
    var option = false
    return arguments.map { argument in
      let isValue = option && !argument.hasPrefix("--")
      option = false
      guard argument.hasPrefix("-"), secrets.mentions(argument) else {
        return filter(argument, isSecret: isValue)
      }
      guard let equals = argument.firstIndex(of: "=") else {
        option = true
        return argument
      }
      return argument[...equals] + filter(String(argument[argument.index(after: equals)...]), isSecret: true)
    }
  }

  package func filter(settings: [String: Value]) -> [String: Value] {
    var filtered = settings
    for (service, value) in settings.sorted(by: { $0.key < $1.key }) {
      let rules = value.text.withUnsafeBufferPointer { filter($0, value.attachments, isSecret: false) }
      if let (text, bytes) = rules { filtered[service] = Value(text: text, attachments: bytes) }
    }
    return filtered
  }

  /// A text that a person typed, or that the machine gave.
  package func filter(_ text: String, isSecret: Bool) -> String {
    filter(plain: Array(text.utf8), isSecret: isSecret, depth: 0).map { String(decoding: $0, as: UTF8.self) }
      ?? text
  }

  /// Whether what a person is asked for is a secret.
  func asksForSecret(_ question: String) -> Bool { secrets.mentions(question) }

  // MARK: - Texts and bytes

  private func mayHold(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    secrets.mayStand(in: text)
  }

  private func mayHold(_ bytes: Bytes) -> Bool {
    bytes.withUnsafeBytes { mayHold($0.assumingMemoryBound(to: UInt8.self)) }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// A text, no JSON; nil when nothing in it is secret.
  private func filter(plain text: [UInt8], isSecret: Bool, depth: Int) -> [UInt8]? {
    if isSecret { return secrets.mark(for: text) }
    return text.withUnsafeBufferPointer { text in
      guard mayHold(text) else { return nil }
      return depth < Self.deepest
        ? filter(lines: text, depth + 1) ?? secrets.replaced(text) : secrets.replaced(text)
    }
  }

  /// A text of which each line may be JSON; nil when none is that holds a secret.
  private func filter(lines text: UnsafeBufferPointer<UInt8>, _ depth: Int) -> [UInt8]? {
    if text.starts(with: Self.byteOrderMark) {
      let rest = UnsafeBufferPointer(rebasing: text.dropFirst(Self.byteOrderMark.count))
      return filter(lines: rest, depth).map { Self.byteOrderMark + $0 }
    }
    if let whole = filter(json: text, depth) { return whole }
    guard text.contains(UInt8(ascii: "\n")) else { return nil }
    var result: [UInt8] = []
    var isOther = false
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      if index > 0 { result.append(UInt8(ascii: "\n")) }
      let line = UnsafeBufferPointer(rebasing: line)
      let filtered = filter(json: line, depth) ?? secrets.replaced(line)
      isOther = isOther || filtered != nil
      result += filtered ?? Array(line)
    }
    return isOther ? result : nil
  }

  /// What JSON begins with that can hold a secret, and a record on its way to the logger: its level's digit
  /// stands in the place of the brace.
  private static let opening = Set("{[0123456789".utf8)

  private func filter(json text: UnsafeBufferPointer<UInt8>, _ depth: Int) -> [UInt8]? {
    guard mayHold(text), let first = text.first else { return nil }
    if let member = Self.member(text) { return filter(member: text, member, depth) }
    guard let start = text.first(where: { $0 > 0x20 }), Self.opening.contains(start) else { return nil }
    if 0x30...0x39 ~= first {
      let record = [UInt8(ascii: "{")] + text.dropFirst()
      return record.withUnsafeBufferPointer { filter(json: $0, depth) }.map { [first] + $0.dropFirst() }
    }
    guard let source = try? WireSource(text) else { return nil }
    var rewriting = Rewriting(bytes: [], depth: depth)
    rewrite(source, 0, false, &rewriting)
    return rewriting.text.elementsEqual(text) ? nil : rewriting.text
  }

  /// A line of JSON that is written over several: a member by itself.
  private static func member(_ line: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let start = line.firstIndex(where: { $0 > 0x20 }), line[start] == UInt8(ascii: "\""),
      let end = line.lastIndex(where: { $0 > 0x20 && $0 != UInt8(ascii: ",") })
    else { return nil }
    return start..<end + 1
  }

  private func filter(member line: UnsafeBufferPointer<UInt8>, _ place: Range<Int>, _ depth: Int) -> [UInt8]?
  {
    let object = [UInt8(ascii: "{")] + line[place] + [UInt8(ascii: "}")]
    return object.withUnsafeBufferPointer { filter(json: $0, depth) }.map {
      line[..<place.lowerBound] + $0.dropFirst().dropLast() + line[place.upperBound...]
    }
  }

  private func filter(_ bytes: Bytes, isSecret: Bool, depth: Int) -> Bytes? {
    if isSecret { return Self.zeros(bytes) }
    let filtered = bytes.withUnsafeBytes { memory -> [UInt8]? in
      let text = memory.assumingMemoryBound(to: UInt8.self)
      guard mayHold(text) else { return nil }
      return filter(lines: text, depth + 1) ?? secrets.zeroed(text)
    }
    guard let filtered else { return nil }
    var result = Bytes(filtered)
    result.view = bytes.view
    return result
  }

  private static func zeros(_ bytes: Bytes) -> Bytes {
    var zeros = Bytes(count: bytes.count) { _ in }
    zeros.view = bytes.view
    return zeros
  }

  // MARK: - JSON

  private struct Rewriting {
    var text: [UInt8] = []
    var bytes: [Bytes]
    var hasOtherBytes = false
    var depth = 0
  }

  private func rewrite(_ source: borrowing WireSource, _ node: Int, _ isSecret: Bool, _ out: inout Rewriting)
  {
    switch source.tape[node].kind {
    case .object:
      if let (tag, payload) = source.tag(at: node) {
        return rewriteTagged(source, node, tag, payload, isSecret, &out)
      }
      rewriteMembers(source, node, isSecret, &out)
    case .array: rewriteElements(source, node, &out) { out, child in rewrite(source, child, isSecret, &out) }
    case .string, .escapedString: rewriteString(source, node, isSecret, &out)
    case .integer, .number:
      if isSecret { out.text.append(UInt8(ascii: "0")) } else { out.text += source.text(of: node) }
    case .null, .true, .false, .end, .replaced: out.text += source.text(of: node)
    }
  }

  private func rewriteElements(
    _ source: borrowing WireSource, _ node: Int, _ out: inout Rewriting,
    _ body: (inout Rewriting, Int) -> Void
  ) {
    out.text.append(UInt8(ascii: "["))
    var child = node + 1
    while source.tape[child].kind != .end {
      if child != node + 1 { out.text.append(UInt8(ascii: ",")) }
      body(&out, child)
      child = Int(source.tape[child].next)
    }
    out.text.append(UInt8(ascii: "]"))
  }

  private func rewriteString(
    _ source: borrowing WireSource, _ node: Int, _ isSecret: Bool, _ out: inout Rewriting
  ) {
    let written = source.text(of: node)
    // A lone surrogate, which JSON can say and UTF-8 can't: it is taken as it is written.
    let plain =
      (try? source.tape.string(node)).map { Array($0.utf8) } ?? Array(written.dropFirst().dropLast())
    if let filtered = filter(plain: plain, isSecret: isSecret, depth: out.depth), filtered != plain {
      Self.quote(filtered, &out.text)
    } else {
      out.text += written
    }
  }

  /// The name of a member; a word alone is rather a plugin's than a secret.
  private func rewriteName(_ source: borrowing WireSource, _ key: Int, _ out: inout Rewriting) {
    let isWord = source.text(of: key).dropFirst().dropLast().allSatisfy {
      0x41...0x5A ~= $0 || 0x61...0x7A ~= $0
    }
    if isWord { out.text += source.text(of: key) } else { rewriteString(source, key, false, &out) }
  }

  private static func quote(_ text: [UInt8], _ out: inout [UInt8]) {
    let sink = WireSink()
    sink.write(String(decoding: text, as: UTF8.self))
    out += sink.text
  }

  private func rewriteTagged(
    _ source: borrowing WireSource, _ node: Int, _ tag: WireTag, _ payload: Int, _ isSecret: Bool,
    _ out: inout Rewriting
  ) {
    switch tag {
    case .map, .set, .object:
      out.text += Array(#"{"$nb":[""#.utf8) + [tag.rawValue] + Array(#"","#.utf8)
      if tag == .map, source.tape[payload].kind == .array {
        rewriteElements(source, payload, &out) { out, pair in rewritePair(source, pair, isSecret, &out) }
      } else {
        rewrite(source, payload, isSecret, &out)
      }
      out.text += Array("]}".utf8)
    case .bytes:
      if let index = source.tape.integer(payload, as: Int.self), out.bytes.indices.contains(index),
        let filtered = filter(out.bytes[index], isSecret: isSecret, depth: out.depth)
      {
        out.bytes[index] = filtered
        out.hasOtherBytes = true
      }
      out.text += source.text(of: node)
    case .bigInt: out.text += isSecret ? Array(#"{"$nb":["i","0"]}"#.utf8) : Array(source.text(of: node))
    case .date: out.text += isSecret ? Array(#"{"$nb":["d",0]}"#.utf8) : Array(source.text(of: node))
    case .undefined, .number, .handle, .channel: out.text += source.text(of: node)
    }
  }

  /// A key of a Map and its value.
  private func rewritePair(
    _ source: borrowing WireSource, _ pair: Int, _ isSecret: Bool, _ out: inout Rewriting
  ) {
    guard source.tape[pair].kind == .array else { return rewrite(source, pair, isSecret, &out) }
    let names = isString(source, pair + 1) && mentions(source, pair + 1)
    rewriteElements(source, pair, &out) { out, child in
      rewrite(source, child, isSecret || names && child != pair + 1, &out)
    }
  }

  /// Whether a name says a secret word, however JSON writes it.
  private func mentions(_ source: borrowing WireSource, _ node: Int) -> Bool {
    guard source.tape[node].kind == .escapedString, let name = try? source.tape.string(node) else {
      return secrets.mentions(source.text(of: node))
    }
    return secrets.mentions(name)
  }

  private func isString(_ source: borrowing WireSource, _ node: Int) -> Bool {
    source.tape[node].kind == .string || source.tape[node].kind == .escapedString
  }

  private func rewriteMembers(
    _ source: borrowing WireSource, _ node: Int, _ isSecret: Bool, _ out: inout Rewriting
  ) {
    let isConcealed = isSecret || concealsTexts(source, node)
    let valueIsSecret = isSecret || namesSecret(source, node)
    out.text.append(UInt8(ascii: "{"))
    var key = node + 1
    var isFirst = true
    while source.tape[key].kind != .end {
      defer { key = Int(source.tape[key + 1].next) }
      // A member that another of the same name replaces: no reader sees it, and its name is no longer known.
      if source.tape[key].kind == .replaced { continue }
      if !isFirst { out.text.append(UInt8(ascii: ",")) }
      isFirst = false
      rewriteName(source, key, &out)
      out.text.append(UInt8(ascii: ":"))
      let isValue = valueIsSecret && source.tape.matches(key, Self.value)
      rewrite(source, key + 1, isConcealed || isValue || mentions(source, key), &out)
    }
    out.text.append(UInt8(ascii: "}"))
  }

  /// Whether an object says that its texts are concealed.
  private func concealsTexts(_ source: borrowing WireSource, _ node: Int) -> Bool {
    source.find("concealed", in: node).map { source.tape[$0].kind == .true } ?? false
  }

  /// Whether an object has a `key` or a `name` that contains a secret word.
  private func namesSecret(_ source: borrowing WireSource, _ node: Int) -> Bool {
    ["key", "name"].contains { member in
      guard let found = source.find(member, in: node), isString(source, found) else { return false }
      return mentions(source, found)
    }
  }

  private nonisolated(unsafe) static let value = UnsafeBufferPointer(
    start: ("value" as StaticString).utf8Start, count: 5)  // a constant of the program's, never written
}
