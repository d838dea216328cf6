// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The document of a page without a window: what its scripts see of it, and what its buttons leave in it.
/// What it does by the standards is shown by the pages of Tests/Scripts.
@Suite struct PageDocumentTests {
  @Test func otherProgramsHaveNoDocument() throws {
    let result = try CommandRunner.run(
      [:],
      "nbridge eval 'console.log(typeof document, typeof HTMLElement, typeof location, typeof history)'")
    #expect(result.output == "undefined undefined undefined undefined\n", "\(result.errors)")
  }

  @Test func whatOnlyADrawnPageKnowsIsNotThere() throws {
    let result = try run(
      """
      <p>x</p><canvas></canvas><script>
      const p = document.querySelector("p");
      console.log(typeof p.getBoundingClientRect, typeof p.offsetWidth, typeof getComputedStyle,
        typeof matchMedia, typeof document.querySelector("canvas").getContext, typeof MutationObserver,
        typeof customElements);
      try { document.write("x"); } catch (error) { console.log(error.name); }
      try { p.matches(":hover"); } catch (error) { console.log(error.name, /:hover/.test(error.message)); }
      p.scrollIntoView();
      </script>
      """)
    #expect(
      result.output
        == "undefined undefined undefined undefined undefined undefined undefined\n"
        + "NotSupportedError\nSyntaxError true\n", "\(result.errors)")
  }

  @Test func aScriptSeesWhatStandsBeforeIt() throws {
    let result = try run(
      "<p></p><script>console.log(document.querySelectorAll('p').length)</script><p></p>"
        + "<script>console.log(document.querySelectorAll('p').length)</script><p></p>")
    #expect(result.output == "1\n2\n", "\(result.errors)")
  }

  @Test func anElementsFieldsAreShown() throws {
    let result = try run(
      "<p id=a class='b c'><i></i></p><script>console.log(document.body.firstChild)</script>")
    #expect(result.output.hasPrefix("HTMLParagraphElement {"), "\(result)")
    #expect(result.output.contains("id: 'a'") && result.output.contains("className: 'b c'"), "\(result)")
  }

  // MARK: - What a script can't upset

  /// What would go back over and over, or count anew for each member, takes no time.
  @Test func selectorsTakeNoTime() throws {
    let result = try run(
      """
      <body></body><script>
      let at = document.body;
      for (let i = 0; i < 80; i++) at = at.appendChild(document.createElement("div"));
      console.log(document.querySelectorAll("x " + "div ".repeat(20)).length);
      document.body.innerHTML = "<p></p>".repeat(8000);
      console.log(document.querySelectorAll("p:nth-child(2n):nth-last-of-type(2n + 1)").length);
      document.body.innerHTML = "<p></p>".repeat(400);
      console.log(document.querySelectorAll("x ~ p ~ p ~ p ~ p, p:not(x ~ p ~ p ~ p)").length);
      </script>
      """, #"timeout 20 "$NBRIDGE" run page.html"#)
    #expect(result.output == "0\n4000\n400\n", "\(result)")
  }

  /// What is asked for while it grows is not made anew each time.
  @Test func whatGrowsTakesNoTime() throws {
    let result = try run(
      """
      <body></body><script>
      const { body } = document, template = document.createElement("template");
      let found = 0, at = template;
      for (let i = 0; i < 10000; i++) {
        const added = document.createElement("p");
        added.id = `p${i}`;
        body.append(added);
        if (document.getElementById(`p${i}`) === added) found++;
      }
      for (let i = 0; i < 2000; i++) body.classList.add(`c${i}`);
      for (let i = 0; i < 1000; i++) body.style.setProperty(`--a${i}`, "1");
      let names = "";
      for (let i = 0; i < body.style.length; i++) names += body.style.item(i);
      body.firstChild.setAttribute("style", `a: b${" ".repeat(200000)}c`);
      for (let i = 0; i < 20000; i++) {
        const next = document.createElement("template");
        at.content.append(next);
        at = next;
      }
      let depth = 0;
      for (at = template.cloneNode(true); at !== null; at = at.content.firstChild) depth++;
      console.log(found, body.classList.length, names.length, depth,
        body.firstChild.style.getPropertyPriority("a") === "");
      </script>
      """, #"timeout 20 "$NBRIDGE" run page.html"#)
    #expect(result.output == "10000 2000 5890 20001 true\n", "\(result)")
  }

  @Test func manyScriptsOnALineTakeNoTime() throws {
    let result = try run(
      String(repeating: "<script>1</script>", count: 4000)
        + "<script>console.log('last')</script><script>\nfail()</script>",
      #"timeout 20 "$NBRIDGE" run page.html"#)
    #expect(result.output == "last\n", "\(result)")
    #expect(result.errors.contains("page.html#script:1-"), "\(result)")
  }

  @Test func elementsAreMadeWhateverAScriptReplaced() throws {
    let result = try run(
      """
      <body><script>
      Array.prototype[Symbol.iterator] = function* () { yield "other"; };
      Object.prototype.get = () => 1;
      const names = ["p", "x-y", "unknown", "input", "select", "template", "table", "form", "dialog"];
      for (let i = 0; i < names.length; i++) document.body.append(document.createElement(names[i]));
      document.body.innerHTML += "<option>1</option><textarea></textarea><label></label>";
      const copy = document.body.cloneNode(true);
      const { body } = new DOMParser().parseFromString("<p>x", "text/html");
      document.body.dataset.a = "b";
      console.log(copy.childNodes.length, body.innerHTML,
        Object.getOwnPropertyDescriptor(document.body.childNodes, "0") !== undefined,
        Object.getOwnPropertyDescriptor(document.body.dataset, "a").value);
      </script>
      """)
    #expect(result.output == "13 <p>x</p> true b\n", "\(result)")
  }

  // MARK: - Buttons

  /// By a member, an attribute, a listener around them, a form's; each once.
  @Test func buttonsArePressedInThePagesOrder() throws {
    let result = try run(
      """
      <b id=late></b><button id=first onclick="console.log('attribute')">1</button>
      <ul id=list><li><button id=inner>2</button></ul>
      <form id=form><input name=a value=b><button>3</button></form><button id=lonely>4</button>
      <script>
      const [late, list, form] = ["late", "list", "form"].map((id) => document.getElementById(id));
      late.onclick = () => console.log("member");
      list.addEventListener("click", (event) => console.log("around", event.target.id));
      form.onsubmit = (event) => {
        event.preventDefault();
        console.log("submit", [...new FormData(form)].join());
      };
      </script>
      """)
    #expect(
      result.output == "member\nattribute\naround list\naround inner\nsubmit a,b\n", "\(result.errors)")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
  }

  @Test func whatNobodyCouldPressIsLeftOut() throws {
    let result = try run(
      """
      <button onclick="console.log('shown'); document.querySelector('#later').hidden = false;">1</button>
      <button onclick="console.log('hidden')" hidden>2</button>
      <div hidden><b onclick="console.log('in hidden')"></b></div>
      <button onclick="console.log('disabled')" disabled>3</button>
      <details><summary>s</summary><b onclick="console.log('in closed')"></b></details>
      <dialog><b onclick="console.log('in a dialog')"></b></dialog>
      <template><b onclick="console.log('in a template')"></b></template>
      <button id=gone onclick="console.log('gone')"></button>
      <b onclick="document.querySelector('#gone').remove()"></b>
      <button id=later onclick="console.log('shown by now')" hidden>4</button>
      """)
    #expect(result.output == "shown\ngone\nshown by now\n", "\(result.errors)")
  }

  @Test func aFormThatIsSentIsTold() throws {
    let result = try run(
      "<form action=/x><input name=a></form>"
        + "<script>document.forms[0].submit(); console.log('stays')</script>")
    #expect(result.output == "stays\n" && result.status == 0)
    #expect(result.errors.contains("a form is not sent"), "\(result.errors)")
  }

  @Test func aScriptThatAScriptMakesIsToldNotToRun() throws {
    let result = try run(
      """
      <script>
      const made = document.createElement("script");
      made.textContent = "console.log('never')";
      made.onerror = () => console.log("told");
      document.head.append(made);
      </script>
      """)
    #expect(result.output == "told\n", "\(result)")
    #expect(result.errors.contains("is not run without a window"), "\(result.errors)")
  }

  @Test func codeOfAttributesIsCompiledWhenItIsNeeded() throws {
    let result = try run(
      """
      <input id=i onchange="console.log('changed', this.value)" oninput="let = ;">
      <script>
      const i = document.getElementById("i");
      i.value = "x";
      i.dispatchEvent(new Event("change"));
      console.log(typeof i.onchange);
      addEventListener("error", (event) => { console.log(event.error.name); event.preventDefault(); });
      i.dispatchEvent(new Event("input"));
      i.dispatchEvent(new Event("input"));
      </script>
      """)
    #expect(result.output == "changed x\nfunction\nSyntaxError\n", "\(result.errors)")
  }

  // MARK: - Hostile pages

  @Test(arguments: [
    "<div>", "<p>", "<b>", "<table><tr><td>", "<ul><li>", "<svg>", "<template>", "<select><option>",
    "<button>", "<a href=x>", "</div>", "<!--", "<script>", "&", "<", "<a b=c ", "\u{0}", "<form>", "<td>",
  ])
  func markupWithoutEndIsRead(_ piece: String) throws {
    let text = String(repeating: piece, count: 100_000)
    let script = "<script>console.log(document.readyState)</script>"
    let result = try run(script + text, "timeout 60 \"$NBRIDGE\" run page.html")
    #expect(
      result.output.hasPrefix("loading\n") && result.status != 124,
      "\(piece): \(result.errors.prefix(500))")
  }

  @Test func aScriptThatReplacesPrototypesBreaksNoTree() throws {
    let result = try run(
      """
      <ul id=l><li class="a">1<li>2</ul><form><input name=n value=v></form>
      <script>
      const { log } = console;
      for (const type of [Array, String, Map, Set, RegExp, Object]) {
        for (const name of Object.getOwnPropertyNames(type.prototype)) {
          if (name === "constructor" || name === "__proto__") continue;
          const value = () => { throw new Error(name); };
          try { Object.defineProperty(type.prototype, name, { value }); } catch {}
        }
      }
      const first = { set() { throw new Error("0"); }, get() { throw new Error("0"); } };
      Object.defineProperty(Array.prototype, "0", first);
      const l = document.getElementById("l");
      l.innerHTML += "<li class='a b'>3<li>4";
      l.lastChild.append("5");
      l.lastChild.classList.add("c");
      l.style.color = "red";
      log(l.querySelector("li.a.b").textContent + l.children.length + l.lastChild.outerHTML);
      log(l.getAttribute("style"));
      l.addEventListener("click", (event) => { log(event.target.textContent); });
      l.firstChild.click();
      log(document.forms.item(0).elements.item(0).value);
      </script>
      """)
    // At last the list itself is pressed, which listens.
    #expect(result.output == #"34<li class="c">45</li>"# + "\ncolor: red;\n1\nv\n12345\n", "\(result)")
  }

  // MARK: - The samples

  /// Each card has its answer, and the code that was run.
  @Test func eachButtonOfTheSampleAnswersInItsCard() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "check.js": """
      async function check() {
        for (const button of document.querySelectorAll(".card button")) {
          for (const answer of document.querySelectorAll(".answer")) answer.replaceChildren();
          button.click();
          let answer;
          while (!(answer = document.querySelector(".answer:not(:empty):not([aria-busy])"))) {
            await new Promise((again) => setTimeout(again, 5));
          }
          const parts = answer.querySelectorAll(".code, .text");
          const told = Array.from(parts, (part) => part.textContent).join(": ");
          const code = answer.parentElement.querySelector(".call").textContent;
          console.error(answer.classList.contains("failed"), code.includes("await"), told.split("\\n")[0]);
        }
      }
      """
    ])
    let result = try runner.shell(
      "cp -r '\(CommandRunner.root)/www' .; cp check.js www; "
        + "sed -i 's|</body>|<script src=check.js></script></body>|' www/sample.html; "
        + "nbridge run --call check www/sample.html")
    // The logger tells, too.
    let told = result.errors.split(separator: "\n").filter { $0.hasPrefix("true ") || $0.hasPrefix("false ") }
    #expect(result.status == 0 && told.count == 33, "\(result)")
    #expect(told.first == "false true app version : 1.0.0/1", "\(result.errors)")
    for code in ["invalid_action_name", "invalid_parameter", "permission_denied", "not_found", "cancelled"] {
      #expect(told.contains { $0.hasPrefix("true true \(code): ") }, "\(code) in \(result.errors)")
    }
    #expect(told.contains(#"false true Bob sent {"move":"e2 e4"}"#), "\(result.errors)")
  }

  /// A note is made, called something else, written, found, copied, deleted, brought back, locked away.
  @Test func theNotesWorkWithoutAWindow() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["check.mjs": Self.noteCheck])
    let result = try runner.shell(
      "cp -r '\(CommandRunner.root)/www' .; cp check.mjs www/notes; "
        + "sed -i 's|</body>|<script type=module src=check.mjs></script></body>|' www/notes/index.html; "
        + "timeout 60 \"$NBRIDGE\" run --auth pass www/notes/index.html")
    #expect(
      result.output == """
        Note 1 is new.
        Note 1 is called Shopping now.
        Saved: Tea, and cups
        found: Shopping
        Copied to the pasteboard. Tea, and cups
        Shopping is in the trash.
        Shopping is back.
        locked: true
        locked: false

        """, "\(result)")
    #expect(result.status == 3, "\(result)")
  }

  private static let noteCheck = """
    const part = (id) => document.getElementById(id);
    const until = async (body) => {
      for (let turn = 0; turn < 1000; turn++) {
        if (body()) return;
        await new Promise((again) => setTimeout(again, 5));
      }
      throw new Error(`waited in vain for ${body}`);
    };
    const says = (text) => until(() => part("message").textContent.includes(text));
    const type = (id, text, event) => {
      part(id).value = text;
      part(id).dispatchEvent(new Event(event, { bubbles: true }));
    };
    const told = () => part("message").textContent;
    await until(() => !part("notes").hidden);
    part("add").click();
    await says("is new");
    console.log(told());
    type("title", "Shopping", "change");
    await says("is called");
    console.log(told());
    await until(() => part("title").value === "Shopping" && !part("editor").hidden);
    type("text", "Tea, and cups", "input");
    const kept = () => nbridge.documents.read("notes/Shopping.txt");
    while ((await kept()) === "") await new Promise((again) => setTimeout(again, 20));
    console.log("Saved:", await kept());
    type("search", "nothing like that", "input");
    if (part("list").children.length > 0) console.log("found what is not there");
    type("search", "SHOP", "input");
    const titles = Array.from(part("list").querySelectorAll("button"), (one) => one.firstChild.data);
    console.log("found:", titles.join());
    part("copy").click();
    await says("Copied");
    console.log(told(), part("text").value);
    part("remove").click();
    await says("in the trash");
    console.log(told());
    document.activeElement.click();
    await says("is back");
    console.log(told());
    part("lock").click();
    await until(() => !part("gate").hidden);
    console.log("locked:", part("notes").hidden);
    part("unlock").click();
    await until(() => part("gate").hidden);
    console.log("locked:", part("notes").hidden);
    exit(3);
    """

  @Test func notesAreListedWithoutAPage() throws {
    let result = try CommandRunner.run(
      [:],
      "cp -r '\(CommandRunner.root)/www' .; nbridge eval --container box "
        + "'await nbridge.documents.makeDirectory(\"notes\"); "
        + "await nbridge.documents.write(\"notes/Tea.txt\", \"x\")'; "
        + "nbridge run --container box www/notes/notes.js")
    #expect(result.output == "Tea\n", "\(result)")
  }

  @Test func testsInAProgramHaveADocumentWhereTheyAreRunInPages() throws {
    let files = [
      "a.test.js": """
      test("it has a document", () => {
        document.body.innerHTML = "<button onclick='this.textContent = 2'>1</button>";
        document.querySelector("button").click();
        expect(document.body.textContent).toBe("2");
      });
      """
    ]
    let asked = try CommandRunner.run(files, "nbridge test --in headless")
    #expect(asked.status == 0 && asked.output.contains("1 passed"), "\(asked)")
    let plain = try CommandRunner.run(files, "nbridge test")
    #expect(plain.status == 1, "\(plain)")
  }

  private func run(_ page: String, _ line: String = "nbridge run page.html") throws -> CommandRunner.Result {
    try CommandRunner.run(["page.html": page], line)
  }
}
