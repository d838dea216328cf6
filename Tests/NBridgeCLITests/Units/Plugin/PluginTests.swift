// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import NBridgeCLI

private typealias Path = NBridgeCLI.Path

/// The places of plugins, and the files that are made for them.
@Suite struct PluginUnitTests {
  private let folder = ScratchFolder()
  private var path: String { folder.path }

  // MARK: - Paths

  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a/b", "a", "b"), ("a", ".", "a"), ("", ".", ""),
    ("/a/b/c.so", "/a/b", "c.so"), ("./a", ".", "a"),
  ])
  func pathsHaveParentsAndNames(_ path: String, _ parent: String, _ name: String) {
    #expect(Path.parent(path) == parent && Path.name(path) == name)
  }

  @Test func foldersAreMadeWithThoseAbove() throws {
    try Path.makeFolders(path + "/a/b/c")
    try Path.makeFolders(path + "/a/b/c")
    #expect(Path.isFolder(path + "/a/b/c") && Path.names(in: path + "/a") == ["b"])
    try folder.write(["file": "x"])
    let error = #expect(throws: PluginProblem.self) { try Path.makeFolders(path + "/file/sub") }
    #expect(error?.description == "can't make the folder '\(path)/file/sub': Not a directory")
  }

  @Test func namesAreSortedAndMissingFoldersHaveNone() throws {
    try folder.write(["b": "", "a": "", ".h": "", "c/x": ""])
    #expect(
      Path.names(in: path) == [".h", "a", "b", "c"]
        && Path.names(in: path + "/none") == []
        && Path.names(in: path + "/a") == []
    )
  }

  @Test func linksAreRemovedAndNotWhatTheyLeadTo() throws {
    try folder.write(["kept/file": "x", "gone/sub/file": "y"])
    symlink(path + "/kept", path + "/gone/link")
    symlink(path + "/kept/file", path + "/gone/sub/link")
    symlink(path + "/nowhere", path + "/gone/broken")
    try Path.remove(path + "/gone")
    #expect(!Path.exists(path + "/gone") && (try? Path.text(of: path + "/kept/file")) == "x")
    symlink(path + "/kept", path + "/link")
    #expect(Path.isLink(path + "/link") && !Path.isLink(path + "/kept") && Path.isFolder(path + "/link"))
    try Path.remove(path + "/link")
    #expect(Path.isFolder(path + "/kept") && !Path.exists(path + "/link"))
    try Path.remove(path + "/never/there")
    let error = #expect(throws: PluginProblem.self) { try Path.remove(path + "/kept/file") }
    #expect(error?.description.contains("can't remove '\(path)/kept/file'") == true)
  }

  /// Names that no text can tell, a folder that is closed to its owner, more levels than a path has room for.
  @Test func aFolderIsRemovedWhateverItHolds() throws {
    try folder.write(["gone/closed/file": "x", "gone/.gone.1/file": "x"])
    let ends: [[UInt8]] = [[0x61, 0xFF], [0xC3]]
    for end in ends {
      let name = (Array((path + "/gone/").utf8) + end + [0]).map { CChar(bitPattern: $0) }
      #expect(mkdir(name, 0o700) == 0)
    }
    chmod(path + "/gone/closed", 0)
    var at = open(path + "/gone", O_RDONLY | O_DIRECTORY)
    for _ in 0..<1500 {
      mkdirat(at, "deep", 0o700)
      let next = openat(at, "deep", O_RDONLY | O_DIRECTORY)
      close(at)
      at = next
    }
    #expect(mkdirat(at, "last", 0) == 0)
    close(at)
    try Path.remove(path + "/gone")
    #expect(Path.names(in: path) == [])
  }

  // MARK: - Places

  @Test func whatIsNoPluginSaysWhatToDo() throws {
    try folder.write([
      "empty/x": "", "package/Package.swift": "",
      "noLibrary/plugin.json": "{\"service\":\"a\",\"version\":\"1\"}",
    ])
    let table = [
      ("empty", "'empty' is no plugin: it has no plugin.json with its library beside it"),
      ("package", "the plugin in 'package' is not built; run: nbridge plugin build package"),
      ("noLibrary", "'noLibrary' is no plugin: it has no plugin.json with its library beside it"),
    ]
    for (name, text) in table {
      let error = #expect(throws: PluginProblem.self) { try PluginPlace.built("\(path)/\(name)", as: name) }
      #expect(error?.description == text)
    }
    let error = #expect(throws: PluginProblem.self) { try PluginPlace.open(path + "/nothing") }
    #expect(error?.description == "there is no plugin '\(path)/nothing': no such file or folder")
  }

  @Test func theBuiltOneIsTakenBeforeTheFolderItself() throws {
    let record = "{\"service\":\"a\",\"version\":\"1\",\"library\":\"liba.so\"}"
    try folder.write(["p/plugin.json": record, "p/Package.swift": "", "p/.build/plugin/plugin.json": record])
    #expect(throws: PluginProblem.self) { try PluginPlace.built(path + "/p", as: "p") }
    try folder.write(["p/liba.so": ""])
    #expect(try PluginPlace.built(path + "/p", as: "p") == path + "/p")
    try folder.write(["p/.build/plugin/liba.so": ""])
    #expect(try PluginPlace.built(path + "/p", as: "p") == path + "/p/.build/plugin")
  }

  @Test(
    arguments: [
      ("none", "there is no folder '"), ("file", "there is no folder '"),
      ("half", "' is no plugin's package: it needs a Package.swift and a plugin.json"),
    ]
  )
  func whatIsNoPackageIsTold(_ name: String, _ text: String) throws {
    try folder.write(["file": "", "half/Package.swift": ""])
    let error = #expect(throws: PluginProblem.self) { try PluginPackage(path + "/" + name) }
    #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
  }

  // MARK: - Installing

  @Test func aNewPluginTakesThePlaceOfTheOldOneInOneStep() throws {
    try folder.write(["new/a": "new", "target/a": "old", "target/b": "old"])
    try PluginFiles.exchange(path + "/new", path + "/target")
    #expect(
      Path.names(in: path + "/target") == ["a"]
        && (try? Path.text(of: path + "/target/a")) == "new"
        && !Path.exists(path + "/new")
    )
    try folder.write(["other/x": "x"])
    try PluginFiles.exchange(path + "/other", path + "/fresh")
    #expect(Path.names(in: path + "/fresh") == ["x"] && !Path.exists(path + "/other"))
    let error = #expect(throws: PluginProblem.self) {
      try PluginFiles.exchange(path + "/nothing", path + "/fresh")
    }
    #expect(
      error?.description == "can't put it to '\(path)/fresh': No such file or "
        + "directory" && Path.exists(path + "/fresh/x")
    )
  }

  @Test func leftoversOfDeadInstallsAreClearedAndOthersNot() throws {
    let dead = 4_194_304 + 7  // past the kernel's highest process number (PID_MAX_LIMIT)
    let own = PluginFiles.leftover(of: "weather", in: path)
    #expect(own == "\(path)/.weather.\(getpid())")
    try folder.write([
      ".weather.\(dead)/f": "", ".weather.\(getpid())/f": "", ".weather.x/f": "", ".weathers.\(dead)/f": "",
      ".other.\(dead)/f": "", "weather/f": "",
    ])
    PluginFiles.clearLeftovers(of: "weather", in: path)
    #expect(
      Path.names(in: path)
        == [
          ".other.\(dead)", ".weather.\(getpid())", ".weather.x", ".weathers.\(dead)", "weather",
        ].sorted()
    )
  }

  @Test func filesAndFoldersAreCopiedAndLinksNot() throws {
    try folder.write(["from/a": "1", "from/b": "2", "from/sub/c": "3", "to/b": "old"])
    symlink("/etc/hostname", path + "/from/link")
    symlink("/etc", path + "/from/folder")
    try PluginFiles.copy(path + "/from", to: path + "/to")
    #expect(Path.names(in: path + "/to") == ["a", "b", "sub"])
    #expect((try? Path.text(of: path + "/to/b")) == "2" && (try? Path.text(of: path + "/to/sub/c")) == "3")
  }

  // MARK: - A new plugin

  private let template = PluginTemplate(name: "Weather", service: "weather", sdk: "/opt/sdk")

  @Test func aNewPluginHasItsFiles() {
    #expect(
      template.files.map(\.path).sorted() == [
        ".gitignore", "Package.swift", "README.md", "Sources/WeatherLibrary/Entry.swift",
        "Sources/WeatherPlugin/WeatherPlugin.swift",
        "Tests/WeatherPluginTests/WeatherPluginTests.swift", "demo.js", "plugin.json",
      ])
    for (path, text) in template.files {
      #expect(
        text.hasSuffix("\n") && !text.hasSuffix("\n\n") && !text.contains("  \n"), "\(path)"
      )
    }
  }

  /// Names are put in everywhere, and brackets close: two plugins differ by their names alone.
  @Test func namesArePutInEverywhere() {
    let other = PluginTemplate(name: "Tide", service: "tide", sdk: "/opt/sdk")
    for ((path, text), (otherPath, otherText)) in zip(template.files, other.files) {
      #expect(path.replacing("Weather", with: "Tide") == otherPath)
      #expect(
        text.replacing("Weather", with: "Tide").replacing("weather", with: "tide") == otherText, "\(path)"
      )
      for (open, close) in [("{", "}"), ("(", ")"), ("[", "]")] {
        #expect(text.count { String($0) == open } == text.count { String($0) == close }, "\(path): \(open)")
      }
    }
  }

  @Test func itsRecordNamesTheLibraryThatItsPackageMakes() throws {
    let files = Dictionary(uniqueKeysWithValues: template.files.map { ($0.path, $0.text) })
    let json = Data((files["plugin.json"] ?? "").utf8)
    let record = try JSONSerialization.jsonObject(with: json) as? [String: String]
    #expect(
      record?["service"] == "weather"
        && record?["library"] == "libWeather.so"
        && record?["version"] == "0.1.0"
    )
    let manifest = files["Package.swift"] ?? ""
    #expect(
      manifest.contains(".library(name: \"Weather\", type: .dynamic") && manifest.contains("?? \"/opt/sdk\"")
    )
    #expect(
      files["Sources/WeatherLibrary/Entry.swift"]?.contains("@_cdecl(\"nbridge_plugin_entry\")") == true
    )
  }
}
