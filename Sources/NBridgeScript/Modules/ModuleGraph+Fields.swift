// SPDX-License-Identifier: MIT

/// A linked program as ``ModuleCache`` keeps it.
extension ModuleGraph {
  func write(to fields: inout FieldWriter) { fields.put(modules) { $1.write(to: &$0) } }

  init(from fields: inout FieldReader) throws(FieldReader.Damage) {
    modules = try fields.list { (fields) throws(FieldReader.Damage) in try Module(from: &fields) }
    let places = modules.indices
    guard modules.allSatisfy({ $0.places.allSatisfy(places.contains) }) else { throw FieldReader.Damage() }
  }
}

extension ModuleGraph.Module {
  /// Of all modules that it names.
  fileprivate var places: [Int] {
    needs + stars + imports.map(\.module) + names.map(\.module) + Array(calls.values)
  }

  fileprivate func write(to fields: inout FieldWriter) {
    for text in [kind.rawValue, path, url, source, text, suffix] { fields.put(text) }
    fields.put(insertions) { $0.put($1) }
    fields.put(map)
    fields.put(authored)
    for flag in [awaits, isCalledEarly, usesMeta, usesRequire, isNodeModule] { fields.put(flag) }
    fields.put(needs) { $0.put($1) }
    fields.put(stars) { $0.put($1) }
    fields.put(imports) {
      $0.put($1.local)
      $0.put($1.module)
      $0.put($1.name)
    }
    fields.put(names) {
      $0.put($1.exported)
      $0.put($1.module)
      $0.put($1.name)
    }
    fields.put(calls.sorted { $0.key < $1.key }) {
      $0.put($1.key)
      $0.put($1.value)
    }
  }

  fileprivate init(from fields: inout FieldReader) throws(FieldReader.Damage) {
    guard let kind = Kind(rawValue: try fields.text()) else { throw FieldReader.Damage() }
    self.init(kind: kind, path: try fields.text(), url: try fields.text(), source: try fields.text())
    text = try fields.text()
    suffix = try fields.text()
    insertions = try fields.numbers()
    map = try fields.optionalText()
    authored = try fields.optionalText()
    awaits = try fields.flag()
    isCalledEarly = try fields.flag()
    usesMeta = try fields.flag()
    usesRequire = try fields.flag()
    isNodeModule = try fields.flag()
    needs = try fields.numbers()
    stars = try fields.numbers()
    imports = try fields.list { (fields) throws(FieldReader.Damage) in
      .init(local: try fields.text(), module: try fields.number(), name: try fields.optionalText())
    }
    names = try fields.list { (fields) throws(FieldReader.Damage) in
      .init(exported: try fields.text(), module: try fields.number(), name: try fields.optionalText())
    }
    let calls = try fields.list { (fields) throws(FieldReader.Damage) in
      (try fields.text(), try fields.number())
    }
    self.calls = Dictionary(calls, uniquingKeysWith: { first, _ in first })
  }
}

extension Fingerprint {
  /// A kept one; nil when anything of it has changed since, or when it is damaged.
  init?(from fields: inout FieldReader, _ builtins: (String) -> String? = { _ in nil }) {
    let digests = try? fields.list { (fields) throws(FieldReader.Damage) in
      (try fields.text(), try fields.text())
    }
    let files = try? fields.list { (fields) throws(FieldReader.Damage) in try fields.text() }
    guard let digests, let files else { return nil }
    self.init(
      digests: Dictionary(digests, uniquingKeysWith: { first, _ in first }), files: files, builtins)
  }

  func write(to fields: inout FieldWriter) {
    fields.put(digests.sorted { $0.key < $1.key }) {
      $0.put($1.key)
      $0.put($1.value)
    }
    fields.put(files.sorted()) { $0.put($1) }
  }
}

extension FieldReader {
  fileprivate mutating func numbers() throws(Damage) -> [Int] {
    try list { (fields) throws(Damage) in try fields.number() }
  }
}
