#include "cli/command_line/parse.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

using Words = std::vector<std::string>;

Result<void> nothing(const Invocation&, Terminal&) { return {}; }

Command tree() {
  return {
      .name = "proa",
      .flags = {{.name = "config", .kind = ValueKind::kFile, .word = "FILE"}},
      .commands = {
          {.name = "version",
           .flags = {{.name = "output",
                      .kind = ValueKind::kChoice,
                      .word = "FORMAT",
                      .choices = {"text", "json"},
                      .letter = 'o'},
                     {.name = "short", .kind = ValueKind::kSwitch}},
           .run = nothing},
          {.name = "store",
           .commands = {{.name = "check",
                         .arguments = {{.word = "DIR", .kind = ValueKind::kFolder}},
                         .run = nothing},
                        {.name = "compact", .arguments = {{.word = "DIR"}}, .run = nothing}}},
          {.name = "shell",
           .arguments = {{.word = "SHELL", .kind = ValueKind::kChoice, .choices = {"bash", "zsh"}}},
           .run = nothing},
          {.name = "wrap",
           .arguments = {{.word = "WORD", .required = false, .repeats = true}},
           .flags = {{.name = "dir", .word = "DIR"}},
           .run = nothing,
           .takes_any_words = true},
      }};
}

std::string failure(const Words& words) {
  const Command root = tree();
  const auto line = parse_command_line(root, words);
  return line.ok() ? "accepted" : line.status().message();
}

TEST(ParseCommandLine, FindsCommandFlagsAndArguments) {
  const Command root = tree();
  const auto line =
      parse_command_line(root, Words{"store", "check", "--config", "a.yaml", "/data"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->command->name, "check");
  EXPECT_EQ(line->path, (std::vector<std::string_view>{"store", "check"}));
  EXPECT_EQ(line->arguments, (Words{"/data"}));
  EXPECT_EQ(line->flags.at("config"), "a.yaml");
}

TEST(ParseCommandLine, NamesTheValuesOfAFlagWithoutOne) {
  EXPECT_EQ(failure({"version", "--output"}), "--output requires a value: text or json");
  EXPECT_EQ(failure({"version", "--config"}), "--config requires a value: FILE");
}

TEST(ParseCommandLine, TakesEmptyValues) {
  const Command root = tree();
  const auto line = parse_command_line(root, Words{"store", "check", "--config=", "/data"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->flags.at("config"), "");
  EXPECT_EQ(line->arguments, (Words{"/data"}));
  const auto wrapped = parse_command_line(root, Words{"wrap", "get", "--config=", "x"});
  ASSERT_TRUE(wrapped.ok()) << wrapped.status().message();
  EXPECT_EQ(wrapped->arguments, (Words{"get", "--config=", "x"}));
}

TEST(ParseCommandLine, TakesEverySpellingOfAFlag) {
  const Command root = tree();
  for (const Words& words : {Words{"version", "-o", "json"}, Words{"version", "--output=json"},
                             Words{"version", "-ojson"}, Words{"version", "--output", "json"},
                             Words{"version", "-o", "text", "-o", "json"}}) {
    SCOPED_TRACE(words.back());
    const auto line = parse_command_line(root, words);
    ASSERT_TRUE(line.ok()) << line.status().message();
    EXPECT_EQ(line->flags.at("output"), "json");
  }
}

TEST(ParseCommandLine, AWrapperLeavesFlagsOfOthersAlone) {
  const Command root = tree();
  const auto line = parse_command_line(
      root, Words{"wrap", "--dir", "d", "get", "--config", "x", "-n", "a", "--dir=e", "--", "-h"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->flags.at("dir"), "d");
  EXPECT_FALSE(line->flags.contains("config"));
  EXPECT_FALSE(line->help);
  EXPECT_EQ(line->arguments, (Words{"get", "--config", "x", "-n", "a", "--dir=e", "--", "-h"}));
  const auto first = parse_command_line(root, Words{"wrap", "-n", "a", "get", "version"});
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(first->arguments, (Words{"-n", "a", "get", "version"}));
  EXPECT_TRUE(parse_command_line(root, Words{"wrap"}).ok());
}

TEST(ParseCommandLine, TakesNoFlagsAfterTheMark) {
  const Command root = tree();
  const auto line = parse_command_line(root, Words{"store", "check", "--config", "c", "--", "-x"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->flags.at("config"), "c");
  EXPECT_EQ(line->arguments, (Words{"-x"}));
  EXPECT_EQ(failure(Words{"version", "--", "--output"}),
            "unexpected argument '--output' of 'version'");
  EXPECT_EQ(failure(Words{"store", "check", "--"}), "'store check' requires DIR");
}

TEST(ParseCommandLine, AnArgumentMayBeCalledLikeACommand) {
  const Command root = tree();
  for (const std::string name : {"version", "store", "check"}) {
    const auto line = parse_command_line(root, Words{"store", "check", name});
    ASSERT_TRUE(line.ok()) << line.status().message();
    EXPECT_EQ(line->path, (std::vector<std::string_view>{"store", "check"}));
    EXPECT_EQ(line->arguments, (Words{name}));
  }
}

TEST(ParseCommandLine, CommonFlagsStandAnywhere) {
  const Command root = tree();
  for (const Words& words : {Words{"--config", "c", "store", "check", "d"},
                             Words{"store", "--config", "c", "check", "d"},
                             Words{"store", "check", "--config", "c", "d"},
                             Words{"store", "check", "d", "--config=c"}}) {
    const auto line = parse_command_line(root, words);
    ASSERT_TRUE(line.ok()) << line.status().message();
    EXPECT_EQ(line->flags.at("config"), "c");
    EXPECT_EQ(line->arguments, (Words{"d"}));
  }
}

TEST(ParseCommandLine, KnowsSwitches) {
  const Command root = tree();
  EXPECT_EQ(parse_command_line(root, Words{"version", "--short"})->flags.at("short"), "true");
  EXPECT_EQ(parse_command_line(root, Words{"version", "--short=false"})->flags.at("short"),
            "false");
  // Whether that is a value of a switch is for others to judge.
  EXPECT_EQ(parse_command_line(root, Words{"version", "--short=maybe"})->flags.at("short"),
            "maybe");
  EXPECT_EQ(
      parse_command_line(root, Words{"version", "--short", "--short=false"})->flags.at("short"),
      "false");
  EXPECT_FALSE(parse_command_line(root, Words{"version"})->flags.contains("short"));
}

TEST(ParseCommandLine, HelpNeedsNoArguments) {
  const Command root = tree();
  for (const Words& words :
       {Words{"store", "check", "--help"}, Words{"store", "check", "-h"}, Words{"--help"}}) {
    const auto line = parse_command_line(root, words);
    ASSERT_TRUE(line.ok()) << line.status().message();
    EXPECT_TRUE(line->help);
  }
}

TEST(ParseCommandLine, NamesWhatIsWrongAndWhatWasMeant) {
  EXPECT_EQ(failure({"stroe"}), "unknown command 'stroe'; did you mean 'store'?");
  EXPECT_EQ(failure({"store", "chekc", "/data"}),
            "unknown command 'chekc' of 'store'; did you mean 'check'?");
  EXPECT_EQ(failure({"deploy"}), "unknown command 'deploy'");
  EXPECT_EQ(failure({"version", "--ouput=json"}),
            "unknown flag --ouput of 'version'; did you mean '--output'?");
  EXPECT_EQ(failure({"store"}), "'store' requires a command: check, compact");
  EXPECT_EQ(failure({"store", "check"}), "'store check' requires DIR");
  EXPECT_EQ(failure({"store", "check", "a", "b"}), "unexpected argument 'b' of 'store check'");
  EXPECT_EQ(failure({"version", "now"}), "unexpected argument 'now' of 'version'");
  EXPECT_EQ(failure({"shell", "bsh"}), "'bsh' is not one of bash, zsh; did you mean 'bash'?");
  EXPECT_NE(failure({"version", "--output"}), "accepted");
}

TEST(Synopsis, ShowsArguments) {
  const Command root = tree();
  const std::string_view path[] = {"store", "check"};
  EXPECT_EQ(synopsis(root, path, root.commands[1].commands[0]), "proa store check DIR [flags]");
  EXPECT_EQ(synopsis(root, {}, root), "proa COMMAND [flags]");
  const std::string_view shell[] = {"shell"};
  EXPECT_EQ(synopsis(root, shell, root.commands[2]), "proa shell bash|zsh [flags]");
  const std::vector<std::string_view> wrap{"wrap"};
  EXPECT_EQ(synopsis(root, wrap, root.commands[3]), "proa wrap [flags] [WORD ...]");
  const Command passes{.name = "pass",
                       .arguments = {{.word = "-- FLAG", .required = false, .repeats = true}}};
  const std::vector<std::string_view> pass{"pass"};
  EXPECT_EQ(synopsis(root, pass, passes), "proa pass [flags] [-- FLAG ...]");
}

}  // namespace
}  // namespace proa::cli
