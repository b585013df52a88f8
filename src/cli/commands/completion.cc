#include "cli/commands/completion.h"

#include <functional>

#include "base/strings.h"
#include "cli/commands/table.h"

namespace proa::cli {
namespace completion {

// A command and its path, joined by '/': "/store/check"; "" is the program.
using Visit = std::function<void(const std::string& path, const Command& command)>;

void each_command(const Command& command, const std::string& path, const Visit& visit) {
  visit(path, command);
  for (const Command& inner : command.commands) {
    each_command(inner, path + "/" + std::string(inner.name), visit);
  }
}

std::string flag_words(const std::vector<Flag>& flags) {
  std::string words;
  for (const Flag& flag : flags) {
    words.append(" --").append(flag.name);
    if (flag.letter != 0) words.append(" -").push_back(flag.letter);
  }
  return words;
}

// "--output|-o" as a case pattern.
std::string flag_pattern(const std::string& path, const Flag& flag) {
  std::string pattern = path + ":--" + std::string(flag.name);
  if (flag.letter != 0) pattern += "|" + path + ":-" + flag.letter;
  return pattern;
}

std::string command_words(const Command& command) {
  std::string words;
  for (const Command& inner : command.commands) words.append(" ").append(inner.name);
  return words;
}

bool takes_command(const Command& command) {
  return !command.arguments.empty() && command.arguments.front().kind == ValueKind::kCommand;
}

// Quotes text for a shell; command summaries may contain an apostrophe.
std::string quoted(std::string_view text, std::string_view apostrophe) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += apostrophe;
    } else {
      result.push_back(letter);
    }
  }
  return result + "'";
}

// Walks the words before the cursor, for bash and zsh, and sets `place` to the command's path.
std::string walk(const Command& root) {
  std::string known;
  std::string with_value;
  each_command(root, "", [&](const std::string& path, const Command& command) {
    if (!path.empty()) known += (known.empty() ? "" : "|") + path;
    for (const Flag& flag : command.flags) {
      if (flag.kind == ValueKind::kSwitch) continue;
      with_value += with_value.empty() ? "" : "|";
      with_value += flag_pattern(&command == &root ? "*" : path, flag);
    }
  });
  return "    case \"$place:$word\" in\n      " + with_value + ") skip=1; continue ;;\n    esac\n" +
         "    case \"$place/$word\" in\n      " + known + ") place=\"$place/$word\" ;;\n    esac\n";
}

std::string bash_offer(ValueKind kind, const std::vector<std::string_view>& choices) {
  switch (kind) {
    case ValueKind::kChoice:
      return "offer=(-W '" + join(choices, " ") + "')";
    case ValueKind::kFile:
      return "offer=(-f)";
    case ValueKind::kFolder:
      return "offer=(-d)";
    default:
      return "offer=(-W '')";
  }
}

std::string bash(const Command& root) {
  std::string values;
  std::string words;
  each_command(root, "", [&](const std::string& path, const Command& command) {
    for (const Flag& flag : command.flags) {
      if (flag.kind == ValueKind::kSwitch) continue;
      values += "    " + flag_pattern(&command == &root ? "*" : path, flag) + ") " +
                bash_offer(flag.kind, flag.choices) + " ;;\n";
    }
    std::string offer = "flags='" + flag_words(command.flags) + "'";
    if (!command.commands.empty()) {
      offer += "; offer=(-W '" + command_words(command) + "')";
    } else if (takes_command(command)) {
      offer += "; offer=(-W '" + command_words(root) + "')";
    } else if (!command.arguments.empty()) {
      offer += "; " + bash_offer(command.arguments.front().kind, command.arguments.front().choices);
    }
    words += "    '" + path + "') " + offer + " ;;\n";
  });
  return R"(# bash completion for proa. For this shell: source <(proa completion bash)
# For every shell: proa completion bash > /etc/bash_completion.d/proa
_proa() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local place="" word skip="" flags="" i offer=()
  COMPREPLY=()
  # bash takes --flag=value apart into three words.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ $word == "=" ]]; then continue; fi
    if [[ -n $skip ]]; then skip=""; continue; fi
)" + walk(root) +
         R"(  done
  case "$place:$previous" in
)" + values +
         R"(  esac
  if ((${#offer[@]} == 0)); then
    case "$place" in
)" + words +
         R"(    esac
    if [[ $current == -* ]]; then offer=(-W "$flags)" +
         flag_words(root.flags) + R"( --help"); fi
  fi
  ((${#offer[@]})) || return 0
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "${offer[@]}" -- "$current")
  if [[ ${offer[0]} != -W ]]; then compopt -o filenames 2>/dev/null; fi
  return 0
}
complete -F _proa proa
)";
}

std::string zsh_offer(ValueKind kind, const std::vector<std::string_view>& choices) {
  switch (kind) {
    case ValueKind::kChoice:
      return "compadd -- " + join(choices, " ");
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    default:
      return "return 0";
  }
}

std::string zsh(const Command& root) {
  std::string values;
  std::string words;
  each_command(root, "", [&](const std::string& path, const Command& command) {
    for (const Flag& flag : command.flags) {
      if (flag.kind == ValueKind::kSwitch) continue;
      values += "    " + flag_pattern(&command == &root ? "*" : path, flag) + ") " +
                zsh_offer(flag.kind, flag.choices) + "; return ;;\n";
    }
    std::string offer;
    const Command& described = takes_command(command) ? root : command;
    if (!described.commands.empty()) {
      for (const Command& inner : described.commands) {
        offer += " " + quoted(std::string(inner.name) + ":" + std::string(inner.summary), "'\\''");
      }
      offer = "inner=(" + offer + " ); _describe command inner";
    } else if (!command.arguments.empty()) {
      offer = zsh_offer(command.arguments.front().kind, command.arguments.front().choices);
    } else {
      offer = ":";
    }
    words += "    '" + path + "') if [[ $current == -* ]]; then compadd -- " +
             flag_words(command.flags) + flag_words(root.flags) + " --help; else " + offer +
             "; fi ;;\n";
  });
  return R"(#compdef proa
# zsh completion for proa. For this shell: source <(proa completion zsh)
# For every shell: proa completion zsh > "${fpath[1]}/_proa"
_proa() {
  local current="${words[CURRENT]}" previous="${words[CURRENT - 1]}" place="" word="" skip="" i
  local -a inner
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [[ -n $skip ]]; then skip=""; continue; fi
)" + walk(root) +
         R"(  done
  if [[ $current == --*=* ]]; then
    previous="${current%%=*}"
    compset -P '*='
  fi
  case "$place:$previous" in
)" + values +
         R"(  esac
  case "$place" in
)" + words +
         R"(  esac
}
if [[ ${funcstack[1]} == _proa ]]; then _proa "$@"; else compdef _proa proa; fi
)";
}

std::string fish_flag(const std::string& condition, const Flag& flag) {
  std::string line =
      "complete -c proa -n " + quoted(condition, "\\'") + " -l " + std::string(flag.name);
  if (flag.letter != 0) line += std::string(" -s ") + flag.letter;
  if (flag.kind == ValueKind::kFile) {
    line += " -r -F";
  } else if (flag.kind == ValueKind::kFolder) {
    line += " -x -a '(__fish_complete_directories)'";
  } else if (flag.kind == ValueKind::kChoice) {
    line += " -x -a '" + join(flag.choices, " ") + "'";
  } else if (flag.kind != ValueKind::kSwitch) {
    line += " -x";
  }
  return line + " -d " + quoted(flag.summary, "\\'") + "\n";
}

std::string fish_arguments(const std::string& condition, const Command& command) {
  std::string lines;
  for (const Command& inner : command.commands) {
    lines += "complete -c proa -n " + quoted(condition, "\\'") + " -a " + std::string(inner.name) +
             " -d " + quoted(inner.summary, "\\'") + "\n";
  }
  if (command.arguments.empty()) return lines;
  const Argument& argument = command.arguments.front();
  std::string offer;
  if (argument.kind == ValueKind::kChoice) offer = join(argument.choices, " ");
  if (argument.kind == ValueKind::kFolder) offer = "(__fish_complete_directories)";
  if (!offer.empty())
    lines += "complete -c proa -n " + quoted(condition, "\\'") + " -a '" + offer + "'\n";
  return lines;
}

std::string fish(const Command& root) {
  std::string known;
  std::string lines;
  each_command(root, "", [&](const std::string& path, const Command& command) {
    if (!path.empty()) known += " " + path;
    const std::string condition = "__proa_at \"" + path + "\"";
    const Command& described = takes_command(command) ? root : command;
    lines += fish_arguments(condition, described);
    if (&command == &root) return;
    for (const Flag& flag : command.flags) lines += fish_flag(condition, flag);
  });
  for (const Flag& flag : root.flags) lines += fish_flag("true", flag);
  return R"(# fish completion for proa. For this shell: proa completion fish | source
# For every shell: proa completion fish > ~/.config/fish/completions/proa.fish
function __proa_at
    set -l place ""
    for word in (commandline -opc)[2..-1]
        if contains -- "$place/$word")" +
         known + R"(
            set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c proa -f
)" + lines +
         "complete -c proa -s h -l help -d 'show help'\n";
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Command& root = program_commands();
  const std::string& shell = invocation.arguments.front();
  terminal.out(shell == "bash" ? bash(root) : shell == "zsh" ? zsh(root) : fish(root));
  return {};
}

}  // namespace completion

Command completion_command() {
  return {.name = "completion",
          .summary = "Print a shell completion script.",
          .description =
              "In bash: source <(proa completion bash)\nIn zsh:  source <(proa completion zsh)\n"
              "In fish: proa completion fish | source",
          .arguments = {{.word = "SHELL",
                         .kind = ValueKind::kChoice,
                         .choices = {"bash", "zsh", "fish"}}},
          .run = completion::run};
}

}  // namespace proa::cli
