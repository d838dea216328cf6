// SPDX-License-Identifier: MIT

/// The operands of conditionals and logical operators that are open at a place of an expression. The lower
/// an operator binds (ECMA-262, 13.13 to 13.16), the more of them it ends.
struct OpenChoices {
  enum Level: Int {
    /// Between `?` and `:`.
    case consequent
    /// Behind the `:`, or behind `&&=`, `||=`, `??=`.
    case rest
    /// Behind `||` and `??`.
    case or
    /// Behind `&&`.
    case and
  }

  private(set) var open: [(level: Level, group: Int)] = []
  /// How many conditionals wait for their `:`.
  private(set) var conditions = 0

  mutating func push(_ level: Level, _ group: Int) {
    open.append((level, group))
    if level == .consequent { conditions += 1 }
  }

  /// Ends those that bind as an operator's level or tighter. Answers how many.
  mutating func end(from level: Level) -> Int {
    var count = 0
    while let last = open.last, last.level.rawValue >= level.rawValue {
      open.removeLast()
      count += 1
    }
    return count
  }

  /// Ends those up to the innermost conditional's first half. Answers how many, and the conditional's group.
  mutating func endConsequent() -> (count: Int, group: Int) {
    var count = 0
    while let last = open.popLast() {
      count += 1
      if last.level == .consequent {
        conditions -= 1
        return (count, last.group)
      }
    }
    return (count, 0)
  }

  /// Ends all.
  mutating func endAll() -> Int {
    defer { (open, conditions) = ([], 0) }
    return open.count
  }
}
