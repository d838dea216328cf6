// SPDX-License-Identifier: MIT

import NBridgeCLI

@main
enum Main {
  static func main() {
    NBridgeCommandLine.main(Array(CommandLine.arguments.dropFirst()))
  }
}
