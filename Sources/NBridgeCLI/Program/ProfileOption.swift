// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgeScript
internal import NBridgeSystem

/// `--profile`: where a program's time goes.
enum ProfileOption {
  static let spec = OptionSpec(
    "profile", value: "FILE",
    "Shows where the script's time goes: a flame graph in FILE.svg, or FILE.cpuprofile for other tools.")

  /// The file is opened before the program runs: better told now than when it is over.
  static func read(_ arguments: ParsedArguments, _ options: inout RuntimeOptions) throws {
    guard let path = arguments.last("profile") else { return }
    let isPicture = path.hasSuffix(".svg")
    guard isPicture || path.hasSuffix(".cpuprofile") else {
      throw UsageError(
        "--profile needs a file that ends with .svg, a picture, or .cpuprofile, for tools, not '\(path)'"
      )
    }
    let (file, isNew) = try open(path)
    // A script that is stopped in a loop has a profile, too.
    options.interruptsLoops = true
    options.profile = { [output = options.output] profile in
      guard let profile else {
        // The profile of another run stays.
        if isNew { unlink(path) }
        return true
      }
      let bytes = isPicture ? Array(FlameGraph(profile).svg.utf8) : CPUProfile(profile).json
      do throws(SystemError) {
        // A pipe has nothing to be cut off.
        _ = ftruncate(file.number, 0)
        try file.write(bytes)
        output.writeError(ProfileTable(profile, file: path).text)
        return true
      } catch {
        output.writeError("nbridge: can't write '\(path)': \(error.reason)\n")
        return false
      }
    }
  }

  private static func open(_ path: String) throws(UsageError) -> (Descriptor, isNew: Bool) {
    do throws(SystemError) {
      do throws(SystemError) { return (try Descriptor.open(path, O_WRONLY), false) } catch {
        guard error.code == ENOENT else { throw error }
        return (try Descriptor.open(path, O_WRONLY | O_CREAT), true)
      }
    } catch { throw UsageError("can't write '\(path)': \(error.reason)") }
  }
}
