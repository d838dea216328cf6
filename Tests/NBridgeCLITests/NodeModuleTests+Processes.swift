// SPDX-License-Identifier: MIT

import Testing

extension NodeModuleTests {
  @Test(arguments: processCases)
  func hasProcessesAsNode(_ test: Case) throws { try behaves(test) }

  private static let processCases: [Case] = [
    Case(
      name: "the signal 0 asks whether a child lives, and whether a process is there",
      files: [
        "main.mjs": """
        import { spawn } from 'node:child_process'; import process from 'node:process';
        const child = spawn('sleep', ['20']), lost = spawn('no-such-program').on('error', () => {});
        console.log(child.kill(0), lost.kill(0), lost.kill(), lost.killed);
        for (const signal of [99, '0', null]) {
          try { child.kill(signal) } catch ({ code, message }) { console.log(code, message) }
        }
        for (const signal of [0, 'SIGTERM']) {
          try { process.kill(4194305, signal) } catch ({ code, errno, syscall }) {
            console.log(code, errno, syscall);
          }
        }
        child.on('exit', (...how) => console.log(...how, child.kill(0), child.kill('SIGKILL')));
        console.log(child.kill('sigterm'));
        """
      ], run: "nbridge run main.mjs",
      output: """
        true false false false
        ERR_UNKNOWN_SIGNAL Unknown signal: 99
        ERR_UNKNOWN_SIGNAL Unknown signal: 0
        ERR_UNKNOWN_SIGNAL Unknown signal: null
        ESRCH -3 kill
        ESRCH -3 kill
        true
        null SIGTERM false false

        """),
    Case(
      name: "the end of a watch of signals is nothing that the program did",
      files: [
        "main.mjs": """
        import process from 'node:process';
        process.on('SIGUSR2', () => {}); let n = 0;
        process.on('beforeExit', () => { console.log(++n); if (n < 3) setTimeout(() => {}, 1); });
        """
      ], run: "nbridge run main.mjs", output: "1\n2\n3\n"),
  ]
}
