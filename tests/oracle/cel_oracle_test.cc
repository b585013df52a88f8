// Random expressions go through upstream's CEL and through ours. Skipped where the oracle is not
// built (make clients builds it).
//
//   PROA_CEL_CASES=20000 PROA_CEL_RULES=5000 PROA_CEL_SEED=7 build/cel_oracle_test
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/oracle/cel_answer.h"

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

std::string describe(const cel_oracle::Answer& answer) {
  std::string lists;
  for (const std::string& error : answer.errors) lists += "\nerror " + error;
  for (const std::string& warning : answer.warnings) lists += "\nwarning " + warning;
  return "type " + answer.type + "\nissues " + answer.issues + "\nprogram " + answer.program +
         "\nvalue " + answer.value + "\nerror " + answer.error + "\nestimate " + answer.estimate +
         "\ncost " + answer.cost + "\ncardinality " + answer.cardinality +
         (answer.uses_old_self ? "\nuses oldSelf" : "") + "\nremaining " + answer.remaining + lists;
}

// ANTLR has its own words for syntax errors: it is enough that both refuse.
void forget_syntax_errors(cel_oracle::Answer& ours, cel_oracle::Answer& theirs) {
  constexpr std::string_view kMark = "Syntax error";
  if (ours.issues.find(kMark) == std::string::npos) return;
  if (theirs.issues.find(kMark) == std::string::npos) return;
  ours.issues = theirs.issues = kMark;
}

// Upstream panics where it takes an error for a list, and its maps have no order.
bool is_exempt(const json::Value& answer, const cel_oracle::Answer& theirs) {
  return cel_oracle::flag_of(answer, "unstable") || theirs.error.starts_with("internal error: ") ||
         theirs.error.starts_with("panic: ") ||
         std::any_of(theirs.errors.begin(), theirs.errors.end(), [](const std::string& error) {
           return error.find("internal error: ") != std::string::npos;
         });
}

// Where the budget ends depends on the order, too.
bool both_out_of_budget(const cel_oracle::Answer& ours, const cel_oracle::Answer& theirs) {
  return ours.remaining == "-1" && theirs.remaining == "-1";
}

// Asks both programs what a generator makes up.
void compare(const std::string& generator, const std::string& count) {
  const Finished built = run((kHere / "../clients/build-go").string() + " cel-oracle 2>/dev/null");
  if (built.code != 0) GTEST_SKIP() << "the CEL oracle is not built";
  const std::string seed = setting("PROA_CEL_SEED", "1");
  std::string oracle = built.output;
  while (oracle.ends_with('\n')) oracle.pop_back();
  const auto folder =
      std::filesystem::temp_directory_path() / ("cel_oracle_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string questions = (folder / "questions").string();
  const std::string answers = (folder / "answers").string();
  ASSERT_EQ(run((kHere / generator).string() + " --seed " + seed + " --count " + count + " > " +
                questions + " && " + oracle + " < " + questions + " > " + answers)
                .code,
            0);
  std::ifstream asked(questions);
  std::ifstream answered(answers);
  std::string question;
  std::string line;
  int compared = 0;
  int different = 0;
  while (std::getline(asked, question) && std::getline(answered, line)) {
    ++compared;
    const auto answer = json::parse(line);
    cel_oracle::Answer ours = cel_oracle::answer(json::parse(question)->root());
    cel_oracle::Answer theirs = cel_oracle::read_answer(answer->root());
    forget_syntax_errors(ours, theirs);
    if (ours == theirs || is_exempt(answer->root(), theirs) || both_out_of_budget(ours, theirs)) {
      continue;
    }
    constexpr int kShown = 20;
    if (++different <= kShown) {
      ADD_FAILURE() << "seed " << seed << ": " << question << "\n-- ours\n"
                    << describe(ours) << "\n-- upstream\n"
                    << describe(theirs);
    }
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(std::to_string(compared), count);
  EXPECT_EQ(different, 0) << "of " << compared;
}

TEST(CelOracle, AgreesOnRandomExpressions) {
  compare("cel_cases.py", setting("PROA_CEL_CASES", "2000"));
}

TEST(CelOracle, AgreesOnRulesOfRandomSchemas) {
  compare("cel_rules.py", setting("PROA_CEL_RULES", "1000"));
}

TEST(CelOracle, AgreesOnObjectsOfRandomSchemas) {
  compare("cel_rules.py --objects", setting("PROA_CEL_RULES", "1000"));
}

}  // namespace
}  // namespace proa
