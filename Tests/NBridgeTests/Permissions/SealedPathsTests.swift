// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeScript
@testable import NBridgeSystem

/// The calls that scripts may make, and the paths that no permission opens.
@Suite struct PermissionSetTests {
  @Test(arguments: [
    (["a.b"], "a.b", true), (["a.b"], "a.bc", false), (["a.*"], "a.b", true), (["a.*"], "ab.c", false),
    (["a.*"], "a", false), (["*"], "a.b", true), ([], "a.b", false), (["a"], "a.b", false),
    (["a.b:/x"], "a.b", true), (["a.b:/x"], "a.b:/x", true), (["a.b:/x"], "a.b:/x/y", true),
    (["a.b:/x"], "a.b:/xy", false), (["a.b:/x"], "a.b:/", false), (["a.b:/x"], "a.c:/x", false),
    (["a.b:/"], "a.b:/q", true),
    (["*"], "a.b:/x", false), (["a.*"], "a.b:/x", false), (["a.b"], "a.b:/x", false),
    (["a.b:/x"], "a.b:x", false), (["a.b:/x/"], "a.b:/x/y", true), (["a.b:"], "a.b:/x", false),
    (["a.b:/x"], "a.b:", false), (["a.b:x"], "a.b:x/y", false),
    (["A.b"], "a.b", false), (["a.b "], "a.b", true), ([""], "", true), (["*:/x"], "a.b:/x", false),
  ])
  func patterns(_ patterns: [String], _ permission: String, _ isAllowed: Bool) {
    #expect(PermissionSet(patterns).allows(permission) == isAllowed)
    #expect((PermissionSet(patterns).denial(of: permission) == nil) == isAllowed)
  }

  @Test func whatHasNoListAllowsAllButFolders() {
    let all = PermissionSet.everything
    #expect(all.allows("a.b") && !all.allows("a.b:/x") && all.list == nil && all.services.isEmpty)
  }

  @Test func aLinkIsWhatItLeadsTo() throws {
    let folder = try FilesFolder(["real/f": "", "else/f": ""])
    symlink(folder / "real", folder / "link")
    let set = PermissionSet(["a.b:" + folder / "link"])
    #expect(
      set.allows("a.b:" + folder / "real/f") && !set.allows("a.b:" + folder / "else/f")
        && set.list == ["a.b:" + folder / "real"])
  }

  @Test func aTildeIsTheHomeFolder() throws {
    let home = try #require(getenv("HOME").flatMap { RealPath(String(cString: $0)) }?.text)
    #expect(
      PermissionSet(["a.b:~"]).allows("a.b:\(home)/x")
        && PermissionSet(["a.b:~/"]).allows("a.b:\(home)"))
    #expect(!PermissionSet(["a.b:~x"]).allows("a.b:\(home)/x"))
  }

  @Test(arguments: [
    (["a.b", "c.*", "d.e:/x", "*", "import:/y"], ["a", "c", "d", "import"]), ([], []),
    (["x"], ["x"]),
  ])
  func services(_ patterns: [String], _ services: [String]) {
    #expect(
      PermissionSet(patterns).services
        == services)
  }

  @Test func addingAndRemoving() {
    let set = PermissionSet(["a.b"])
    #expect(set.adding("a.b") == set && set.adding("c.d").list == ["a.b", "c.d"])
    let names = ["a.b", "a.c", "d.e"]
    #expect(PermissionSet.everything.removing("a.b", of: names).list == ["a.c", "d.e"])
    #expect(PermissionSet.everything.removing("a.*", of: names).list == ["d.e"])
    #expect(
      PermissionSet(["a.*"]).removing("a.c", of: names).list == ["a.b"]
        && PermissionSet(["a.b"]).removing("x", of: names).list == ["a.b"])
  }

  // MARK: - What is sealed

  static func sealed(_ folder: FilesFolder, _ paths: [String] = [], names: [String] = []) -> SealedPaths {
    SealedPaths(
      paths.map { folder / $0 }, names: names.map { RealPath(text: folder / $0) },
      own: Container(path: folder / "own"))
  }

  static let files = [
    "kept/a": "", "keptnot/a": "", "own/Library/Preferences/p": "",
    "own/Documents/d": "", "app2/Library/Preferences/p": "", "app2/Documents/d": "",
    "half/Documents/d": "", "free/f": "",
  ]

  @Test(arguments: [
    ("kept", true), ("kept/a", true), ("kept/none/deep", true), ("", true), ("keptnot", false),
    ("keptnot/a", false), ("free/f", false), ("own/Documents/d", false), ("app2", true),
    ("app2/Documents/d", true),
    ("app2/none", true), ("half/Documents/d", false),
  ])
  func whatIsKeptForAllApps(_ name: String, _ isSealed: Bool) throws {
    let folder = try FilesFolder(Self.files)
    let path = name.isEmpty ? folder.path : folder / name
    #expect(Self.sealed(folder, ["kept"]).holds("documents.import:" + path) == isSealed)
  }

  @Test func whatHasNoPathIsNotSealed() throws {
    let folder = try FilesFolder(Self.files)
    #expect(!Self.sealed(folder, ["kept"]).holds("documents.read"))
  }

  /// A folder may have been made since, or be a link by now.
  @Test func whatStandsThereLaterIsSealed() throws {
    let folder = try FilesFolder(Self.files)
    let sealed = Self.sealed(folder, ["later"])
    #expect(sealed.holds("x:" + folder / "later"))
    symlink(folder / "free", folder / "later")
    #expect(sealed.holds("x:" + folder / "free/f"))
  }

  @Test func aNameIsSealedWithWhatHoldsIt() throws {
    let folder = try FilesFolder(Self.files)
    let sealed = Self.sealed(folder, names: ["free/link"])
    #expect(
      sealed.holds("x:" + folder / "free") && sealed.holds("x:" + folder / "free/link")
        && !sealed.holds("x:" + folder / "free/link/below") && !sealed.holds("x:" + folder / "free/f"))
  }

  @Test(arguments: [
    ("a.b:/x", "a.b", "/x"), ("import:/x:y", "import", "/x:y"), (":/x", "", "/x"),
    ("a:", "a", ""),
  ])
  func permissionsWithAPath(_ text: String, _ name: String, _ path: String) {
    let scoped = ScopedPermission(text)
    #expect(scoped?.name == Substring(name) && scoped?.pathText == path && ScopedPermission("a.b") == nil)
  }
}
