// Random expressions go through upstream's CEL and through ours. Skipped where the oracle is not
// built (make oracle builds it).
//
//   PROA_CEL_CASES=20000 PROA_CEL_RULES=5000 PROA_CEL_SEED=7 build/cel_oracle_test
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/oracle/cel_answer.h"
#include "tests/oracle/oracle_program.h"

namespace proa {
namespace {

using oracle::setting;

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
  for (cel_oracle::Answer* answer : {&ours, &theirs}) {
    for (std::string& error : answer->errors) {
      const size_t at = error.find(kMark);
      if (at != std::string::npos) error.resize(at + kMark.size());
    }
  }
  if (ours.issues.find(kMark) == std::string::npos) return;
  if (theirs.issues.find(kMark) == std::string::npos) return;
  ours.issues = theirs.issues = kMark;
}

// The rest names a type of Go's, which depends on how upstream came by the value.
void forget_go_types(cel_oracle::Answer& answer) {
  constexpr std::string_view kMark = "invalid qualifier type: ";
  const auto forget = [&](std::string& error) {
    const size_t at = error.find(kMark);
    if (at != std::string::npos) error.resize(at + kMark.size());
  };
  forget(answer.error);
  std::ranges::for_each(answer.errors, forget);
}

// Upstream panics where it takes an error for a list, and its maps have no order.
bool is_exempt(const json::Value& answer, const cel_oracle::Answer& theirs) {
  return cel_oracle::flag_of(answer, "unstable") || theirs.error.starts_with("internal error: ") ||
         theirs.error.starts_with("panic: ") ||
         std::any_of(theirs.errors.begin(), theirs.errors.end(), [](const std::string& error) {
           return error.find("internal error: ") != std::string::npos;
         });
}

// Upstream adds what a rule adds to a set to the value that the next rule sees, and compares sets
// with that: what a rule says depends on those before it.
bool adds_to_a_set(const std::string& question) {
  return question.find(R"("x-kubernetes-list-type": "set")") != std::string::npos &&
         question.find(" + [") != std::string::npos && question.starts_with(R"({"check")");
}

// Where the budget ends depends on the order, too.
bool both_out_of_budget(const cel_oracle::Answer& ours, const cel_oracle::Answer& theirs) {
  return ours.remaining == "-1" && theirs.remaining == "-1";
}

// Asks both programs what a generator makes up.
void compare(const std::string& generator, const std::string& count) {
  const std::string program = oracle::find_program("cel-oracle");
  if (program.empty()) GTEST_SKIP() << "the CEL oracle is not built";
  const std::string seed = setting("PROA_CEL_SEED", "1");
  int different = 0;
  const auto each = [&](const std::string& question, const std::string& line) {
    const auto answer = json::parse(line);
    cel_oracle::Answer ours = cel_oracle::answer(json::parse(question)->root());
    cel_oracle::Answer theirs = cel_oracle::read_answer(answer->root());
    forget_syntax_errors(ours, theirs);
    forget_go_types(ours);
    forget_go_types(theirs);
    if (ours == theirs || is_exempt(answer->root(), theirs) || both_out_of_budget(ours, theirs) ||
        adds_to_a_set(question)) {
      return;
    }
    constexpr int kShown = 20;
    if (++different <= kShown) {
      ADD_FAILURE() << "seed " << seed << ": " << question << "\n-- ours\n"
                    << describe(ours) << "\n-- upstream\n"
                    << describe(theirs);
    }
  };
  const int compared =
      oracle::ask(generator + " --seed " + seed + " --count " + count, program, each);
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
