// SPDX-License-Identifier: MIT

import Testing

/// Files of a page that the program sends without having them in its memory.
@Suite struct ServedFileTests {
  @Test func whatIsSentIsNoMemoryOfTheProgram() throws {
    let result = try CommandRunner.run(
      [
        "site/index.html": "<p>page</p>",
        "visit.py": """
        import http.cookiejar, sys, urllib.request
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        browser = urllib.request.build_opener(jar)
        browser.open(sys.argv[1]).read()
        with browser.open(sys.argv[1].partition("?")[0] + "large.bin") as answer:
            count = 0
            while piece := answer.read(1 << 20): count += len(piece)
        print(count)
        """,
      ],
      """
      truncate -s 1G site/large.bin
      timeout 60 "$NBRIDGE" serve --memory-limit 300 site/index.html > told 2>&1 & p=$!
      n=0; until grep -qs token= told || [ $n = 1200 ]; do sleep 0.05; n=$((n+1)); done
      python3 visit.py "$(grep -o 'http://[^ ]*' told | head -n 1)"
      grep -c memory-limit told; kill $p; wait $p
      """)
    #expect(result.output == "1073741824\n0\n", "\(result)")
  }
}
