// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin
@testable import NBridgeSystem

/// Folders and small files of an app.
@Suite struct ContainerFilesTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func fails(_ code: BridgeError.Code, _ part: String, _ body: () throws -> Void) {
    let error = #expect(throws: BridgeError.self) { try body() }
    #expect(error?.code == code)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["app", "a/b/c", "Ünïcode 漢/🎉", "with\u{301}accent/ e", "a//b/./c"])
  func containersAreMadeForTheirOwnerAlone(_ name: String) throws {
    let container = Container(path: folder.file(name))
    #expect(!container.exists)
    try container.create()
    #expect(container.exists)
    for path in container.folders {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700, "\(path)")
    }
    try container.create()
  }

  @Test func whatIsThereStaysAsItIs() throws {
    try folder.makeFolder("app/Documents")
    chmod(folder.file("app/Documents"), 0o750)
    try folder.make("app/Documents/kept", "kept")
    try Container(path: folder.file("app")).create()
    #expect(folder.mode("app/Documents") == 0o750)
    #expect(try SmallFile.read(folder.file("app/Documents/kept")) == Array("kept".utf8))
  }

  @Test func aFileInTheWayIsNamed() throws {
    try folder.make("app", "a file")
    fails(.ioError, "can't make '\(folder.path)/app/Documents'") {
      try Container(path: folder.file("app")).create()
    }
    fails(.ioError, "can't make the folder '\(folder.path)/app/x'") {
      try Folders.make(folder.file("app/x/y"))
    }
    fails(.ioError, "can't make the place ") { try Folders.make(folder.file("app/x/y"), as: "the place") }
  }

  @Test func nowhereIsNoPlace() {
    fails(.unavailable, "set HOME, XDG_DATA_HOME or NBRIDGE_HOME") {
      try Folders.make(Folders.nowhere + "/a")
    }
    fails(.unavailable, "no place for the app's files") {
      try Container(path: Folders.nowhere + "/a").create()
    }
  }

  /// Two that make the same folders, and one that takes them away.
  @Test func foldersAreMadeByManyAtOnce() async throws {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask { [folder] in
          for round in 0..<20 {
            #expect(throws: Never.self) { try Folders.make(folder.file("x/\(round)/a/b/c")) }
          }
        }
      }
    }
    #expect(folder.mode("x/19/a/b/c") == 0o700)
  }

  @Test func smallFilesAreReplacedWhole() throws {
    let path = folder.file("ä 漢")
    #expect(try SmallFile.read(path) == nil)
    for bytes in [[], [1], [UInt8](repeating: 7, count: 100_000), [0, 255]] as [[UInt8]] {
      try SmallFile.replace(path, with: bytes)
      #expect(try SmallFile.read(path) == bytes)
      #expect(folder.mode("ä 漢") == 0o600)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["ä 漢"])
    try SmallFile.replace(folder.file("open"), with: [1], mode: 0o644)
    #expect(folder.mode("open") & 0o600 == 0o600)
  }

  @Test func whatIsNoRegularFileIsRefused() throws {
    try folder.make("file", "x")
    symlink(folder.file("file"), folder.file("link"))
    symlink(folder.file("none"), folder.file("dangling"))
    mkfifo(folder.file("pipe"), 0o600)
    fails(.ioError, "can't read") { _ = try SmallFile.read(folder.file("link")) }
    #expect(try SmallFile.read(folder.file("link"), followsLinks: true) == Array("x".utf8))
    #expect(try SmallFile.read(folder.file("dangling"), followsLinks: true) == nil)
    fails(.ioError, "it is not a regular file") { _ = try SmallFile.read(folder.file("pipe")) }
    fails(.ioError, "it is not a regular file") { _ = try SmallFile.read(folder.path) }
    fails(.ioError, "Not a directory") { _ = try SmallFile.read(folder.file("file/x")) }
  }

  @Test func whatIsTooLargeIsRefused() throws {
    try folder.make("file", "12345")
    #expect(try SmallFile.read(folder.file("file"), atMost: 5)?.count == 5)
    fails(.ioError, "it has more than 4 bytes") { _ = try SmallFile.read(folder.file("file"), atMost: 4) }
    // A file that takes no place on the disk and more than there is in memory.
    #expect(truncate(folder.file("file"), 1 << 40) == 0)
    fails(.ioError, "it has more than") { _ = try SmallFile.read(folder.file("file")) }
  }

  @Test func aFileThatCannotBeWrittenLeavesTheOldOne() throws {
    try folder.makeFolder("target")
    fails(.ioError, "can't write") { try SmallFile.replace(folder.file("target"), with: [1]) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["target"])
    fails(.ioError, "can't write") { try SmallFile.replace(folder.file("none/x"), with: [1]) }
    // A link that an attacker put where the new file is made is not followed.
    try folder.make("victim", "precious")
    symlink(folder.file("victim"), folder.file("x.\(getpid()).new"))
    fails(.ioError, "can't write") { try SmallFile.replace(folder.file("x"), with: [1]) }
    #expect(try SmallFile.read(folder.file("victim")) == Array("precious".utf8))
  }

  @Test func foldersOfAContainerAreBelowIt() {
    let container = Container(path: "/c")
    #expect(container.documents == "/c/Documents")
    #expect(container.preferences == "/c/Library/Preferences")
    #expect(container.caches == "/c/Library/Caches")
    #expect(container.modules == "/c/Library/Modules")
    #expect(container.applicationSupport == "/c/Library/Application Support")
    #expect(container.temporary == "/c/tmp")
    #expect(container.folders.first == "/c")
    #expect(!container.folders.contains(container.modules))
  }
}

/// Containers are known by their shape.
@Suite struct ContainerShapeTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func around(_ name: String) -> String? {
    RealPath(folder.file(name)).flatMap { Container.around($0) }?.text
  }

  @Test func theInnermostIsFound() throws {
    try Container(path: folder.file("outer")).create()
    try Container(path: folder.file("outer/Documents/inner")).create()
    try folder.make("outer/Documents/inner/Documents/file")
    try folder.make("outer/Documents/file")
    try folder.make("elsewhere/file")
    #expect(around("outer/Documents/inner/Documents/file") == folder.file("outer/Documents/inner"))
    #expect(around("outer/Documents/inner") == folder.file("outer/Documents/inner"))
    #expect(around("outer/Documents/file") == folder.file("outer"))
    #expect(around("outer") == folder.file("outer"))
    #expect(around("elsewhere/file") == nil)
  }

  @Test func halfOfTheShapeIsNone() throws {
    try folder.makeFolder("a/Documents/x")
    try folder.makeFolder("b/Library/Preferences/x")
    try folder.makeFolder("c/Library/x")
    try folder.makeFolder("c/Documents")
    #expect(around("a/Documents/x") == nil)
    #expect(around("b/Library/Preferences/x") == nil)
    #expect(around("c/Library/x") == nil)
    try folder.makeFolder("b/Documents")
    #expect(around("b/Library/Preferences/x") == folder.file("b"))
  }
}

/// Folders that all apps share: the ones that other users can change are refused.
@Suite struct SharedFoldersTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test func whatIsMissingIsMadeForOneAlone() throws {
    let path = try SharedFolders.make("a/b", in: folder.file("shared"))
    #expect(path == folder.file("shared/a/b"))
    for name in ["shared", "shared/a", "shared/a/b"] { #expect(folder.mode(name) == 0o700) }
    #expect(try SharedFolders.make("a/b", in: folder.file("shared")) == path)
  }

  @Test func whatOthersMayReadIsClosed() throws {
    try folder.makeFolder("shared/a")
    chmod(folder.file("shared/a"), 0o755)
    chmod(folder.file("shared"), 0o750)
    _ = try SharedFolders.make("a", in: folder.file("shared"))
    #expect(folder.mode("shared/a") == 0o700)
    #expect(folder.mode("shared") == 0o700)
  }

  @Test(arguments: [0o770, 0o707, 0o722, 0o777, 0o1777])
  func whatOthersMayWriteToIsRefused(_ mode: Int) throws {
    try folder.makeFolder("shared/a")
    chmod(folder.file("shared/a"), mode_t(mode))
    let error = #expect(throws: BridgeError.self) { try SharedFolders.make("a/b", in: folder.file("shared")) }
    #expect(error?.code == .ioError)
    #expect(
      error?.message
        == "'\(folder.path)/shared/a' may be written to by others (mode \(String(mode, radix: 8))); look "
        + "what is in it, then close it with chmod 700"
    )
    #expect(folder.mode("shared/a/b") == -1)
  }

  @Test func linksAndFilesAreRefused() throws {
    try folder.makeFolder("real")
    try folder.makeFolder("shared")
    symlink(folder.file("real"), folder.file("shared/link"))
    try folder.make("shared/file", "x")
    let link = #expect(throws: BridgeError.self) {
      try SharedFolders.make("link/x", in: folder.file("shared"))
    }
    #expect(link?.message.contains("is a link, which leads nobody knows where") == true)
    let file = #expect(throws: BridgeError.self) { try SharedFolders.make("file", in: folder.file("shared")) }
    #expect(file?.message.contains("is not a folder") == true)
    // In a container the user may have made the first folder a link.
    symlink(folder.file("real"), folder.file("container"))
    #expect(try SharedFolders.make("x", inContainer: folder.file("container")) == folder.file("container/x"))
    #expect(folder.mode("real/x") == 0o700)
  }

  @Test func foldersOfOthersAreRefused() throws {
    guard getuid() == 0 else { return }
    try folder.makeFolder("shared/a")
    chown(folder.file("shared/a"), 12345, 12345)
    let error = #expect(throws: BridgeError.self) { try SharedFolders.make("a", in: folder.file("shared")) }
    #expect(error?.message.contains("belongs to user 12345 and not to user 0") == true)
  }

  @Test func theyAreToldAndRead() throws {
    let below = SharedFolders(below: "/x")
    #expect(below.data == "/x/.shared")
    #expect(below.runtime == "/x/.run")
    #expect(below.state == "/x/.state")
    #expect(try Value(encoding: below).decode(SharedFolders.self) == below)
    let moved = SharedFolders(data: "/a/b", runtime: "/r", state: "/s")
    #expect(try Value(encoding: moved).decode(SharedFolders.self) == moved)
    // A host of an earlier version knows no folder for state.
    #expect(try wire(#"{"data":"/a/b","runtime":"/r"}"#).decode(SharedFolders.self).state == "/a/.state")
    #expect(try wire(#"{"data":"b","runtime":"/r"}"#).decode(SharedFolders.self).state == "./.state")
    #expect(complaint(#"{"data":"b"}"#, SharedFolders.self) == "value.runtime is missing")
  }
}

/// Files that scripts may read of the folder that their app lies in.
@Suite struct BundleScopeTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func scope(
    _ resources: [String]? = nil, shared: SharedFolders? = nil, container: String? = nil,
    host: RecordingHost = RecordingHost()
  ) throws -> BundleScope {
    let app = AppEnvironment.testing(
      container: container ?? folder.file("away"), resources: resources,
      shared: shared ?? SharedFolders(below: folder.file("away2")), host: host)
    return try app.bundleScope(try #require(RealPath(folder.file("bundle"))))
  }

  private func place(_ name: String) throws -> RealPath {
    try folder.make("bundle/\(name)")
    return try #require(RealPath(folder.file("bundle/\(name)")))
  }

  @Test func allOfItIsOpenButWhatIsHidden() throws {
    let open = try place("a/b.txt")
    let hidden = try [place(".git/config"), place("a/.env"), place(".ssh/x/y")]
    let scope = try scope()
    #expect(scope.refusal(of: scope.root) == nil)
    #expect(scope.refusal(of: open) == nil)
    for path in hidden { #expect(scope.refusal(of: path) == "hidden files are closed to scripts") }
    #expect(scope.refusal(of: try #require(RealPath(folder.path))) == "it lies outside of the app's folder")
    #expect(scope.refusal(of: .root) == "it lies outside of the app's folder")
    try folder.make("bundle2/x")
    #expect(
      scope.refusal(of: try #require(RealPath(folder.file("bundle2/x"))))
        == "it lies outside of the app's folder")
  }

  @Test func withAListOnlyWhatItNamesIsOpen() throws {
    let (named, inside, beside) = try (place("data/one"), place("data/deep/two"), place("database"))
    let host = RecordingHost()
    let program = try place("main.js")
    host.files = [program]
    let scope = try scope(["data", folder.file("bundle/abs")], host: host)
    #expect(scope.refusal(of: named) == nil)
    #expect(scope.refusal(of: inside) == nil)
    #expect(scope.refusal(of: program) == nil)
    #expect(scope.refusal(of: try place("abs")) == nil)
    #expect(scope.refusal(of: beside)?.contains("does not name it as a resource") == true)
    #expect(try self.scope([]).refusal(of: named)?.contains("does not name it as a resource") == true)
  }

  /// Folders on the way to a resource may be listed.
  @Test func foldersOnTheWayAreOpen() throws {
    _ = try place("a/b/c/file")
    let scope = try scope(["a/b/c"])
    #expect(scope.refusal(of: try #require(RealPath(folder.file("bundle/a")))) == nil)
    #expect(scope.refusal(of: try #require(RealPath(folder.file("bundle/a/b")))) == nil)
    #expect(scope.refusal(of: try place("a/other"))?.contains("does not name it") == true)
  }

  @Test func whatNBridgeKeepsIsClosed() throws {
    let kept = try [place("container/Documents/x"), place("shared/.shared/y")]
    let closed = try scope(
      shared: SharedFolders(data: folder.file("bundle/shared"), runtime: folder.file("r")),
      container: folder.file("bundle/container"))
    for path in kept { #expect(closed.refusal(of: path) != nil) }
    try Container(path: folder.file("bundle/other")).create()
    let other = try place("other/Documents/z")
    #expect(
      try scope().refusal(of: other) == "nBridge keeps what apps store there, and it is closed to scripts")
  }

  @Test func anAppInAContainerHasNoBundle() throws {
    try Container(path: folder.file("bundle")).create()
    let error = #expect(throws: BridgeError.self) { try scope() }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message.contains("so it has no bundle; move it elsewhere") == true)
  }

  @Test func anAppInASharedFolderHasNone() throws {
    try folder.makeFolder("bundle")
    #expect(throws: BridgeError.self) {
      try scope(shared: SharedFolders(data: folder.path, runtime: folder.file("r")))
    }
  }
}
