// Random expressions go through upstream's CEL and through ours. Skipped where the oracle is not
// built (make clients builds it).
//
//   PROA_CEL_CASES=20000 PROA_CEL_SEED=7 build/cel_oracle_test
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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
  return "type " + answer.type + "\nissues " + answer.issues + "\nprogram " + answer.program +
         "\nvalue " + answer.value + "\nerror " + answer.error + "\nestimate " + answer.estimate +
         "\ncost " + answer.cost;
}

// ANTLR has its own words for syntax errors: it is enough that both refuse.
void forget_syntax_errors(cel_oracle::Answer& ours, cel_oracle::Answer& theirs) {
  constexpr std::string_view kMark = "Syntax error";
  if (ours.issues.find(kMark) == std::string::npos) return;
  if (theirs.issues.find(kMark) == std::string::npos) return;
  ours.issues = theirs.issues = kMark;
}

// Upstream panics where it takes an error for a list, and has more words for malformed addresses.
bool is_exempt(const cel_oracle::Answer& ours, const cel_oracle::Answer& theirs) {
  constexpr std::string_view kAddress = "ParseAddr(";
  return theirs.error.starts_with("internal error: ") ||
         (theirs.error.find(kAddress) != std::string::npos &&
          ours.error.find(kAddress) != std::string::npos);
}

// Known differences that are ours to fix: empty matches of findAll(), quantities beyond 64 bits as
// integers, -0.0 in format(), and a leading dot in the words for unknown names.
bool is_known(std::string_view question, const cel_oracle::Answer& theirs) {
  const auto has = [&](std::string_view part) { return question.find(part) != std::string::npos; };
  return has(".findAll(") || (has("%e") || has("%.2f")) ||
         (has("asInteger()") && theirs.error == "cannot convert value to integer") ||
         theirs.issues.find("reference to '.") != std::string::npos;
}

TEST(CelOracle, AgreesOnRandomExpressions) {
  const Finished built = run((kHere / "../clients/build-go").string() + " cel-oracle 2>/dev/null");
  if (built.code != 0) GTEST_SKIP() << "the CEL oracle is not built";
  const std::string seed = setting("PROA_CEL_SEED", "1");
  const std::string count = setting("PROA_CEL_CASES", "2000");
  std::string oracle = built.output;
  while (oracle.ends_with('\n')) oracle.pop_back();
  const auto folder =
      std::filesystem::temp_directory_path() / ("cel_oracle_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string questions = (folder / "questions").string();
  const std::string answers = (folder / "answers").string();
  ASSERT_EQ(run((kHere / "cel_cases.py").string() + " --seed " + seed + " --count " + count +
                " > " + questions + " && " + oracle + " < " + questions + " > " + answers)
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
    cel_oracle::Answer ours = cel_oracle::answer(json::parse(question)->root());
    cel_oracle::Answer theirs = cel_oracle::read_answer(json::parse(line)->root());
    forget_syntax_errors(ours, theirs);
    if (ours == theirs || is_exempt(ours, theirs) || is_known(question, theirs)) continue;
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

}  // namespace
}  // namespace proa
