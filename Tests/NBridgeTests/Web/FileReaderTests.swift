// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// FileReader and the events that tell of progress and of an end.
@Suite struct FileReaderTests {
  static let harness = ScriptHarness(plugins: [])

  static let tools = #"""
    const expect = (label, actual, expected) => {
      if (actual !== expected) console.log(`${label}\n  is       ${actual}\n  expected ${expected}`);
    };
    const types = ["loadstart", "progress", "load", "abort", "error", "loadend"];
    const read = (method, ...list) => new Promise((resolve) => {
      const reader = new FileReader();
      reader.onloadend = () => resolve(reader.result);
      reader[method](...list);
    });

    """#

  /// The script prints what is not as it expects.
  static func expectNothing(of script: String, _ location: SourceLocation = #_sourceLocation) async {
    let result = await harness.run(tools + script)
    #expect(
      result.output.isEmpty && result.status == .success, "\(result.output)\(result.errors)",
      sourceLocation: location)
  }

  @Test func aReadGivesTheBytesInEachForm() async {
    await Self.expectNothing(
      of: #"""
        const blob = new Blob([new Uint8Array([0, 0x80, 0xff, 0x41])], { type: "x/y" });
        const buffer = await read("readAsArrayBuffer", blob);
        expect("buffer", `${buffer} ${new Uint8Array(buffer)}`, "[object ArrayBuffer] 0,128,255,65");
        new Uint8Array(buffer)[0] = 9;
        expect("a copy", (await blob.bytes())[0], 0);
        expect("binary", await read("readAsBinaryString", blob), "\0\x80\xffA");
        expect("data", await read("readAsDataURL", blob), "data:x/y;base64,AID/QQ==");
        expect("no type", await read("readAsDataURL", new Blob()), "data:application/octet-stream;base64,");
        expect("file", await read("readAsDataURL", new File(["a"], "n",
          { type: "text/plain;charset=utf-8" })),
          "data:text/plain;charset=utf-8;base64,YQ==");
        """#)
  }

  @Test func aTextIsReadByItsMarkThenByWhatIsAskedForThenByItsType() async {
    await Self.expectNothing(
      of: #"""
        const bytes = (...list) => new Uint8Array(list);
        for (const [part, type, label, expected] of [
          [bytes(0xc3, 0xa9, 0xff), "", undefined, "\u00e9\ufffd"],
          [bytes(0xe9), "", "latin1", "\u00e9"], [bytes(0xe9), "text/x;a=b; charset=\"latin1\"",
            undefined, "\u00e9"],
          [bytes(0xe9), "text/x;charset=utf-8", "latin1", "\u00e9"],
          [bytes(0xe9), "text/x;charset=latin1", "none such", "\u00e9"],
          [bytes(0xe9), "text/x;charset=none", "none", "\ufffd"],
          [bytes(0xef, 0xbb, 0xbf, 0x41), "", "latin1", "A"],
          [bytes(0xff, 0xfe, 0x41, 0), "", "latin1", "A"], [bytes(0xfe, 0xff, 0, 0x41), "", undefined, "A"],
          [bytes(0x41, 0), "", "utf-16", "A"], [bytes(0x88, 0xa0), "", "sjis", "\u5516"],
          [bytes(0x41), "", "iso-2022-kr", "\ufffd"], [bytes(), "", "utf-16be", ""],
        ]) expect(`${part} ${type} ${label}`, await read("readAsText", new Blob([part], { type }), label),
          expected);
        """#)
  }

  @Test func eventsComeInTheirOrderEachInATaskOfItsOwn() async {
    await Self.expectNothing(
      of: #"""
        const follow = (parts, made = () => {}) => new Promise((resolve) => {
          const reader = new FileReader(), seen = [];
          for (const type of types) reader[`on${type}`] = (event) => {
            seen.push(`${type} ${reader.readyState} ${event.loaded}/${event.total} ${reader.result}`);
            Promise.resolve().then(() => seen.push("-"));
            if (!event.isTrusted || event.target !== reader ||
              !(event instanceof ProgressEvent)) seen.push("!");
            if (type === "loadend") setTimeout(() => resolve(seen.join()), 0);
          };
          reader.readAsText(new Blob(parts));
          seen.push(`begun ${reader.readyState}`);
          made(reader, seen);
        });
        expect("bytes", await follow(["abc"]),
          "begun 1,loadstart 1 0/3 null,-,progress 1 3/3 null,-,load 2 3/3 abc,-,loadend 2 3/3 abc,-");
        expect("none", await follow([]), "begun 1,loadstart 1 0/0 null,-,load 2 0/0 ,-,loadend 2 0/0 ,-");
        expect("aborted", await follow(["abc"], (reader) => reader.abort()),
          "begun 1,abort 2 0/3 null,loadend 2 0/3 null,-,-");
        """#)
  }

  @Test func aReaderReadsOneThingAtATime() async {
    await Self.expectNothing(
      of: #"""
        const told = (use) => { try { use(); return "nothing" } catch (error) { return error.name } };
        const reader = new FileReader(), blob = new Blob(["first"]), seen = [];
        reader.abort();
        expect("idle", reader.readyState, FileReader.EMPTY);
        for (const wrong of [undefined, "text", {}, new Uint8Array(1)]) {
          expect(`${wrong}`, told(() => reader.readAsText(wrong)), "TypeError");
        }
        expect("none", told(() => reader.readAsDataURL()), "TypeError");
        expect("still idle", reader.readyState, reader.EMPTY);
        reader.readAsText(blob);
        expect("busy", told(() => reader.readAsText(blob)), "InvalidStateError");
        reader.abort();
        reader.readAsText(new Blob(["second"]));
        // A listener of "load" that reads on: the first read has no "loadend".
        reader.onload = () => {
          seen.push(reader.result);
          if (seen.length === 1) reader.readAsText(new Blob(["third"]));
        };
        await new Promise((resolve) => reader.addEventListener("loadend", resolve));
        seen.push("end");
        expect("seen", seen.join(), "second,third,end");
        """#)
  }

  @Test func eventsOfProgressAndOfAnEndAreMadeAsTheWebHasThem() async {
    await Self.expectNothing(
      of: #"""
        const told = (make) => { try { return make() } catch (error) { return error.name } };
        const progress = (init) => { const e = new ProgressEvent("p", init);
          return [e.type, e.lengthComputable, e.loaded, e.total, e.bubbles].join() };
        expect("empty", progress(), "p,false,0,0,false");
        expect("full", progress({ lengthComputable: 1, loaded: "2.5", total: 3, bubbles: true }),
          "p,true,2.5,3,true");
        expect("wrong", told(() => progress({ loaded: NaN })), "TypeError");
        const close = (init) => {
          const { wasClean, code, reason } = new CloseEvent("c", init);
          return [wasClean, code, reason].join();
        };
        expect("close", close(), "false,0,");
        expect("closed", close({ wasClean: true, code: 65536 + 1000, reason: "done \ud800" }),
          "true,1000,done \ufffd");
        expect("no type", told(() => new CloseEvent()), "TypeError");
        expect("tags", `${new ProgressEvent("")} ${new CloseEvent("")} ${new FileReader()}`,
          "[object ProgressEvent] [object CloseEvent] [object FileReader]");
        expect("constants", Object.keys(FileReader).join(), "EMPTY,LOADING,DONE");
        expect("handlers", types.every((type) => `on${type}` in FileReader.prototype), true);
        """#)
  }
}
