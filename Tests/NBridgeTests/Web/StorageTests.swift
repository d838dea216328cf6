// SPDX-License-Identifier: MIT

import Foundation
import NBridge
import NBridgeHost
import NBridgeTesting
import Testing

/// sessionStorage and localStorage as scripts see them.
@Suite struct StorageTests {
  static let tools = #"""
    const expect = (label, actual, expected) => {
      if (actual !== expected) console.log(`${label}\n  is       ${actual}\n  expected ${expected}`);
    };
    const told = (use) => { try { return use() } catch (error) { return error.name } };

    """#

  static func run(_ script: String, container: String? = nil, permissions: [String]? = nil) async
    -> ScriptHarness.Result
  {
    var harness = ScriptHarness(plugins: [])
    harness.container = container
    if let permissions { harness.options.permissions = PermissionSet(permissions) }
    return await harness.run(tools + script)
  }

  /// The script prints what is not as it expects.
  static func expectNothing(
    of script: String, container: String? = nil, _ location: SourceLocation = #_sourceLocation
  ) async {
    let result = await run(script, container: container)
    #expect(
      result.output.isEmpty && result.status == .success, "\(result.output)\(result.errors)",
      sourceLocation: location)
  }

  static func inFolder(_ body: (String) async throws -> Void) async rethrows {
    let folder = FileManager.default.temporaryDirectory.path + "/storage-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  @Test(arguments: ["sessionStorage", "localStorage"])
  func itemsAreSetAndFoundByTheirNames(_ name: String) async {
    await Self.expectNothing(
      of: "const storage = \(name);"
        + #"""
        expect("empty", `${storage.length} ${storage.key(0)} ${storage.getItem("a")}`, "0 null null");
        storage.setItem("b", 1); storage.setItem("a", null);
        storage.setItem(3, { toString: () => "three" });
        expect("length", storage.length, 3);
        expect("items", ["b", "a", "3"].map((name) => `${storage.getItem(name)}`).join(), "1,null,three");
        storage.setItem("b", "again");
        expect("order", [0, 1, 2, 3, -1, "1", 2 ** 32].map((index) => storage.key(index)).join(),
          "b,a,3,,,a,b");
        storage.removeItem("a"); storage.removeItem("none");
        expect("removed", `${storage.length} ${storage.getItem("a")} ${storage.key(1)}`, "2 null 3");
        for (const odd of ["", "\0", "\ud800", "\uffff", "\uffff\ud800", "\ud83d\ude00", "__proto__",
          "a\nb", '"\\']) {
          storage.setItem(odd, odd + "=");
          expect(JSON.stringify(odd), storage.getItem(odd), odd + "=");
          expect(`last ${JSON.stringify(odd)}`, storage.key(storage.length - 1), odd);
        }
        storage.clear();
        expect("cleared", `${storage.length} ${storage.key(0)}`, "0 null");
        for (const use of [() => storage.setItem("a"), () => storage.getItem(), () => storage.key(),
          () => storage.setItem(Symbol(), 1), () => Storage.prototype.getItem.call({}, "a"),
          () => new Storage(),
          () => Storage.prototype.length]) expect(`${use}`, told(use), "TypeError");
        """#)
  }

  @Test(arguments: ["sessionStorage", "localStorage"])
  func itemsArePropertiesButForWhatTheInterfaceHas(_ name: String) async {
    await Self.expectNothing(
      of: "const storage = \(name);"
        + #"""
        storage.b = 2; storage["a"] = 1; storage[7] = "seven";
        Object.defineProperty(storage, "c", { value: 3 });
        expect("keys", Object.keys(storage).join(), "b,a,7,c");
        expect("in", ["a", "7", "none", "length", "getItem", "toString"].map((n) => n in storage).join(),
          "true,true,false,true,true,true");
        expect("read", [storage.a, storage[7], storage.none, typeof storage.a].join(), "1,seven,,string");
        expect("own", JSON.stringify(Object.getOwnPropertyDescriptor(storage, "a")),
          '{"value":"1","writable":true,"enumerable":true,"configurable":true}');
        expect("spread", JSON.stringify({ ...storage }), '{"7":"seven","b":"2","a":"1","c":"3"}');
        expect("delete", [delete storage.a, delete storage.none, storage.a, storage.length].join(),
          "true,true,,3");
        const methods = ["getItem", "setItem", "removeItem", "clear", "key", "length", "constructor",
          "toString"];
        for (const method of methods) {
          const before = storage[method];
          storage[method] = "item";
          if (method !== "length") expect(method, storage[method], before);
          expect(`item ${method}`, storage.getItem(method), "item");
          expect(`own ${method}`, Object.keys(storage).includes(method), false);
        }
        const symbol = Symbol("s");
        storage[symbol] = 1;
        expect("symbol", `${storage[symbol]} ${symbol in storage}`, "1 true");
        const heir = Object.create(storage);
        heir.x = "own";
        expect("heir", `${storage.getItem("x")} ${heir.x} ${heir.b}`, "null own 2");
        expect("sealed", told(() => Object.preventExtensions(storage)), "TypeError");
        expect("extensible", Object.isExtensible(storage), true);
        expect("accessor", told(() => Object.defineProperty(storage, "g", { get() {} })), "TypeError");
        expect("tag", `${storage}`, "[object Storage]");
        expect("instance", storage instanceof Storage, true);
        expect("clone", told(() => structuredClone(storage)), "DataCloneError");
        """#)
  }

  @Test(arguments: ["sessionStorage", "localStorage"])
  func thereIsRoomForSoMuch(_ name: String) async {
    await Self.expectNothing(
      of: "const storage = \(name);"
        + #"""
        const limit = 5 * 1024 * 1024, half = "x".repeat(limit / 2 - 1);
        storage.a = half; storage.b = half;
        const full = (() => { try { storage.c = "1" } catch (error) { return error } })();
        expect("full", `${full?.name} ${full?.code} ${full instanceof DOMException}`,
          "QuotaExceededError 22 true");
        expect("named", full?.message.includes("'c'"), true);
        expect("kept", `${storage.length} ${storage.c}`, "2 undefined");
        storage.a = "1"; storage.c = half.slice(2);
        expect("replaced", storage.length, 3);
        expect("again", told(() => storage.setItem("c", half + "12")), "QuotaExceededError");
        expect("old", storage.c.length, half.length - 2);
        """#)
  }

  @Test func sessionStorageEndsWithTheProgramAndLocalStorageDoesNot() async {
    await Self.inFolder { folder in
      await Self.expectNothing(
        of: #"""
          expect("new", `${localStorage.length} ${localStorage.a}`, "0 undefined");
          localStorage.a = "kept \ud800"; sessionStorage.a = "gone";
          """#, container: folder)
      await Self.expectNothing(
        of: #"""
          expect("session", sessionStorage.length, 0);
          expect("local", localStorage.a, "kept \ud800");
          """#, container: folder)
      let file = folder + "/Library/LocalStorage/items.db"
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes?[.posixPermissions] as? Int == 0o600)
      let above = try? FileManager.default.attributesOfItem(atPath: folder + "/Library/LocalStorage")
      #expect(above?[.posixPermissions] as? Int == 0o700)
    }
  }

  /// Each program has an engine, a connection and a memory of its own, as processes have.
  @Test func programsSeeEachOthersItemsOnTheNextRead() async {
    await Self.inFolder { folder in
      let script = """
        const [mine, other] = NAMES;
        localStorage[mine] = "1";
        // No other program may be heard of by more than by what it keeps.
        while (localStorage[other] === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
        for (let index = 2; index <= 50; index++) localStorage[mine] = index;
        while (localStorage[other] !== "50") await new Promise((resolve) => setTimeout(resolve, 1));
        console.log(Object.keys(localStorage).sort().join());
        """
      var harness = ScriptHarness(plugins: [])
      (harness.container, harness.usesRealTime) = (folder, true)
      let (set, one, other) = (harness, #"["one", "other"]"#, #"["other", "one"]"#)
      async let first = set.run(script.replacingOccurrences(of: "NAMES", with: one))
      async let second = set.run(script.replacingOccurrences(of: "NAMES", with: other))
      for result in await [first, second] { #expect(result.output == "one,other\n", "\(result)") }
    }
  }

  /// What there is room for is not added up anew for each item: others' items count all the same.
  @Test func theRoomIsWhatOtherProgramsLeave() async {
    await Self.inFolder { folder in
      let waits = """
        const waitFor = async (name) => {
          while (localStorage[name] === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
        };

        """
      let writes = """
        localStorage.own = "1"; localStorage.own = "22";
        await waitFor("full");
        const tryIt = () => told(() => localStorage.setItem("mine", "x".repeat(2 << 20)));
        const first = tryIt();
        localStorage.next = "";
        await waitFor("free");
        console.log(first, tryIt() === undefined);
        localStorage.clear();
        console.log(told(() => localStorage.setItem("d", "x".repeat((5 << 20) - 2))) === undefined);
        console.log(told(() => localStorage.setItem("e", "")), told(() => localStorage.setItem("f", "")));
        """
      let others = """
        await waitFor("own");
        localStorage.big = "x".repeat(4 << 20); localStorage.full = "";
        await waitFor("next");
        localStorage.removeItem("big"); localStorage.free = "";
        """
      var harness = ScriptHarness(plugins: [])
      (harness.container, harness.usesRealTime) = (folder, true)
      let set = harness
      async let mine = set.run(Self.tools + waits + writes)
      async let other = set.run(waits + others)
      let (result, rest) = await (mine, other)
      #expect(result.output == "QuotaExceededError true\ntrue\nundefined QuotaExceededError\n", "\(result)")
      #expect(rest.status == .success, "\(rest)")
    }
  }

  /// Nothing is made for a program that reads only, and none of it without the permission.
  @Test func localStorageIsOpenedWhenItIsUsedAndAllowed() async {
    await Self.inFolder { folder in
      let script = "console.log(told(() => localStorage.length), told(() => localStorage.a))"
      for (permissions, expected) in [
        (nil, "0 undefined\n"), (["localStorage"], "0 undefined\n"), (["*"], "0 undefined\n"),
        ([], "SecurityError SecurityError\n"), (["app.appInfo"], "SecurityError SecurityError\n"),
        (["*", "!localStorage"], "SecurityError SecurityError\n"),
      ] as [([String]?, String)] {
        let result = await Self.run(script, container: folder, permissions: permissions)
        #expect(result.output == expected, "\(result)")
      }
      #expect(!FileManager.default.fileExists(atPath: folder + "/Library"))
      let denied = await Self.run(
        "sessionStorage.a = 1; try { localStorage } catch (e) { console.log(e.message) }", permissions: [])
      #expect(denied.output.contains("add \"localStorage\" to \"permissions\" in app.json"), "\(denied)")
    }
  }

  /// A replay has the items of its recording, whatever there are now, and none of what is secret.
  @Test func aReplayHasTheItemsOfItsRecording() async throws {
    try await Self.inFolder { folder in
      let script = """
        localStorage.color ??= "red"; localStorage.password ??= "hunter2hunter2";
        console.log(localStorage.color, localStorage.length, Object.keys(localStorage).join());
        """
      var harness = ScriptHarness(plugins: [])
      harness.container = folder + "/c"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      harness.options.recording = folder + "/r"
      let recorded = await harness.run(script)
      harness.options.recording = nil
      #expect(recorded.output == "red 2 color,password\n", "\(recorded)")
      _ = await harness.run("localStorage.color = 'blue'; localStorage.more = 1")
      harness.options.replay = try Recording(path: folder + "/r")
      #expect(await harness.run(script).output == recorded.output)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/r"))
      #expect(bytes.range(of: Data("red".utf8)) != nil)
      harness.options.replay = nil
      harness.options.recording = folder + "/s"
      _ = await harness.run("localStorage.getItem('password')")
      let second = try Data(contentsOf: URL(fileURLWithPath: folder + "/s"))
      #expect(second.range(of: Data("hunter2hunter2".utf8)) == nil)
    }
  }

  @Test func aScriptMayHaveAGlobalOfThatName() async {
    await Self.expectNothing(
      of: #"""
        globalThis.localStorage = { a: "mine" };
        expect("replaced", localStorage.a, "mine");
        const event = new StorageEvent("storage", { key: "k", oldValue: null, newValue: 1, url: "u",
          storageArea: sessionStorage });
        expect("event", [event.key, event.oldValue, event.newValue, event.url,
          event.storageArea === sessionStorage].join(),
          "k,,1,u,true");
        const empty = new StorageEvent("storage");
        expect("none", [empty.key, empty.url, empty.storageArea].join("|"), "||");
        empty.initStorageEvent("other", true, false, "k2");
        expect("init", [empty.type, empty.bubbles, empty.key, empty.newValue].join("|"), "other|true|k2|");
        expect("area", told(() => new StorageEvent("s", { storageArea: {} })), "TypeError");
        """#)
  }

  /// A list of keys is kept as long as none comes or goes.
  @Test func aKeyIsFoundByItsNumberWhateverCameOrWent() async {
    await Self.inFolder { folder in
      await Self.expectNothing(
        of: """
          const keys = () => {
            const list = [];
            for (let i = 0; i <= localStorage.length; i++) list.push(localStorage.key(i));
            return list.join();
          };
          localStorage.setItem("", "");
          localStorage.setItem("a", 1);
          expect("two", keys(), ",a,");
          localStorage.setItem("", "again"); localStorage.b = 2;
          expect("three", keys(), ",a,b,");
          delete localStorage.a;
          expect("gone", keys(), ",b,");
          localStorage.clear();
          expect("none", keys(), "");
          """, container: folder)
    }
  }
}
