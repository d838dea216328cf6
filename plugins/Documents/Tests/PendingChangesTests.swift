// SPDX-License-Identifier: MIT

import Testing

@testable import DocumentsPlugin

@Suite struct PendingChangesTests {
  func taken(_ changes: [FileChange]) -> [FileChange] {
    var pending = PendingChanges()
    for change in changes { pending.add(change) }
    return pending.take()
  }

  @Test func aMillionChangesOfOnePathAreOne() {
    var pending = PendingChanges()
    for _ in 0..<1_000_000 { pending.add(FileChange(kind: .modified, path: "f")) }
    #expect(pending.take() == [FileChange(kind: .modified, path: "f")])
    #expect(pending.take().isEmpty)
  }

  @Test func whatSaysSomethingElseIsKeptInOrder() {
    let created = FileChange(kind: .created, path: "f"), modified = FileChange(kind: .modified, path: "f")
    let removed = FileChange(kind: .removed, path: "f"),
      renamed = FileChange(kind: .renamed, path: "g", from: "f")
    #expect(taken([created, modified, modified]) == [created])
    #expect(taken([modified, removed, created, modified]) == [modified, removed, created])
    #expect(taken([modified, renamed, modified]) == [modified, renamed, modified])
  }

  @Test func tooManyPathsBecomeAnOverflowThatIsTold() {
    var pending = PendingChanges()
    for index in 0..<100_000 { pending.add(FileChange(kind: .created, path: "f\(index)")) }
    let changes = pending.take()
    #expect(changes.count < PendingChanges.limit && changes.first == FileChange(kind: .overflow, path: ""))
    #expect(changes.last?.path == "f99999")
  }
}
