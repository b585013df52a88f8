// Random schemas and objects of custom resources go through upstream's libraries and through ours.
// Skipped where the oracle is not built (make oracle builds it).
//
//   PROA_CUSTOM_CASES=20000 PROA_CUSTOM_SEED=7 build/custom_oracle_test
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/oracle/custom_answer.h"

namespace proa {
namespace {

const std::filesystem::path kHere = std::filesystem::path(__FILE__).parent_path();

std::string setting(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return std::string(value == nullptr ? otherwise : value);
}

struct Finished {
  int code = 0;
  std::string output;
};

Finished run(const std::string& command) {
  Finished result;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {.code = 1};
  char buffer[4096];
  for (size_t size = 0; (size = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    result.output.append(buffer, size);
  }
  result.code = WEXITSTATUS(pclose(pipe));
  return result;
}

// Whether upstream gives our answer, too, if it is asked often enough: its maps have no order.
bool is_given_too(const std::string& oracle, const std::filesystem::path& folder,
                  const std::string& question, const custom_oracle::Answer& ours) {
  constexpr int kTimes = 50;
  const std::string file = (folder / "again").string();
  std::ofstream again(file);
  for (int i = 0; i < kTimes; ++i) again << question << "\n";
  again.close();
  std::istringstream answers(run(oracle + " < " + file).output);
  const auto asked = json::parse(question);
  for (std::string line; std::getline(answers, line);) {
    const auto answer = json::parse(line);
    if (ours == custom_oracle::read_answer(asked->root(), answer->root())) return true;
  }
  return false;
}

// Asks both programs what the generator makes up.
void compare(const std::string& kind) {
  const Finished built =
      run((kHere / "../clients/build-go").string() + " custom-oracle 2>/dev/null");
  // Upstream's libraries need Go, which Proa itself does not: without it there is no answer to
  // compare with. `make oracle` fails there.
  if (built.code != 0) GTEST_SKIP() << "the oracle of custom resources is not built";
  const std::string seed = setting("PROA_CUSTOM_SEED", "1");
  const std::string count = setting("PROA_CUSTOM_CASES", "1000");
  std::string oracle = built.output;
  while (oracle.ends_with('\n')) oracle.pop_back();
  const auto folder =
      std::filesystem::temp_directory_path() / ("custom_oracle_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string questions = (folder / "questions").string();
  const std::string answers = (folder / "answers").string();
  ASSERT_EQ(
      run((kHere / "custom_cases.py").string() + " " + kind + " --seed " + seed + " --count " +
          count + " > " + questions + " && " + oracle + " < " + questions + " > " + answers)
          .code,
      0);
  std::ifstream asked(questions);
  std::ifstream answered(answers);
  std::string question;
  std::string line;
  int compared = 0;
  int different = 0;
  custom::Patterns patterns;
  while (std::getline(asked, question) && std::getline(answered, line)) {
    ++compared;
    const auto answer = json::parse(line);
    // Upstream's maps have no order: some answers differ from time to time.
    if (custom_oracle::flag_of(answer->root(), "unstable")) continue;
    const auto asked_for = json::parse(question);
    const custom_oracle::Answer ours = custom_oracle::answer(asked_for->root(), patterns);
    const custom_oracle::Answer theirs =
        custom_oracle::read_answer(asked_for->root(), answer->root());
    if (ours == theirs || is_given_too(oracle, folder, question, ours)) continue;
    constexpr int kShown = 20;
    if (++different <= kShown) {
      ADD_FAILURE() << "seed " << seed << ": " << question << "\n-- ours\n"
                    << custom_oracle::describe(ours) << "\n-- upstream\n"
                    << custom_oracle::describe(theirs);
    }
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(std::to_string(compared), count);
  EXPECT_EQ(different, 0) << "of " << compared;
}

TEST(CustomOracle, AgreesOnObjects) { compare(""); }

TEST(CustomOracle, AgreesOnDefaultsOfSchemas) { compare("--defaults"); }

TEST(CustomOracle, AgreesOnColumns) { compare("--columns"); }

}  // namespace
}  // namespace proa
