#include "cli/command_line/parse.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

// CLI11's main header includes <iostream>, its configuration reader and validators; it is only
// included here.
#include <CLI/CLI.hpp>

#include "base/strings.h"
#include "cli/command_line/suggest.h"

namespace proa::cli {
namespace parse {

// "a", "a or b", "a, b or c"
std::string alternatives(std::span<const std::string_view> words) {
  if (words.size() < 2) return join(words, "");
  return join(words.first(words.size() - 1), ", ") + " or " + std::string(words.back());
}

// Words after it are no flags.
constexpr std::string_view kOnlyArguments = "--";

Status usage_error(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

std::string joined(std::span<const std::string_view> path) {
  std::string text;
  for (const std::string_view name : path) text.append(text.empty() ? "" : " ").append(name);
  return text;
}

// One CLI11 application per command, filled in while parsing.
struct Node {
  const Command* command;
  std::vector<std::string_view> path;
  CLI::App* app;
  std::vector<std::string> arguments;
  bool help = false;
};

class Tree {
 public:
  explicit Tree(const Command& root) : root_(&root) {
    app_.allow_extras();
    app_.set_help_flag();
    add(root, {}, app_);
  }

  Result<CommandLine> parse(std::span<const std::string> words) {
    // CLI11 takes what follows "--" for words of the command above, unless an argument is missing.
    const auto mark = std::ranges::find(words, kOnlyArguments);
    // the order that CLI11 requires
    std::vector<std::string> reversed = with_empty_values({words.begin(), mark});
    std::ranges::reverse(reversed);
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::ArgumentMismatch& error) {
      return without_value(error.what());
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what());
    }
    const Node& node = chosen();
    CommandLine line{.command = node.command, .path = node.path, .arguments = node.arguments};
    line.help = std::ranges::any_of(nodes_, [](const Node& each) { return each.help; });
    if (node.command->takes_any_words) {
      line.arguments = node.app->remaining();
    } else if (const auto extras = app_.remaining(true); !extras.empty()) {
      return unknown(node, extras.front());
    }
    // Programs that are given all words know the mark themselves.
    if (mark != words.end()) {
      line.arguments.insert(line.arguments.end(), mark + (node.command->takes_any_words ? 0 : 1),
                            words.end());
    }
    for (const auto& [name, value] : values_) line.flags.emplace(name, value);
    if (!line.help) TRY(check_arguments(node, line.arguments));
    return line;
  }

  // The command that the words name, also if they could not be parsed.
  const Node& chosen() const {
    const Node* last = &nodes_.front();
    for (const Node& node : nodes_) {
      if (node.app->parsed() && node.path.size() >= last->path.size()) last = &node;
    }
    return *last;
  }

 private:
  // CLI11 takes the next word for the value of "--name=". Words of other programs stay as they are.
  std::vector<std::string> with_empty_values(std::span<const std::string> words) const {
    std::vector<std::string> given;
    bool ours = true;
    for (const std::string& word : words) {
      ours = ours && !passed_on_.contains(word);
      if (ours && empty_values_.contains(word)) {
        given.push_back(word.substr(0, word.size() - 1));
        given.emplace_back();
      } else {
        given.push_back(word);
      }
    }
    return given;
  }

  void add(const Command& command, const std::vector<std::string_view>& path, CLI::App& app) {
    Node& node = nodes_.emplace_back(Node{&command, path, &app, {}});
    app.add_flag("-h,--help", node.help);
    for (const Flag& flag : command.flags) add_flag(flag, app);
    // Global flags may also follow a command. CLI11's fallthrough would allow that, but could take
    // an argument for a command: a folder may be named "version".
    if (&command != root_) {
      for (const Flag& flag : root_->flags) add_flag(flag, app);
    }
    if (command.takes_any_words) {
      passed_on_.emplace(command.name);
      app.prefix_command();
    } else if (!command.arguments.empty())
      app.add_option("arguments", node.arguments)->expected(0, -1);
    // At most one command per level, so that an argument is not taken for another command: a folder
    // may be named "version".
    app.require_subcommand(0, 1);
    for (const Command& inner : command.commands) {
      CLI::App& inner_app = *app.add_subcommand(std::string(inner.name));
      inner_app.allow_extras();
      inner_app.set_help_flag();
      std::vector<std::string_view> inner_path = path;
      inner_path.push_back(inner.name);
      add(inner, inner_path, inner_app);
    }
  }

  void add_flag(const Flag& flag, CLI::App& app) {
    std::string names = "--" + std::string(flag.name);
    if (flag.letter != 0) names = std::string("-") + flag.letter + "," + names;
    const auto store = [this, name = flag.name](const std::string& value) {
      values_.insert_or_assign(std::string(name), value);
    };
    if (flag.kind == ValueKind::kSwitch) {
      // Stored literally: CLI11's own conversion throws another kind of exception.
      app.add_flag(names + "{true}")->each(store);
    } else {
      empty_values_.insert("--" + std::string(flag.name) + "=");
      app.add_option_function<std::string>(names, store)
          ->take_last()
          ->type_name(std::string(flag.word));
    }
  }

  // CLI11 says "--listen: 1 required ADDRESS:PORT missing".
  Status without_value(std::string_view message) const {
    const std::string_view given = message.substr(0, message.find(':'));
    for (const Command* owner : {root_, chosen().command}) {
      for (const Flag& flag : owner->flags) {
        if (given != "--" + std::string(flag.name)) continue;
        return usage_error(std::string(given) + " requires a value: " +
                           (flag.kind == ValueKind::kChoice ? alternatives(flag.choices)
                                                            : std::string(flag.word)));
      }
    }
    return usage_error(std::string(message));
  }

  Status unknown(const Node& node, const std::string& word) const {
    const std::string where = node.path.empty() ? "" : " of '" + joined(node.path) + "'";
    std::vector<std::string_view> candidates;
    if (word.starts_with('-')) {
      std::deque<std::string> names;
      const std::string given = word.substr(0, word.find('='));
      for (const Command* owner : {nodes_.front().command, node.command}) {
        for (const Flag& flag : owner->flags)
          candidates.push_back(names.emplace_back("--" + std::string(flag.name)));
      }
      candidates.emplace_back("--help");
      return usage_error("unknown flag " + given + where + suggestion(given, candidates));
    }
    if (node.command->commands.empty()) {
      return usage_error("unexpected argument '" + word + "'" + where);
    }
    for (const Command& command : node.command->commands) candidates.push_back(command.name);
    return usage_error("unknown command '" + word + "'" + where + suggestion(word, candidates));
  }

  Result<void> check_arguments(const Node& node, const std::vector<std::string>& given) const {
    const Command& command = *node.command;
    if (!command.does_something() && !node.path.empty()) {
      std::vector<std::string_view> names;
      for (const Command& inner : command.commands) names.push_back(inner.name);
      return usage_error("'" + joined(node.path) + "' requires a command: " + join(names, ", "));
    }
    const std::vector<Argument>& expected = command.arguments;
    if (given.size() > expected.size() && (expected.empty() || !expected.back().repeats)) {
      return usage_error("unexpected argument '" + given[expected.size()] + "' of '" +
                         joined(node.path) + "'");
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const Argument& argument = expected[i];
      if (i >= given.size()) {
        if (!argument.required) break;
        return usage_error("'" + joined(node.path) + "' requires " +
                           (argument.kind == ValueKind::kChoice ? alternatives(argument.choices)
                                                                : std::string(argument.word)));
      }
      if (argument.kind != ValueKind::kChoice) continue;
      if (std::ranges::find(argument.choices, given[i]) == argument.choices.end()) {
        return usage_error("'" + given[i] + "' is not one of " + join(argument.choices, ", ") +
                           suggestion(given[i], argument.choices));
      }
    }
    return {};
  }

  const Command* root_;
  CLI::App app_;
  std::deque<Node> nodes_;  // addresses are passed to CLI11 and must be stable
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> empty_values_;  // "--name=" of all flags that take a value
  std::set<std::string, std::less<>> passed_on_;     // commands whose words are another program's
};

}  // namespace parse

Result<CommandLine> parse_command_line(const Command& root, std::span<const std::string> words,
                                       std::vector<std::string_view>* path) {
  parse::Tree tree(root);
  auto line = tree.parse(words);
  if (path != nullptr) *path = tree.chosen().path;
  return line;
}

std::string synopsis(const Command& root, std::span<const std::string_view> path,
                     const Command& command) {
  std::string text(root.name);
  for (const std::string_view name : path) text.append(" ").append(name);
  if (!command.commands.empty()) text += command.does_something() ? " [COMMAND]" : " COMMAND";
  // Behind the first argument, or "--", they would be words of another program.
  const std::vector<Argument>& arguments = command.arguments;
  const bool flags_first =
      command.takes_any_words || (!arguments.empty() && arguments.front().word.starts_with("--"));
  if (flags_first) text += " [flags]";
  for (const Argument& argument : arguments) {
    std::string word(argument.word);
    if (argument.kind == ValueKind::kChoice) word = join(argument.choices, "|");
    if (argument.repeats) word += " ...";
    text += argument.required ? " " + word : " [" + word + "]";
  }
  return flags_first ? text : text + " [flags]";
}

}  // namespace proa::cli
