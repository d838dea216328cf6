// SPDX-License-Identifier: MIT

extension PluginMember {
  /// Names the options that scripts may give by position: `nbridge.preference.get(key, defaultValue)`.
  public func positional(_ names: String...) -> Self { with { $0.positional = names } }

  /// Lets scripts give one object with all options as well, in the place of the first that ``positional(_:)``
  /// names, which must be no object itself: `nbridge.preference.watch("a")` and
  /// `nbridge.preference.watch({ key: "a" })`.
  public func orObject() -> Self { with { $0.takesObject = true } }

  /// Says of a hidden action which options the plugin's own script takes at places of their own: errors name
  /// `path` then, and not `option.path`, which the author of the calling script never wrote.
  public func speaks(of names: String...) -> Self { with { $0.spoken = names } }

  /// Says of a detached action that it mostly waits, for a disk or a network: such ones run beside those that
  /// compute, on threads of their own.
  public func blocking() -> Self { with { $0.isBlocking = true } }

  /// Shows it to the plugin's own script only, in the object of hidden actions.
  ///
  /// - Parameter method: the method of that script which calls it: errors name that one, which people know.
  public func hidden(behind method: String? = nil) -> Self {
    with { ($0.isHidden, $0.spokenName) = (true, method) }
  }

  /// Says that it is about the program itself: its streams, its signals, its end. Pages that the program
  /// serves get `unavailable`.
  package func ofProgram() -> Self { with { $0.isOfProgram = true } }

  /// Says that options and answers are secrets: a recording of a program (`nbridge run --record`) keeps their
  /// shape, with marks in the place of texts, numbers and bytes.
  public func confidential() -> Self { with { $0.isConfidential = true } }

  /// Says that an answer vouches for something, by a member that names its source. What answers in the
  /// plugin's place (`nbridge run --mock`) vouches for nothing: that member says `value` then, whatever the
  /// file has there, and the person who runs the program is told, once.
  ///
  /// - Parameters:
  ///   - member: a text of the answer, which is an object.
  ///   - value: what it says of a mocked answer.
  public func vouches(by member: String, mocked value: String) -> Self {
    with { $0.mockMark = MockMark(member: member, value: value) }
  }

  /// Documents one option.
  public func parameter(_ name: String, _ help: String) -> Self { with { $0.parameters[name] = help } }

  /// Says between which numbers an option has to be, both included: `.range("count", 1...100)`, `1...`,
  /// `...100`. A call with another one is refused before the handler runs.
  public func range(_ name: String, _ numbers: ClosedRange<Double>) -> Self {
    rule(name, Schema.Rule(minimum: numbers.lowerBound, maximum: numbers.upperBound))
  }

  /// Says which is the least number that an option may be.
  public func range(_ name: String, _ numbers: PartialRangeFrom<Double>) -> Self {
    rule(name, Schema.Rule(minimum: numbers.lowerBound))
  }

  /// Says which is the greatest number that an option may be.
  public func range(_ name: String, _ numbers: PartialRangeThrough<Double>) -> Self {
    rule(name, Schema.Rule(maximum: numbers.upperBound))
  }

  /// Says what a text has to look like, by a regular expression that all of it must match:
  /// `.pattern("name", "[a-z]+")`. A call with another one is refused before the handler runs.
  public func pattern(_ name: String, _ expression: String) -> Self {
    rule(name, Schema.Rule(pattern: expression))
  }

  private func rule(_ name: String, _ rule: Schema.Rule) -> Self {
    with {
      $0.options = $0.options.adding(rule, to: name)
      $0.hasRules = true
    }
  }

  /// The permission that a call needs, without the service's name: `"read"` for `"documents.read"`.
  /// By default it is the action's own name.
  public func permission(_ name: String) -> Self { with { $0.permission = name } }

  /// Says that its calls tell how far they are, by ``Call/progress(_:)``: scripts hear it as
  /// `weather.load(place, { progress: (value) => … })`. For actions that take their time.
  public func progress<T: Codable & Sendable>(_ type: T.Type) -> Self {
    with { $0.progress = TypeReference(type) }
  }

  /// The codes that it may throw, besides `invalid_parameter` and those of the bridge itself.
  public func errors(_ codes: BridgeError.Code...) -> Self { with { $0.errors = codes } }

  /// The same for codes that stand in a list.
  package func errors(_ codes: [BridgeError.Code]) -> Self { with { $0.errors = codes } }

  private func with(_ change: (inout Declaration) -> Void) -> Self {
    var copy = self
    change(&copy.declaration)
    return copy
  }
}

extension Watch {
  /// What happens to events that the script has not taken yet. By default the sequence waits, with 128
  /// events.
  public func buffering(_ policy: Buffering) -> Watch {
    var copy = self
    copy.declaration.buffering = policy
    return copy
  }

  /// Whether an open watch keeps the program alive. By default it does.
  public func holdsOpen(_ holds: Bool) -> Watch {
    var copy = self
    copy.declaration.holdsOpen = holds
    return copy
  }
}
