// SPDX-License-Identifier: MIT
// What servers and other people's texts say to the web's classes: forms of several parts, types, headers,
// patterns and data addresses. Whatever they hold, a script gets a value or an error that says what is wrong,
// never a fault of ours.
import NBridgePlugin

@testable import NBridge
@testable import NBridgeHost

/// `input` has a character for each byte. What is thrown must be one of these.
private let script = """
  const known = (error) => error instanceof TypeError || error instanceof RangeError
    || error instanceof SyntaxError || error instanceof DOMException;
  const bytes = Uint8Array.from(input, (character) => character.charCodeAt(0));
  const at = input.indexOf("\\n"), first = input.slice(0, at < 0 ? 0 : at), rest = input.slice(at + 1);
  const kinds = [
    async () => {
      const headers = { "content-type": "multipart/form-data; boundary=AB" };
      const form = await new Response(bytes, { headers }).formData();
      const again = await new Response(form).formData();
      const names = (data) => [...data.keys()].join();
      if (names(again) !== names(form)) throw new Error("a form is another one when it comes back");
    },
    async () => { await new Response(rest, { headers: { "content-type": first } }).formData(); },
    async () => {
      const { type } = await new Response("", { headers: { "content-type": first || input } }).blob();
      const twice = (await new Response("", { headers: { "content-type": type } }).blob()).type;
      if (twice !== type) throw new Error("a type is another one when it is read again");
    },
    async () => {
      const headers = new Headers([[first, rest], ["a", "b"]]);
      if (headers.get(first) === null) throw new Error("a header is lost");
    },
    async () => {
      const base = "https://example.org/";
      new URLPattern(first || input, base).test(rest, base);
    },
    async () => { await (await fetch(`data:${input}`)).bytes(); },
    async () => { new Request(input, { method: first }); },
    async () => {
      const copy = await new Response(new Blob([bytes]).stream()).bytes();
      if (copy.length !== bytes.length) throw new Error("bytes are lost");
    },
  ];
  kinds[kind]().catch((error) => { if (!known(error)) console.log("FAULT", error.name, error.message); });
  """

/// What libFuzzer calls: the first byte chooses the class.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  var text = ""
  for byte in UnsafeBufferPointer(start: start + 1, count: count - 1) {
    let digits = String(byte, radix: 16)
    text += "\\x" + (digits.count < 2 ? "0" : "") + digits
  }
  let said = Said()
  var options = RuntimeOptions()
  options.output = said
  options.isClassic = true
  let source = "const kind = \(start[0] & 7), input = \"\(text)\";\n" + script
  do { _ = try Runtime(options, plugins: []).run(.text(source, url: "s.js")) } catch {
    preconditionFailure("\(error)")
  }
  precondition(said.text.isEmpty, said.text)
  return 0
}
