// SPDX-License-Identifier: MIT

/// A value in memory of its own, for what each call of a script looks at: another module reads it without a
/// call, and without the check of exclusive access that a class's variable has there. Confined to a thread.
package struct MemoryCell<Value: BitwiseCopyable> {
  package let memory: UnsafeMutablePointer<Value>

  init(_ value: Value) {
    memory = .allocate(capacity: 1)
    memory.initialize(to: value)
  }

  /// Its owner's last word.
  func free() { memory.deallocate() }
}
