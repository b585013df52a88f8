#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cel/expression/compile.h"
#include "cel/values/print.h"
#include "json/parse.h"

namespace proa::cel {
namespace {

std::string member(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr ? std::string() : std::string(value->as_string());
}

struct Given {
  std::string text;  // the value, the error, or why the expression is refused
  std::string cost;
};

Given upstream(const json::Value& answer) {
  Given given;
  for (const std::string_view key : {"issues", "program", "error", "value"}) {
    if (given.text.empty()) given.text = member(answer, key);
  }
  if (const json::Value* cost = answer.find("cost")) given.cost = std::to_string(cost->as_int());
  return given;
}

Given ours(std::string_view source) {
  const Compiled compiled = compile(source, kubernetes_environment(36));
  if (compiled.program == nullptr) return {.text = compiled.issues + compiled.failure};
  Arena arena;
  const Outcome outcome = compiled.program->evaluate({}, arena, 1'000'000);
  const bool failed = outcome.value.is_error();
  return {.text = failed ? std::string(outcome.value.text()) : print_value(outcome.value),
          .cost = std::to_string(outcome.cost)};
}

// What is not compared, and why.
bool is_exempt(std::string_view source) {
  for (const std::string_view part : {
           "google.protobuf.", "cel.expr.", "TestAllTypes",  // messages of protobuf
           "`", "a.namespace()",                             // words of ANTLR behind an error
           "88888 ", "\xF2\x88\xA2\x88",                     // a character that only Go escapes
           "Australia/", "US/", "America/", "Asia/",         // names of time zones
           "k == 'key2' && v == 2",                          // depends on the order of a Go map
           "has(optional.of(",
           "has({'foo': optional.none()}",  // the cost of optionals differs by 1
       }) {
    if (source.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// Compares all lines of a file that the oracle made; returns how many there are.
int compare_with(std::string_view name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "testdata" / name);
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    const auto document = json::parse(line);
    const std::string source = member(document->root(), "expression");
    if (is_exempt(source)) continue;
    const Given theirs = upstream(*document->root().find("answer"));
    const Given given = ours(source);
    ++compared;
    constexpr std::string_view kSyntax = "Syntax error";
    if (theirs.text.find(kSyntax) != std::string::npos &&
        given.text.find(kSyntax) != std::string::npos) {
      continue;
    }
    if (given.text == theirs.text && given.cost == theirs.cost) continue;
    ADD_FAILURE() << source << "\n  ours:     " << given.text << " cost " << given.cost
                  << "\n  upstream: " << theirs.text << " cost " << theirs.cost;
  }
  return compared;
}

TEST(Spec, SimpleTestsAnswerAsUpstreamDoes) { EXPECT_GT(compare_with("spec.jsonl"), 500); }

TEST(Spec, LibrariesAnswerAsUpstreamDoes) { EXPECT_GT(compare_with("libraries.jsonl"), 100); }

}  // namespace
}  // namespace proa::cel
