// Random admission policies and writes go through upstream's plugins and through ours. Skipped
// where the oracle is not built (make oracle builds it).
//
//   PROA_POLICY_CASES=5000 PROA_POLICY_SEED=7 build/policy_oracle_test
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "json/parse.h"
#include "tests/oracle/oracle_program.h"
#include "tests/oracle/policy_answer.h"

namespace proa {
namespace {

using oracle::setting;

// Upstream panics, or its maps have no order.
bool is_exempt(const json::Value& answer) {
  return answer.find("unstable") != nullptr || answer.find("failure") != nullptr;
}

// Where upstream's libraries have their own words: it is enough that both refuse.
constexpr std::string_view kMarks[] = {
    "Syntax error",               // ANTLR
    "JSON Patch: ",               // github.com/evanphx/json-patch
    "could not marshal to JSON",  // protobuf
    // What else is wrong, and names of Go's types; upstream decodes members in another order.
    "json: cannot unmarshal",
    "strict decoding error: ",
};

void forget_details(std::string& text) {
  for (const std::string_view mark : kMarks) {
    const size_t at = text.find(mark);
    if (at != std::string::npos) text.resize(at + mark.size());
  }
}

void forget_details(policy_oracle::Answer& answer) {
  forget_details(answer.message);
  for (std::string& cause : answer.causes) forget_details(cause);
  for (std::string& warning : answer.warnings) forget_details(warning);
  for (auto& [key, value] : answer.annotations) forget_details(value);
}

// A patch that changes the kind of an object: ours says so; upstream's scheme does not know it, it
// cannot be read as that kind, or not be converted back.
bool changes_kind(const policy_oracle::Answer& answer) {
  constexpr std::string_view kWords[] = {"may not change kind", "no kind \"",
                                         "couldn't get version/kind", "failed to convert object",
                                         "no version \""};
  return answer.code == 500 && std::ranges::any_of(kWords, [&](std::string_view words) {
           return answer.message.find(words) != std::string::npos;
         });
}

// Asks both what the generator makes up.
void compare(const std::string& kind) {
  const std::string program = oracle::find_program("policy-oracle");
  if (program.empty()) GTEST_SKIP() << "the policy oracle is not built";
  const std::string seed = setting("PROA_POLICY_SEED", "1");
  const std::string count = setting("PROA_POLICY_CASES", "200");
  const kinds::Defaulting defaulting(api::builtin_schema(), kinds::all_type_defaults());
  int different = 0;
  int refused = 0;
  const auto each = [&](const std::string& question, const std::string& line) {
    const auto answer = json::parse(line);
    if (is_exempt(answer->root())) return;
    const auto asked = json::parse(question);
    policy_oracle::Answer ours = policy_oracle::Write(asked->root(), defaulting).answer();
    policy_oracle::Answer theirs = policy_oracle::read_answer(answer->root());
    forget_details(ours);
    forget_details(theirs);
    if (theirs.code != 0) ++refused;
    const bool refuses_kind = changes_kind(ours) || changes_kind(theirs);
    if (refuses_kind && ours.code == theirs.code && ours.reason == theirs.reason) return;
    if (ours == theirs) return;
    constexpr int kShown = 20;
    if (++different <= kShown) {
      ADD_FAILURE() << "seed " << seed << ": " << question << "\n-- ours\n"
                    << policy_oracle::describe(ours) << "\n-- upstream\n"
                    << policy_oracle::describe(theirs);
    }
  };
  const int compared = oracle::ask(
      "policy_cases.py" + kind + " --seed " + seed + " --count " + count, program, each);
  EXPECT_EQ(std::to_string(compared), count);
  // The generator still makes up policies that refuse something.
  EXPECT_GT(refused, compared / 10);
  EXPECT_EQ(different, 0) << "of " << compared;
}

TEST(PolicyOracle, AgreesOnValidatingPolicies) { compare(""); }

TEST(PolicyOracle, AgreesOnMutatingPolicies) { compare(" --mutating"); }

}  // namespace
}  // namespace proa
