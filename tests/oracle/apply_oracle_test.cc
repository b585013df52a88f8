// Server-side apply beside upstream's own: tests/oracle/apply answers what kube-apiserver would
// make of the same writes.
//
// PROA_ORACLE_SEQUENCES=20000 PROA_ORACLE_SEED=7 choose how many sequences, and which.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/process.h"
#include "tests/oracle/sequence.h"

namespace proa::oracle {
namespace {

using api::Atom;
using api::Place;
using api::Scalar;
using json::Value;

// Empty: the oracle is not built here.
std::string oracle_program() {
  static const std::string kPath = [] {
    const testkit::TempDir files;
    namespace fs = std::filesystem;
    const fs::path file(__FILE__);
    // The compiler may have been given a path relative to the build folder.
    const fs::path absolute =
        file.is_absolute() ? file : fs::read_symlink("/proc/self/exe").parent_path() / file;
    const fs::path script = absolute.parent_path().parent_path() / "clients" / "build-go";
    testkit::Process build({script, "apply-oracle"}, files.file("path"));
    if (build.wait() != 0) return std::string();
    std::ifstream in(files.file("path"));
    std::string path;
    std::getline(in, path);
    return path;
  }();
  return kPath;
}

std::vector<std::string> ask(const std::string& mode, const std::string& input) {
  const testkit::TempDir files;
  const std::string in = files.write("in", input);
  // Upstream logs what it cannot track.
  const std::string log = files.file("log");
  testkit::Process run({"sh", "-c", oracle_program() + " " + mode + " < " + in + " 2> " + log},
                       files.file("out"));
  EXPECT_EQ(run.wait(), 0) << std::ifstream(log).rdbuf();
  std::ifstream out(files.file("out"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  return lines;
}

std::string describe(const Atom& atom);

std::string describe_elements(Place place) {
  if (place.is_deduced()) return " of __untyped_deduced_";
  const Atom atom = place.resolve();
  if (atom.scalar == Scalar::kAny && atom.list && atom.map) {
    return atom.map_atomic ? " of __untyped_atomic_" : " of " + describe(atom);
  }
  return " of " + describe(atom);
}

// As tests/oracle/apply/schema.go does.
std::string describe(const Atom& atom) {
  std::vector<std::string> parts;
  switch (atom.scalar) {
    case Scalar::kNumber:
      parts.emplace_back("numeric");
      break;
    case Scalar::kString:
      parts.emplace_back("string");
      break;
    case Scalar::kBool:
      parts.emplace_back("boolean");
      break;
    case Scalar::kAny:
      parts.emplace_back("untyped");
      break;
    case Scalar::kNone:
      break;
  }
  if (atom.list) {
    std::string kind = atom.list_atomic ? "atomic" : "set";
    if (!atom.keys.empty()) {
      kind = "map ";
      for (const std::string_view key : atom.keys) {
        if (kind.size() > 4) kind += ',';
        kind += key;
      }
    }
    parts.push_back("list(" + kind + ")" + describe_elements(atom.items));
  }
  if (atom.map) {
    const std::string relation = atom.map_atomic ? "(atomic)" : "(granular)";
    if (atom.fields != nullptr && !atom.fields->fields.empty()) {
      parts.push_back("struct" + relation + " " + std::string(atom.fields->openapi));
    } else {
      parts.push_back("map" + relation + describe_elements(atom.values));
    }
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " | ") + part;
  return text;
}

TEST(ApplyOracle, MergesTypesAsUpstream) {
  if (oracle_program().empty()) GTEST_SKIP() << "the oracle is not built";
  size_t compared = 0;
  for (const std::string& line : ask("schema", "")) {
    const size_t first = line.find(' ');
    const size_t second = line.find(' ', first + 1);
    const api::Type* type = api::builtin_schema().find_openapi(line.substr(0, first));
    if (type == nullptr) continue;  // a version that is not served
    const std::string name = line.substr(first + 1, second - first - 1);
    // Defaults are compared where they matter, by the sequences.
    std::string expected = line.substr(second + 1);
    expected = expected.substr(0, expected.find(" = "));
    const api::Field* field = type->find(name);
    ASSERT_NE(field, nullptr) << line;
    // Nobody owns managedFields.
    if (type->name == "ManagedFieldsEntry") continue;
    EXPECT_EQ(describe(Place(*field).resolve()), expected) << line;
    ++compared;
  }
  EXPECT_GT(compared, 1'500U);
}

// Times and order count for managed fields, but not the order of an object's keys.
std::string difference(const Sequence::Answer& ours, const Value& theirs) {
  const api::View upstream(theirs);
  if (!upstream["object"]) {
    const std::string error(upstream["error"].text());
    if (ours.object.empty()) {
      // Several errors come in the order of a Go map, which also decides how many are found. Those
      // of patches are not compared here.
      const bool several = (error + ours.error).find('\n') != std::string::npos;
      if (ours.patch || several || error == ours.error) return {};
    }
    return "upstream fails: " + error +
           "\nours: " + (ours.object.empty() ? ours.error : ours.object);
  }
  if (ours.object.empty())
    return "ours fails: " + ours.error + "\nupstream: " + json::print(*upstream["object"].value());
  const Value* entries = upstream["object"]["metadata"]["managedFields"].value();
  const std::string managed = entries == nullptr ? "" : json::print(*entries);
  const json::Document object = json::parse_literal(ours.object);
  // Upstream prints a custom object as a map, in the order of the alphabet.
  const bool same_order = ours.custom || managed == ours.managed;
  if (object.root() == *upstream["object"].value() && same_order) return {};
  return "ours:     " + ours.object + "\nupstream: " + json::print(*upstream["object"].value());
}

TEST(ApplyOracle, WritesAsUpstream) {
  if (oracle_program().empty()) GTEST_SKIP() << "the oracle is not built";
  const auto number = [](const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : parse_uint(text).value_or(fallback);
  };
  const uint64_t first = number("PROA_ORACLE_SEED", 1);
  const uint64_t count = number("PROA_ORACLE_SEQUENCES", 500);
  std::vector<std::vector<Sequence::Answer>> ours;
  std::vector<std::string> lines;
  std::string input;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Sequence sequence(seed);
    lines.push_back(sequence.run());
    input += lines.back() + "\n";
    ours.push_back(sequence.answers());
  }
  const std::vector<std::string> theirs = ask("sequences", input);
  ASSERT_EQ(theirs.size(), ours.size()) << (theirs.empty() ? "" : theirs.back());
  size_t failures = 0;
  for (size_t i = 0; i < theirs.size() && failures < 20; ++i) {
    const json::Document answers = json::parse_literal(theirs[i]);
    ASSERT_EQ(answers.root().size(), ours[i].size());
    for (size_t step = 0; step < ours[i].size(); ++step) {
      const std::string differs = difference(ours[i][step], answers.root().items()[step]);
      if (differs.empty()) continue;
      ADD_FAILURE() << "seed " << first + i << ", write " << step << "\n"
                    << differs << "\nof " << lines[i];
      ++failures;
      break;
    }
  }
}

}  // namespace
}  // namespace proa::oracle
