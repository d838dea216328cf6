// SPDX-License-Identifier: MIT

import Testing

/// Many listeners of one target.
@Suite struct EventListenerTests {
  /// Each was looked for among all the others, and the list of all copied: 20,000 took 20 s.
  @Test(arguments: ["new EventTarget()", "new AbortController().signal", "globalThis"])
  func aListenerMoreCostsNoMoreThanTheFirst(_ target: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.js": """
      const target = \(target), control = new AbortController();
      let count = 0;
      const time = (body) => { const start = performance.now(); body(); return performance.now() - start };
      const times = [
        () => { for (let i = 0; i < 20000; i++) target.addEventListener("x", () => count++, { once: true }) },
        () => target.dispatchEvent(new Event("x")),
        () => {
          const { signal } = control;
          for (let i = 0; i < 20000; i++) target.addEventListener("x", () => count++, { signal });
        },
        () => control.abort(),
        () => target.dispatchEvent(new Event("x")),
      ].map(time);
      console.log(count, times.every((time) => time < 2000) ? "quick" : times.join());
      """
    ])
    let result = try runner.shell("nbridge run a.js")
    #expect(result.output == "20000 quick\n", "\(result)")
  }
}
