// SPDX-License-Identifier: MIT

/// Where a value is gone through. The engine knows no place of a local variable that is: where that is
/// nothing, it tells what ran before.
extension NamedTokens {
  /// A place that asks a value for its elements.
  private struct Iteration {
    /// Where the value begins.
    let value: Int
    /// What stands in it, from the loop's, pattern's or spread's beginning on.
    let range: ClosedRange<Int>
    let isSpread: Bool
  }

  /// The variables that may be nothing and are gone through behind the place, in the same function, where
  /// nothing comes between of which the engine would have told the place.
  func iterated(behind place: Int, isSpread: Bool) -> [Int] {
    guard startedBody(place) == nil else { return [] }
    let (body, own) = function(around: place)
    let all = own.compactMap { iteration($0) }
    let declared = declarations(own)
    let parameters = parameters(of: body)
    let zone = Zone(self, around: place, body, own)
    // Where the engine tells one of these, the variable of one behind it may be meant as well.
    let around = all.filter { $0.range.contains(place) }
    let start = around.map(\.range.upperBound).max() ?? place
    let behind = all.filter { item in
      item.isSpread == isSpread && item.value > start && isWhole(item)
        && (declared[text(item.value)] != nil || parameters.contains(text(item.value)))
        && zone.reaches(item.value, at: item.value)
    }.map(\.value)
    return behind.isEmpty ? [] : around.map(\.value) + behind
  }

  private func iteration(_ index: Int) -> Iteration? {
    switch text(index) {
    case "of" where !isMember(index):
      guard let header = loop(around: index), let end = ends[header] else { return nil }
      return Iteration(value: index + 1, range: header...end - 1, isSpread: false)
    case "[" where isPattern(index):
      guard let end = ends[index], text(end) == "=" else { return nil }
      return Iteration(value: end + 1, range: index...declaratorEnd(end + 1) - 1, isSpread: false)
    case "yield" where text(index + 1) == "*":
      return Iteration(value: index + 2, range: index...declaratorEnd(index + 2) - 1, isSpread: false)
    case "." where text(index + 1) == "." && text(index + 2) == "." && text(index - 1) != ".":
      let value = index + 3
      return Iteration(value: value, range: index...max(value, declaratorEnd(value) - 1), isSpread: true)
    default: return nil
    }
  }

  /// The parenthesis of the `for` that an `of` is in.
  func loop(around index: Int) -> Int? {
    var at = index - 1
    while at > 0, text(at) != "(" { at = (starts[at + 1] ?? at) - 1 }
    return text(at) == "(" && (text(at - 1) == "for" || text(at - 2) == "for") ? at : nil
  }

  /// Whether its value is a name, and no more.
  private func isWhole(_ item: Iteration) -> Bool {
    guard tokens.indices.contains(item.value), tokens[item.value].kind == .word else { return false }
    let next = item.value + 1
    return !tokens.indices.contains(next) || [")", "]", "}", ",", ";"].contains(text(next))
      || (tokens[next].startsLine && tokens[next].kind == .word)
  }

  /// The names in a function's parameters.
  func parameters(of body: Range<Int>) -> Set<String> {
    Set(parametersRange(of: body).filter { tokens[$0].kind == .word }.map { text($0) })
  }

  /// The tokens of a function's parameters; none for a script.
  func parametersRange(of body: Range<Int>) -> Range<Int> {
    if body == 0..<tokens.count { return 0..<0 }
    if text(body.lowerBound) != "{" {
      return body.lowerBound..<(body.first { text($0) == "=>" } ?? body.lowerBound)
    }
    let close = text(body.lowerBound - 1) == "=>" ? body.lowerBound - 1 : body.lowerBound
    guard let open = starts[close] else { return max(0, close - 1)..<close }  // `x => {`
    return open..<close
  }

  /// Whether any of these tokens begins a pattern, or a default that may be one.
  func hasPatterns(_ range: Range<Int>) -> Bool {
    range.contains { ["{", "["].contains(text($0)) }
  }
}
