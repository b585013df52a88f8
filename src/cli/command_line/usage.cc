#include "cli/command_line/usage.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "cli/command_line/parse.h"
#include "cli/command_line/settings.h"

namespace proa::cli {
namespace usage_text {

struct Row {
  std::string left;
  std::string right;
};

void append_table(std::string& text, std::string_view heading, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.left.size());
  text.append("\n").append(heading).append(":\n");
  for (const Row& row : rows) {
    text.append("  ")
        .append(row.left)
        .append(width - row.left.size() + 3, ' ')
        .append(row.right)
        .append("\n");
  }
}

Row flag_row(const Flag& flag) {
  Row row;
  row.left = flag.letter == 0 ? "    --" : std::string("-") + flag.letter + ", --";
  row.left += flag.name;
  const std::string word =
      flag.kind == ValueKind::kChoice ? join(flag.choices, "|") : std::string(flag.word);
  if (flag.kind != ValueKind::kSwitch) row.left += " " + word;
  row.right = flag.summary;
  const bool is_off = flag.kind == ValueKind::kSwitch && flag.fallback != "true";
  if (!flag.fallback.empty() && !is_off) row.right += " (default " + flag.fallback + ")";
  return row;
}

std::vector<Row> flag_rows(const std::vector<Flag>& flags) {
  std::vector<Row> rows;
  for (const Flag& flag : flags) rows.push_back(flag_row(flag));
  return rows;
}

}  // namespace usage_text

std::string usage(const Command& root, std::span<const std::string_view> path,
                  const Command& command) {
  std::string text(command.summary);
  text += "\n\nUsage: " + synopsis(root, path, command) + "\n";
  if (!command.description.empty()) text.append("\n").append(command.description).append("\n");

  std::vector<usage_text::Row> commands;
  for (const Command& inner : command.commands) {
    commands.push_back({std::string(inner.name), std::string(inner.summary)});
  }
  usage_text::append_table(text, "Commands", commands);
  if (&command != &root)
    usage_text::append_table(text, "Flags", usage_text::flag_rows(command.flags));
  usage_text::append_table(text, "Global flags", usage_text::flag_rows(root.flags));
  text +=
      "\n"
      "Every flag can also be set in the environment (--log-level as PROA_LOG_LEVEL) and in the "
      "configuration\n"
      "file (log-level: debug). The command line overrides the environment, which overrides the "
      "file.\n";
  return text;
}

}  // namespace proa::cli
