// CustomResourceDefinitions go through upstream's validation and through ours. Skipped where the
// oracle is not built (make oracle builds it).
//
//   PROA_DEFINITION_CASES=5000 PROA_DEFINITION_SEED=7 build/definition_oracle_test
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "json/parse.h"
#include "tests/oracle/definition_answer.h"
#include "tests/oracle/oracle_program.h"

namespace proa {
namespace {

std::string describe(const definition_oracle::Answer& answer) {
  std::string text = answer.failure.empty() ? "" : "failure " + answer.failure + "\n";
  for (const std::string& error : answer.errors) text += "error " + error + "\n";
  for (const std::string& warning : answer.warnings) text += "warning " + warning + "\n";
  return text;
}

// What is in one of two answers only: they may have a hundred lines.
std::string difference(const definition_oracle::Answer& ours,
                       const definition_oracle::Answer& theirs) {
  definition_oracle::Answer only_ours;
  definition_oracle::Answer only_theirs;
  std::set_difference(ours.errors.begin(), ours.errors.end(), theirs.errors.begin(),
                      theirs.errors.end(), std::back_inserter(only_ours.errors));
  std::set_difference(theirs.errors.begin(), theirs.errors.end(), ours.errors.begin(),
                      ours.errors.end(), std::back_inserter(only_theirs.errors));
  only_ours.failure = ours.failure;
  only_theirs.failure = theirs.failure;
  if (ours.warnings != theirs.warnings) {
    only_ours.warnings = ours.warnings;
    only_theirs.warnings = theirs.warnings;
  }
  return "-- only ours\n" + describe(only_ours) + "-- only upstream\n" + describe(only_theirs);
}

// A response has a warning once, however often it was given.
void show_once(std::vector<std::string>& sorted) {
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
}

// Compares answers, and shows the first that differ.
class Comparison {
 public:
  void add(const json::Value& question, const json::Value& answer) {
    definition_oracle::Answer ours = definitions_.answer(question);
    definition_oracle::Answer theirs = definition_oracle::read_answer(answer);
    ++compared_;
    if (api::View(answer)["unstable"].flag()) return;
    // A path that leads through "additionalProperties: true" is a nil pointer there.
    if (theirs.failure.starts_with("panic: ")) return;
    // Both refuse it, in the words of their decoders.
    if (!ours.failure.empty() && !theirs.failure.empty()) return;
    definition_oracle::normalize(ours.errors);
    definition_oracle::normalize(theirs.errors);
    show_once(ours.warnings);
    show_once(theirs.warnings);
    if (ours == theirs) return;
    constexpr int kShown = 20;
    if (++different_ <= kShown) {
      ADD_FAILURE() << json::print(question) << "\n" << difference(ours, theirs);
    }
  }

  int compared() const { return compared_; }
  int different() const { return different_; }

 private:
  definition_oracle::Definitions definitions_;
  int compared_ = 0;
  int different_ = 0;
};

// Upstream's answers are in the file: no oracle is needed.
TEST(DefinitionOracle, AgreesOnPickedDefinitions) {
  Comparison comparison;
  std::ifstream picked(oracle::folder() / "definition_picked.jsonl");
  std::string line;
  while (std::getline(picked, line)) {
    const auto question = json::parse(line);
    ASSERT_TRUE(question.ok());
    comparison.add(question->root(), *question->root().find("answer"));
  }
  EXPECT_GT(comparison.compared(), 200);
  EXPECT_EQ(comparison.different(), 0) << "of " << comparison.compared();
}

TEST(DefinitionOracle, AgreesOnRandomDefinitions) {
  const std::string program = oracle::find_program("definition-oracle");
  if (program.empty()) GTEST_SKIP() << "the oracle of definitions is not built";
  const std::string count = oracle::setting("PROA_DEFINITION_CASES", "500");
  const std::string seed = oracle::setting("PROA_DEFINITION_SEED", "1");
  Comparison comparison;
  oracle::ask("definition_cases.py --seed " + seed + " --count " + count, program,
              [&](const std::string& question, const std::string& answer) {
                comparison.add(json::parse(question)->root(), json::parse(answer)->root());
              });
  EXPECT_EQ(std::to_string(comparison.compared()), count);
  EXPECT_EQ(comparison.different(), 0) << "of " << count << ", seed " << seed;
}

}  // namespace
}  // namespace proa
