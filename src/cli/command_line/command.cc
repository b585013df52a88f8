#include "cli/command_line/command.h"

#include "base/check.h"
#include "base/strings.h"

namespace proa::cli {

const std::string& Settings::text(std::string_view name) const {
  const auto found = values_.find(name);
  CHECK(found != values_.end());
  return found->second;
}

bool Settings::on(std::string_view name) const { return text(name) == "true"; }

int64_t Settings::number(std::string_view name) const {
  const auto number = parse_int(text(name));
  CHECK(number.has_value());
  return *number;
}

Duration Settings::duration(std::string_view name) const {
  return parse_duration(text(name)).value();
}

const Command* find_command(const Command& group, std::string_view name) {
  for (const Command& command : group.commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace proa::cli
