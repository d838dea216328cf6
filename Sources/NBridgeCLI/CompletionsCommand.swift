// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost

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

  private static func words(_ command: any Command.Type) -> [String] {
    command.name.split(separator: " ").map(String.init)
  }

  /// What the command line may begin with, each once, in the order of the help.
  private static var firstWords: [String] {
    commands.map { words($0)[0] }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func flags(_ command: any Command.Type) -> [String] {
    command.options.filter { !$0.isInternal }.map { "--" + $0.name } + ["--help"]
  }

  /// Options of the command that was typed, else files; options that take a folder or file complete as files
  /// too.
  private static var bash: String {
    let cases = commands.map { command in
      let pattern = command.name.contains(" ") ? "'\(command.name)'" : "\(command.name)\\ *"
      return "    \(pattern)) flags='\(flags(command).joined(separator: " "))' ;;\n"
    }.joined()
    let groups = Set(commands.map { words($0)[0] }).sorted().compactMap { first -> String? in
      let second = commands.map(words).filter { $0[0] == first && $0.count > 1 }.map { $0[1] }
      return second.isEmpty ? nil : "      \(first)) words='\(second.joined(separator: " "))' ;;\n"
    }.joined()
    return """
      _nbridge() {
        local word=${COMP_WORDS[COMP_CWORD]} flags=''
        local options='\(flags(RunCommand.self).joined(separator: " "))'
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W '\(firstWords.joined(separator: " ")) help' -- "$word"))
          case $word in
            -*) COMPREPLY=($(compgen -W "$options --version" -- "$word")) ;;
            *) COMPREPLY+=($(compgen -f -- "$word")) ;;
          esac
          return
        fi
        if [ "$COMP_CWORD" -eq 2 ]; then
          local words=''
          case ${COMP_WORDS[1]} in
      \(groups)    esac
          if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
        fi
        case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
      \(cases)    *) flags=$options ;;
        esac
        case $word in
          -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
          *) COMPREPLY=($(compgen -f -- "$word")) ;;
        esac
      }
      complete -o filenames -F _nbridge nbridge

      """
  }

  /// Whether the words that stand before are these and no others; whether they begin with these; whether a
  /// script can come, behind options of `run`.
  private static let fishFunctions = """
    function __nbridge_at
      set -l words (commandline -opc)
      set -e words[1]
      test "$words" = "$argv"
    end
    function __nbridge_in
      set -l words (commandline -opc)
      set -e words[1]
      set -l last (count $argv)
      test (count $words) -ge $last; and test "$words[1..$last]" = "$argv"
    end
    function __nbridge_bare
      set -l words (commandline -opc)
      test (count $words) -eq 1; or string match -q -- '-*' $words[2]
    end

    """

  private static var fish: String {
    var text = fishFunctions
    // A script may stand where a command could, and the options of `run` before it.
    for option in RunCommand.options + [helpOption] { text += line(option, when: "__nbridge_bare") }
    text += line(OptionSpec("version", "Prints the version."), when: "__nbridge_at")
    for first in firstWords + ["help"] where !commands.contains(where: { $0.name == first }) {
      let second = commands.map(words).filter { $0[0] == first && $0.count > 1 }.map { $0[1] }
      let says = second.isEmpty ? "Shows a command's options." : second.joined(separator: ", ")
      text += "complete -c nbridge -n __nbridge_at -a \(first) -d \(quoted(says))\n"
    }
    for command in commands { text += fishLines(of: command) }
    return text
  }

  private static let helpOption = OptionSpec("help", "Shows what there is.")

  private static func fishLines(of command: any Command.Type) -> String {
    let (own, options) = (command.name, command.options)
    let words = words(command)
    let before = words.count > 1 ? quoted("__nbridge_at \(words[0])") : "__nbridge_at"
    // `logs` is a command, and the first word of others.
    var place = "__nbridge_in \(own)"
    for other in commands where other.name.hasPrefix(own + " ") {
      place += "; and not __nbridge_in \(other.name)"
    }
    var text = "complete -c nbridge -n \(before) -a \(words[words.count - 1]) -d \(quoted(command.summary))\n"
    for option in options.filter({ !$0.isInternal }) + [helpOption] {
      text += line(option, when: quoted(place))
    }
    return text
  }

  private static func line(_ option: OptionSpec, when: String) -> String {
    let short = option.short.map { " -s \($0)" } ?? ""
    let value = option.value == nil || option.isValueOptional ? "" : " -r"
    return "complete -c nbridge -n \(when) -l \(option.name)\(short)\(value) -d \(quoted(option.help))\n"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
