#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/command_line/variables.h"
#include "cli/commands/lab/lab_machine.h"
#include "cli/commands/table.h"
#include "cli/program.h"

// jemalloc reads this when the program starts: stacks of one allocation in 512 KiB are kept, as in
// programs of Go, for /debug/pprof/heap. It can only be switched on here.
extern "C" const char* const malloc_conf;
extern "C" const char* const malloc_conf = "prof:true,lg_prof_sample:19";

namespace {

class StandardTerminal final : public proa::cli::Terminal {
 public:
  void out(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  void error(std::string_view text) override { std::fwrite(text.data(), 1, text.size(), stderr); }
};

std::vector<std::string> variables() {
  std::vector<std::string> all;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    all.emplace_back(*variable);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  StandardTerminal terminal;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const auto code = proa::cli::run_as_lab_machine(words)) return *code;
  const proa::cli::Command root = proa::cli::program_commands();
  for (const std::string& warning : proa::cli::variable_warnings(root, variables())) {
    terminal.error("proa: warning: " + warning + "\n");
  }
  return proa::cli::run_program(
      root, words, [](const char* name) { return std::getenv(name); }, terminal);
}
