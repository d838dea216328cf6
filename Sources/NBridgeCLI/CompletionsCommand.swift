// SPDX-License-Identifier: MIT

internal import NBridge

/// `nbridge completions`: what a shell needs to complete the command line.
enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "Prints what bash, zsh or fish need to complete nbridge's command line."
  static let operands = "bash|zsh|fish"
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [
    ("source <(nbridge completions bash)", "completes in this bash"),
    ("nbridge completions fish > ~/.config/fish/completions/nbridge.fish", "completes in every fish"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let output = StandardOutput()
    defer { output.flush() }
    switch arguments.operands.first {
    case "bash": output.write(bash)
    case "zsh": output.write("autoload -U +X bashcompinit && bashcompinit\n" + bash)
    case "fish": output.write(fish)
    case let shell?: throw UsageError("there are completions for bash, zsh and fish, not for '\(shell)'")
    case nil: throw UsageError("completions for which shell? nbridge completions bash")
    }
    return .success
  }

  private static var commands: [any Command.Type] { NBridgeCommandLine.commands }

  private static func flags(_ command: any Command.Type) -> [String] {
    command.options.map { "--" + $0.name } + ["--help"]
  }

  /// Options of the command that was typed, else files; options that take a folder or file complete as files too.
  private static var bash: String {
    let cases = commands.map { "    \($0.name)) flags='\(flags($0).joined(separator: " "))' ;;\n" }.joined()
    return """
      _nbridge() {
        local word=${COMP_WORDS[COMP_CWORD]} flags=''
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W '\(commands.map { $0.name }.joined(separator: " ")) help --help --version' -- "$word"))
          return
        fi
        case ${COMP_WORDS[1]} in
      \(cases)  esac
        case $word in
          -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
          *) COMPREPLY=($(compgen -f -- "$word")) ;;
        esac
      }
      complete -o filenames -F _nbridge nbridge

      """
  }

  private static var fish: String {
    var text = "complete -c nbridge -n __fish_use_subcommand -l help\n"
    for command in commands {
      text +=
        "complete -c nbridge -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(command.summary))\n"
      for option in command.options {
        let short = option.short.map { " -s \($0)" } ?? ""
        let value = option.value == nil ? "" : " -r"
        text +=
          "complete -c nbridge -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)\(short)\(value)"
          + " -d \(quoted(option.help))\n"
      }
    }
    return text
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
