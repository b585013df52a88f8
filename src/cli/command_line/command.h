#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace proa::cli {

// The type of a value: decides validation and shell completion.
enum class ValueKind : uint8_t {
  kText,
  kSwitch,
  kNumber,
  kPort,
  kDuration,
  kChoice,
  kFile,
  kFolder,
  kCommand
};

// One setting, under the same name everywhere: `--data-dir`, PROA_DATA_DIR, and `data-dir:` in the
// configuration file.
struct Flag {
  std::string_view name;
  ValueKind kind = ValueKind::kText;
  // The value in help: "DIR". "NAME,..." takes several, in a configuration file also as a list.
  std::string_view word;
  std::string fallback;
  std::string_view summary;
  std::vector<std::string_view> choices;  // for kChoice
  char letter = 0;                        // short form: 'o' for -o
  // For kNumber. Callers may store it in an int.
  int64_t least = 0;
  int64_t most = std::numeric_limits<int32_t>::max();

  bool is_list() const { return word.ends_with(",..."); }
};

struct Argument {
  std::string_view word;  // "DIR"
  ValueKind kind = ValueKind::kText;
  std::vector<std::string_view> choices;  // for kChoice
  bool required = true;
  bool repeats = false;  // takes all following words; only for the last argument
};

// The resolved value of every flag of a command.
class Settings {
 public:
  void set(std::string_view name, std::string value) {
    values_.insert_or_assign(std::string(name), std::move(value));
  }

  // Somebody set the value: it is not the default.
  void mark_given(std::string_view name) { given_.emplace(name); }
  bool is_given(std::string_view name) const { return given_.contains(name); }

  // REQUIRES, for all: the command has that flag, and its value was validated as this type.
  const std::string& text(std::string_view name) const;
  bool on(std::string_view name) const;
  int64_t number(std::string_view name) const;
  Duration duration(std::string_view name) const;

  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> given_;
};

struct Invocation {
  std::vector<std::string> arguments;
  Settings settings;
};

// Where a command writes: results to `out`, everything else to `error`.
class Terminal {
 public:
  virtual ~Terminal() = default;
  virtual void out(std::string_view text) = 0;
  virtual void error(std::string_view text) = 0;
};

// A command, a group of commands, which has neither `run` nor `ask`, or both.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view description;  // details shown by `proa help COMMAND`
  std::vector<Argument> arguments;
  std::vector<Flag> flags;
  std::vector<Command> commands;
  Result<void> (*run)(const Invocation& invocation, Terminal& terminal) = nullptr;
  // Instead of `run`, for a question: whether the answer is yes. A no has an exit code of its own,
  // so that scripts tell it from a failure.
  Result<bool> (*ask)(const Invocation& invocation, Terminal& terminal) = nullptr;
  // Checks what the type of a single value does not cover, before `run` makes anything. A failure
  // is a usage error, and its message names the flag.
  Result<void> (*check)(const Invocation& invocation) = nullptr;
  // From the first word that is not one of its flags, all words are arguments, also those that look
  // like flags.
  bool takes_any_words = false;

  bool does_something() const { return run != nullptr || ask != nullptr; }
};

// The command of that name in a group; null if there is none.
const Command* find_command(const Command& group, std::string_view name);

}  // namespace proa::cli
