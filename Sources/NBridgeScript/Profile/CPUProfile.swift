// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A profile as browsers' developer tools, editors and speedscope read it: the Chrome DevTools Protocol's
/// `Profiler.Profile`, the content of a `.cpuprofile` file.
package struct CPUProfile: Encodable {
  struct CallFrame: Encodable {
    var functionName: String
    var scriptId = "0"
    var url: String
    /// From 0.
    var lineNumber: Int
    var columnNumber = 0
  }

  struct Node: Encodable {
    /// From 1.
    var id: Int
    var callFrame: CallFrame
    var hitCount: Int
    var children: [Int]
  }

  let nodes: [Node]
  /// In microseconds.
  let startTime = 0
  let endTime: Int
  let samples: [Int]
  let timeDeltas: [Int]

  package init(_ profile: ScriptProfile) {
    nodes = profile.nodes.enumerated().map { index, node in
      let function = profile.functions[node.function]
      let frame = CallFrame(
        functionName: index == 0 ? "(root)" : function.name, url: function.file,
        lineNumber: profile.lines[node.function] - 1)
      return Node(id: index + 1, callFrame: frame, hitCount: node.own, children: node.children.map { $0 + 1 })
    }
    samples = profile.samples.map { $0.node + 1 }
    timeDeltas = profile.samples.map(\.microseconds)
    endTime = timeDeltas.reduce(0, +)
  }

  /// The text of the file.
  package var json: [UInt8] { (try? Value(encoding: self))?.text ?? [] }
}
