// SPDX-License-Identifier: MIT

import Testing

extension NodeModuleTests {
  @Test(arguments: processCases)
  func hasProcessesAsNode(_ test: Case) throws { try behaves(test) }

  private static let folderKinds =
    "property must be of type string or an instance of Buffer or URL. Received"
  private static let shellKinds = "property must be one of type boolean or string. Received"
  private static let signalKinds = "property must be one of type string or number. Received"
  private static let permitted =
    "nbridge run --permissions 'process.*,process.run:/usr/bin,process.run:/bin' "

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
      ], run: permitted + "main.mjs",
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
      name: "a child whose pipe is closed hears so, and the program ends",
      files: [
        "main.mjs": #"""
        import { exec, spawn } from 'node:child_process'; import { pipeline } from 'node:stream';
        const yes = spawn('yes'), head = spawn('head', ['-n', '1']);
        let broken; pipeline(yes.stdout, head.stdin, (error) => { broken = error.code; });
        const ended = (child) => new Promise((done) => child.on('close', (...how) => done(how.join())));
        const both = [ended(yes), ended(head)];
        for await (const line of head.stdout) console.log(`${line}`.trim());
        // Which of the two ends of the pipe is heard first, nobody says.
        console.log(...await Promise.all(both), ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"].includes(broken));
        const endless = spawn('yes'), ends = ended(endless);
        for await (const chunk of endless.stdout) { console.log(chunk.length > 0); break; }
        console.log(await ends);
        const cat = spawn('cat');
        cat.stdin.destroy();
        console.log(await ended(cat));
        const unread = spawn('yes');
        unread.stdout.destroy();
        console.log(await ended(unread));
        exec('echo text').stdout.on('data', (chunk) => console.log(typeof chunk, chunk.trim()));
        """#
      ], run: permitted + "main.mjs",
      output: "y\n,SIGPIPE 0, true\ntrue\n,SIGPIPE\n0,\n,SIGPIPE\nstring text\n"),
    Case(
      name: "a loop over lines gets each of them, in their order",
      files: [
        "main.mjs": #"""
        import { spawn } from 'node:child_process'; import { createInterface } from 'node:readline';
        import { Readable } from 'node:stream';
        let [count, last, gaps] = [0, 0, 0];
        for await (const line of createInterface({ input: spawn('seq', ['50000']).stdout })) {
          count++;
          if (+line !== last + 1) gaps++;
          last = +line;
          if (count % 5000 === 0) await new Promise((done) => setTimeout(done, 1));
        }
        console.log(count, last, gaps);
        let lines = 0;
        for await (const line of createInterface({ input: Readable.from(['x\n'.repeat(5000)]) })) lines++;
        console.log(lines);
        """#
      ], run: permitted + "main.mjs", output: "50000 50000 0\n5000\n"),
    Case(
      name: "an error of who hears a signal is the program's, and the next is heard",
      files: [
        "main.mjs": """
        import process from 'node:process';
        process.on('uncaughtException', (error) => {
          console.log(error.message);
          if (error.message === '2') process.exit(3);
        });
        let n = 0;
        process.on('SIGUSR2', () => {
          process.kill(process.pid, 'SIGUSR2');
          throw new Error(`${++n}`);
        });
        process.kill(process.pid, 'SIGUSR2');
        setInterval(() => {}, 1000);
        """
      ], run: permitted + "main.mjs", output: "1\n2\n", status: 3),
    Case(
      name: "the end of a watch of signals is nothing that the program did",
      files: [
        "main.mjs": """
        import process from 'node:process';
        process.on('SIGUSR2', () => {}); let n = 0;
        process.on('beforeExit', () => { console.log(++n); if (n < 3) setTimeout(() => {}, 1); });
        """
      ], run: permitted + "main.mjs", output: "1\n2\n3\n"),
    Case(
      name: "the options of a child are looked at before it starts",
      files: [
        "main.mjs": """
        import { execFile, spawn } from 'node:child_process';
        const list = [{ timeout: -1 }, { timeout: '5' }, { cwd: 5 }, { cwd: true }, { shell: 5 },
          { killSignal: 'NOPE' }, { killSignal: 0 }, { killSignal: {} }, { signal: null }];
        for (const options of list) for (const start of [spawn, execFile]) {
          try { start('true', [], options); } catch ({ code, message }) {
            if (start === spawn) console.log(code, message);
          }
        }
        try { execFile('true', { maxBuffer: -1 }); } catch ({ message }) { console.log(message); }
        """
      ], run: "nbridge run main.mjs",
      output: """
        ERR_OUT_OF_RANGE The value of "timeout" is out of range. It must be an unsigned integer. Received -1
        ERR_OUT_OF_RANGE The value of "timeout" is out of range. It must be an unsigned integer. Received '5'
        ERR_INVALID_ARG_TYPE The "options.cwd" \(folderKinds) type number (5)
        ERR_INVALID_ARG_TYPE The "options.cwd" \(folderKinds) type boolean (true)
        ERR_INVALID_ARG_TYPE The "options.shell" \(shellKinds) type number (5)
        ERR_UNKNOWN_SIGNAL Unknown signal: NOPE
        ERR_UNKNOWN_SIGNAL Unknown signal: 0
        ERR_INVALID_ARG_TYPE The "options.killSignal" \(signalKinds) an instance of Object
        ERR_INVALID_ARG_TYPE The "options.signal" property must be an instance of AbortSignal. Received null
        The value of "options.maxBuffer" is out of range. It must be a positive number. Received -1

        """),
  ]
}
