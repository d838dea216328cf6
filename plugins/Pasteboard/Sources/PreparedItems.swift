// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// Items on their way to a board. Their files are written before other processes are kept out, and go if the
/// write fails.
final class PreparedItems: Sendable {
  private struct State: ~Copyable {
    var stored: [[StoredRepresentation]]?
    var blobs: BlobFolder?
    /// Until rows name the files, so that no process sweeps them.
    var hold: StoreLock?
    var isKept = false

    var files: [String] { (stored ?? []).flatMap { $0.compactMap(\.file) } }
  }

  private let items: [[PasteboardWriter.Checked]]
  private let isApart: Bool
  private let state = Mutex(State())

  init(_ items: [[PasteboardWriter.Checked]], isApart: Bool) {
    self.items = items
    self.isApart = isApart
  }

  /// How many files the items take.
  var fileCount: Int { items.reduce(0) { $0 + $1.count { isInFile($0) } } }

  private func isInFile(_ checked: PasteboardWriter.Checked) -> Bool {
    isApart || checked.bytes.count > BlobFolder.inlineLimit
  }

  /// Writes the files, once.
  func writeFiles(in blobs: BlobFolder) throws {
    let needsHold = fileCount > 0
    try state.withLock { state in
      guard state.stored == nil else { return }
      if needsHold { state.hold = try blobs.hold() }
      state.blobs = blobs
      state.stored = []
      for item in items {
        state.stored?.append([])
        for checked in item { try append(checked, to: &state, blobs) }
      }
    }
  }

  private func append(_ checked: PasteboardWriter.Checked, to state: inout State, _ blobs: BlobFolder) throws
  {
    let file = isInFile(checked) ? try blobs.write(checked.bytes, isApart: isApart) : nil
    let last = (state.stored?.count ?? 0) - 1
    state.stored?[last].append(StoredRepresentation(type: checked.type, bytes: checked.bytes, file: file))
  }

  /// The items, after ``writeFiles(in:)``.
  func stored() -> [[StoredRepresentation]] { state.withLock { $0.stored ?? [] } }

  /// Rows name the files from now on.
  func keep() {
    state.withLock { state in
      state.isKept = true
      state.hold = nil
    }
  }

  deinit {
    state.withLock { state in
      if !state.isKept { state.blobs?.discard(state.files) }
    }
  }
}
