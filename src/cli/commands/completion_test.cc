#include "cli/commands/completion.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/commands/table.h"

namespace proa::cli {
namespace {

class Captured final : public Terminal {
 public:
  void out(std::string_view text) override { text_ += text; }
  void error(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string script(const std::string& shell) {
  Captured terminal;
  const Result<void> done =
      completion_command().run({.arguments = {shell}, .settings = {}}, terminal);
  EXPECT_TRUE(done.ok());
  return terminal.text();
}

// The completions of a real bash after these words; the last one is incomplete.
std::string bash_offers(const std::string& words) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("proa_completion_" + std::to_string(getpid()) + ".bash");
  std::ofstream(file) << script("bash") << "COMP_WORDS=(proa " << words << ")\n"
                      << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_proa\necho \"${COMPREPLY[*]}\"\n";
  std::string answer;
  FILE* pipe = popen(("bash --norc " + file.string() + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) answer.append(buffer, count);
  EXPECT_EQ(pclose(pipe), 0) << answer;
  std::filesystem::remove(file);
  while (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

TEST(CompletionBash, OffersCommandsFlagsAndValues) {
  struct Case {
    std::string words;
    std::string offers;
  };
  for (const Case& c : {
           Case{"vers", "version"},
           Case{"store ''", "inspect check compact"},
           Case{"store c", "check compact"},
           Case{"--log-level debug store i", "inspect"},
           Case{"version --outp", "--output"},
           Case{"version -o ''", "text json yaml"},
           Case{"version --output = j", "json"},
           Case{"version --output =", "text json yaml"},
           Case{"--log-format ''", "text json"},
           Case{"completion ''", "bash zsh fish"},
           Case{"help st", "status store"},
           Case{"store check --log-f", "--log-format"},
           Case{"nonsense", ""},
       }) {
    SCOPED_TRACE(c.words);
    EXPECT_EQ(bash_offers(c.words), c.offers);
  }
}

TEST(CompletionBash, OffersFoldersForADataDirectory) {
  EXPECT_EQ(bash_offers("store check /us"), "/usr");
}

TEST(Completion, EveryShellKnowsEveryCommandAndFlag) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    SCOPED_TRACE(shell);
    const std::string text = script(shell);
    for (const Command& command : program_commands().commands) {
      EXPECT_NE(text.find("/" + std::string(command.name)), std::string::npos) << command.name;
      for (const Flag& flag : command.flags)
        EXPECT_NE(text.find(flag.name), std::string::npos) << flag.name;
    }
    for (const Flag& flag : program_commands().flags)
      EXPECT_NE(text.find(flag.name), std::string::npos) << flag.name;
  }
}

}  // namespace
}  // namespace proa::cli
