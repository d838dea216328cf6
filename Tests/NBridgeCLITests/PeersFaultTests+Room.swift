// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import NBridgeTesting
import Testing

/// The room for the peers and strangers of a test.
extension PeersFaultTests {
  /// A shared folder and processes in it, which end with the test.
  final class Room {
    let folder = TemporaryFolder.make()
    private var processes: [ChildProcess] = []

    deinit {
      for process in processes where isUnwaited(process) { process.signal(SIGKILL) }
      // One that is still dying may write into a folder that is being removed.
      for process in processes { process.wait() }
      TemporaryFolder.remove(folder)
    }

    /// Whether its number is still its own: that of a process that was waited for may be another's.
    private func isUnwaited(_ process: ChildProcess) -> Bool {
      var info = siginfo_t()
      return waitid(P_PID, id_t(process.id), &info, WEXITED | WNOHANG | WNOWAIT) == 0
    }

    var rendezvous: String { folder + "/.run/peers/test" }

    static let head = """
      const make = (displayName, more) => nbridge.peers.create({ displayName, serviceType: "test", ...more });
      const accepting = async (session) => { await session.advertise();
        session.invitations((invitation) => invitation.accept()); };
      const find = async (session, name) => { for await (const { kind, peer }
        of session.browse()) if (kind === "found" && peer.name === name) return peer; };
      const until = async (holds) => { while (!await holds()) await new Promise((r) => setTimeout(r, 5)); };
      const connected = async (session) => (await session.peers()).filter((p) =>
        p.state === "connected").map((p) => p.name).sort().join();

      """

    /// Starts a script; what it prints goes to a file.
    func start(_ name: String, _ script: String) throws -> ChildProcess {
      try (Self.head + script).write(toFile: "\(folder)/\(name).js", atomically: true, encoding: .utf8)
      return try launch(name, CommandRunner.programPath, ["run", "\(folder)/\(name).js"])
    }

    private func launch(_ name: String, _ program: String, _ arguments: [String]) throws -> ChildProcess {
      let output = "\(folder)/\(name).out"
      let process = try ChildProcess.start(
        "/usr/bin/env", ["NBRIDGE_HOME=\(folder)", program] + arguments,
        streams: [1: .file(output), 2: .descriptor(1)])
      processes.append(process)
      return process
    }

    /// Starts something that speaks the protocol by itself (Tests/Peers/wire.py); what it prints goes to a
    /// file.
    func startStranger(_ name: String, _ python: String) throws -> ChildProcess {
      let head = """
        import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
        from stranger import *

        """
      try (head + python).write(toFile: "\(folder)/\(name).py", atomically: true, encoding: .utf8)
      return try launch(
        name, "/usr/bin/env",
        [
          "python3", "\(folder)/\(name).py", CommandRunner.root + "/Tests/Peers", folder,
        ])
    }

    /// Runs it to its end; answers what it printed.
    func stranger(_ python: String) throws -> String {
      let name = "stranger\(processes.count)"
      try startStranger(name, python).wait()
      return output(name)
    }

    func output(_ name: String) -> String {
      (try? String(contentsOfFile: "\(folder)/\(name).out", encoding: .utf8)) ?? ""
    }

    /// Waits until a process printed something.
    func wait(_ name: String, for text: String, seconds: Double = 20) -> Bool {
      let end = Date().addingTimeInterval(seconds)
      while Date() < end {
        if output(name).contains(text) { return true }
        usleep(10_000)
      }
      return false
    }
  }
}
