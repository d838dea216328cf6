// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin

/// Numbers that both sides read and write in place, because an argument costs tens of nanoseconds and this
/// one.
///
/// | index | written by | meaning |
/// | --- | --- | --- |
/// | 0 | native | the ``ReplyKind`` of the call that just returned, and 16 if told after all that wait |
/// | 1 | native | its slot, when pending; for `settle` 1 with the first of those that wait, 2 with the last |
/// | 2 | script | the next call's timeout in milliseconds, 0 for none |
/// | 3 – 5 | native | what `bind` tells of an action |
/// | 6 | script | 1 when the next watch lets the program end; 2 when the next answer is wanted at once |
/// | 7 | native | how often processes of isolated plugins have ended |
/// | 8 … | native | slot and kind of each reply that `settle` is called with |
struct CallRegisters {
  /// How many replies one `settle` takes: their references must fit the stack.
  static let batch = 96
  private static let replies = 8

  private let cells: UnsafeMutablePointer<Int32>
  /// The owner of the memory: shared with the array, so that a script that moves or frees the array does not
  /// free the memory under us.
  private let memory: SharedCells
  /// The same memory as an `Int32Array`.
  let array: JSHandle

  init(_ context: JSContext) {
    memory = SharedCells(count: Self.replies + 2 * Self.batch)
    cells = memory.cells
    array = JSHandle(context.makeInt32Array(over: memory), in: context)
  }

  @inline(__always)
  func answer(_ kind: ReplyKind) { cells[0] = kind.rawValue }

  func answer(_ kind: ReplyKind, slot: Int) {
    cells[0] = kind.rawValue
    cells[1] = Int32(truncatingIfNeeded: slot)
  }

  /// `BEHIND` in `www/nbridge.js`.
  func putBehind() { cells[0] |= 16 }

  func putPiece(isFirst: Bool, isLast: Bool) { cells[1] = (isFirst ? 1 : 0) + (isLast ? 2 : 0) }

  private func set(_ index: Int, _ value: Int) { cells[index] = Int32(clamping: value) }

  /// Notes that a process of a plugin has ended. Keeps the numbers, and not their engine.
  var noteEnd: () -> Void { { [memory] in memory.cells[7] &+= 1 } }

  var kind: ReplyKind { ReplyKind(rawValue: cells[0]) ?? .value }

  func put(_ index: Int, _ slot: Int, _ kind: ReplyKind) {
    cells[Self.replies + 2 * index] = Int32(truncatingIfNeeded: slot)
    cells[Self.replies + 2 * index + 1] = kind.rawValue
  }

  /// What the script asks of the call that it makes: read once, so that nothing of it is left for the next
  /// one.
  func takeControl() -> CallControl {
    var control = CallControl.none
    if cells[2] != 0 {
      control.timeout = Int(cells[2])
      cells[2] = 0
    }
    if cells[6] != 0 {
      (control.letsGo, control.isWantedAtOnce) = (cells[6] == 1, cells[6] == 2)
      cells[6] = 0
    }
    return control
  }

  /// Tells the script what it must know of an action that it binds: 3 whether it is a watch, 4 and 5 its
  /// buffer.
  func describe(_ declaration: Declaration) {
    answer(.value)
    set(3, declaration.kind == .watch ? 1 : 0)
    set(4, declaration.buffering.limit)
    switch declaration.buffering {
    case .wait: set(5, 0)
    case .dropOldest: set(5, 1)
    case .dropNewest: set(5, 2)
    }
  }
}
