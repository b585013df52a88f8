#include "cli/commands/cluster/detached.h"

#include <gtest/gtest.h>

#include "cli/command_line/parse.h"
#include "cli/commands/table.h"

namespace proa::cli {
namespace {

TEST(DetachedWords, MeanTheSameSettings) {
  Settings settings;
  const Command& root = program_commands();
  for (const Flag& flag : root.flags) settings.set(flag.name, flag.fallback);
  for (const Flag& flag : find_command(root, "up")->flags) settings.set(flag.name, flag.fallback);
  settings.set("detach", "true");
  settings.set("node-name", "box");
  settings.set("scheduler", "false");
  std::vector<std::string> words = detached_words(settings);
  words.erase(words.begin());
  const auto line = parse_command_line(root, words);
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->command->name, "up");
  EXPECT_EQ(line->flags.at("detach"), "false");
  EXPECT_FALSE(line->flags.contains("config"));
  for (const auto& [name, value] : settings.all()) {
    if (name == "detach" || name == "config" || value.empty()) continue;
    ASSERT_TRUE(line->flags.contains(name)) << name;
    EXPECT_EQ(line->flags.at(name), value) << name;
  }
}

TEST(CommandFor, NamesADirectoryThatIsNotTheDefault) {
  Settings settings;
  for (const Flag& flag : find_command(program_commands(), "up")->flags) {
    settings.set(flag.name, flag.fallback);
  }
  EXPECT_EQ(command_for("down", settings), "`proa down`");
  settings.set("data-dir", "/srv/two");
  EXPECT_EQ(command_for("down", settings), "`proa down --data-dir /srv/two`");
}

}  // namespace
}  // namespace proa::cli
