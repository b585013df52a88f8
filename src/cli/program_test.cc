#include "cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "cli/commands/table.h"

namespace proa::cli {
namespace {

class Captured final : public Terminal {
 public:
  void out(std::string_view text) override { out_ += text; }
  void error(std::string_view text) override { error_ += text; }

  std::string out_;
  std::string error_;
};

Result<void> greet(const Invocation& invocation, Terminal& terminal) {
  if (invocation.arguments.front() == "nobody") return Status(Reason::kNotFound, "nobody is there");
  terminal.out(invocation.settings.text("word") + " " + invocation.arguments.front() + "\n");
  return {};
}

Result<bool> knows(const Invocation& invocation, Terminal& terminal) {
  const std::string& name = invocation.arguments.front();
  if (name == "nobody") return Status(Reason::kNotFound, "nobody is there");
  terminal.out(name == "you" ? "yes\n" : "no\n");
  return name == "you";
}

Result<void> check_word(const Invocation& invocation) {
  if (invocation.settings.text("word") != "boo") return {};
  return Status(Reason::kInvalid, "--word must be polite, not boo");
}

Command program() {
  Command root = program_commands();
  root.commands = {
      {.name = "greet",
       .summary = "Greets.",
       .arguments = {{.word = "NAME"}},
       .flags = {{.name = "word", .word = "WORD", .fallback = "hello", .summary = "what to say"},
                 {.name = "warmly",
                  .kind = ValueKind::kSwitch,
                  .fallback = "true",
                  .summary = "and how"}},
       .run = greet,
       .check = check_word},
      {.name = "knows", .summary = "Asks.", .arguments = {{.word = "NAME"}}, .ask = knows},
      *find_command(root, "version")};
  return root;
}

struct Outcome {
  int code;
  std::string out;
  std::string error;
};

Outcome run(std::vector<std::string> words, const char* word = nullptr) {
  Captured terminal;
  const Command root = program();
  const Environment environment = [word](const char* name) -> const char* {
    return std::strcmp(name, "PROA_WORD") == 0 ? word : nullptr;
  };
  const int code = run_program(root, words, environment, terminal);
  return {code, terminal.out_, terminal.error_};
}

TEST(RunProgram, RunsTheCommandWithItsSettings) {
  EXPECT_EQ(run({"greet", "you"}).out, "hello you\n");
  EXPECT_EQ(run({"greet", "you"}, "good day,").out, "good day, you\n");
  EXPECT_EQ(run({"greet", "you", "--word", "bye"}, "good day,").out, "bye you\n");
  EXPECT_EQ(run({"greet", "you"}).code, kExitOk);
}

TEST(RunProgram, AFailureIsOneWithItsMessage) {
  const Outcome outcome = run({"greet", "nobody"});
  EXPECT_EQ(outcome.code, kExitFailed);
  EXPECT_EQ(outcome.error, "proa greet: nobody is there\n");
  EXPECT_EQ(outcome.out, "");
}

TEST(RunProgram, ANoIsNotAFailure) {
  EXPECT_EQ(run({"knows", "you"}).code, kExitOk);
  const Outcome no = run({"knows", "me"});
  EXPECT_EQ(no.code, kExitNo);
  EXPECT_EQ(no.out, "no\n");
  EXPECT_EQ(no.error, "");
  const Outcome failed = run({"knows", "nobody"});
  EXPECT_EQ(failed.code, kExitFailed);
  EXPECT_EQ(failed.error, "proa knows: nobody is there\n");
  EXPECT_EQ(run({"knows"}).code, kExitUsage);
}

TEST(RunProgram, WhatTheCommandRefusesIsNotRun) {
  const Outcome outcome = run({"greet", "nobody", "--word", "boo"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_EQ(outcome.error, "proa: --word must be polite, not boo\nSee 'proa help greet'.\n");
  EXPECT_EQ(outcome.out, "");
}

TEST(RunProgram, VersionIsAFlagToo) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_TRUE(outcome.out.starts_with("Proa ")) << outcome.out;
  EXPECT_EQ(outcome.out, run({"version"}).out);
}

TEST(RunProgram, WrongWordsAreTwoWithAHint) {
  const Outcome unknown = run({"greeet"});
  EXPECT_EQ(unknown.code, kExitUsage);
  EXPECT_EQ(unknown.error,
            "proa: unknown command 'greeet'; did you mean 'greet'?\nSee 'proa help'.\n");
  EXPECT_EQ(run({"greet", "you", "--word"}).error,
            "proa: --word requires a value: WORD\nSee 'proa help greet'.\n");
  EXPECT_EQ(run({"greet"}).error, "proa: 'greet' requires NAME\nSee 'proa help greet'.\n");
  const Outcome level = run({"greet", "you", "--log-level", "loud"});
  EXPECT_EQ(level.code, kExitUsage);
  EXPECT_NE(level.error.find("log-level"), std::string::npos);
  EXPECT_NE(level.error.find("See 'proa help greet'."), std::string::npos);
}

TEST(RunProgram, HelpIsPrintedForFlagsAndForNothing) {
  EXPECT_NE(run({}).out.find("greet     Greets."), std::string::npos);
  const Outcome help = run({"greet", "--help"});
  EXPECT_EQ(help.code, kExitOk);
  EXPECT_NE(help.out.find("Usage: proa greet NAME [flags]"), std::string::npos) << help.out;
  EXPECT_NE(help.out.find("--word WORD"), std::string::npos) << help.out;
  EXPECT_NE(help.out.find("(default hello)"), std::string::npos) << help.out;
  EXPECT_NE(help.out.find("(default true)"), std::string::npos) << "a switch that is on";
}

// The same text for `proa help WORDS` and `proa WORDS --help`, of the command and those inside it.
void check_help(const Command& command, const std::vector<std::string>& words) {
  SCOPED_TRACE(command.name);
  const auto print = [](const std::vector<std::string>& line) {
    Captured terminal;
    const auto empty = [](const char*) -> const char* { return nullptr; };
    EXPECT_EQ(run_program(program_commands(), line, empty, terminal), kExitOk);
    return terminal.out_;
  };
  std::vector<std::string> asked{"help"};
  asked.insert(asked.end(), words.begin(), words.end());
  std::vector<std::string> flagged = words;
  flagged.emplace_back("--help");
  const std::string help = print(asked);
  EXPECT_NE(help.find("Usage: proa"), std::string::npos);
  EXPECT_EQ(print(flagged), help);
  for (const Command& inner : command.commands) {
    std::vector<std::string> longer = words;
    longer.emplace_back(inner.name);
    check_help(inner, longer);
  }
}

TEST(ProgramCommands, EveryCommandHasHelp) { check_help(program_commands(), {}); }

// Up to the semicolon; what follows it may be about one command.
std::string_view meaning(const Flag& flag) {
  return std::string_view(flag.summary).substr(0, flag.summary.find(';'));
}

// A name is a key of the configuration file and a variable of the environment: it must mean one
// thing.
void check_flags(const Command& command, std::map<std::string_view, const Flag*>& seen) {
  for (const Flag& flag : command.flags) {
    SCOPED_TRACE(flag.name);
    const auto [known, added] = seen.emplace(flag.name, &flag);
    EXPECT_TRUE(added || meaning(*known->second) == meaning(flag));
    if (flag.kind == ValueKind::kChoice) {
      EXPECT_NE(std::ranges::find(flag.choices, flag.fallback), flag.choices.end());
    }
  }
  for (const Command& inner : command.commands) check_flags(inner, seen);
}

TEST(ProgramCommands, AFlagMeansTheSameEverywhere) {
  std::map<std::string_view, const Flag*> seen;
  check_flags(program_commands(), seen);
}

}  // namespace
}  // namespace proa::cli
