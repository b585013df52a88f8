#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "testkit/golden.h"

// Runs the scripts of testdata/ on kinds of the core group. A command is a verb and a kind, then
// one object, or two with "=>" between them.

namespace proa::kinds {
namespace core_test {

class OneRow : public Cells {
 public:
  void text(std::string_view text) override { add(text); }
  void number(int64_t number) override { add(std::to_string(number)); }
  void flag(bool flag) override { add(flag ? "true" : "false"); }
  Time now() const override { return *parse_time("2026-01-02T00:00:00Z"); }

  std::string line;
  size_t count = 0;

 private:
  void add(std::string_view cell) {
    if (count++ > 0) line += " | ";
    line += cell;
  }
};

// Prints what `now` adds to `before`, and what it lacks.
void print_changes(View now, View before, const std::string& path, std::string& out) {
  if (now == before) return;
  if (now.is(json::Kind::kObject) && before.is(json::Kind::kObject)) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const json::Member& member : now.members()) {
      print_changes(member.value, before[member.key], prefix + std::string(member.key), out);
    }
    for (const json::Member& member : before.members()) {
      if (!now[member.key]) out += fmt::format("- {}{}\n", prefix, member.key);
    }
    return;
  }
  out += fmt::format("+ {}: {}\n", path, now ? json::print(*now.value()) : "null");
}

class Script {
 public:
  std::string run(std::string_view command) {
    const auto parts = split_once(command, '\n');
    CHECK(parts.has_value());
    const auto words = split_once(parts->before, ' ');
    CHECK(words.has_value());
    verb_ = words->before;
    find_kind(words->after);
    const size_t arrow = parts->after.find("\n=>\n");
    if (arrow == std::string_view::npos) return with_one(parts->after);
    return with_two(parts->after.substr(0, arrow), parts->after.substr(arrow + 4));
  }

 private:
  void find_kind(std::string_view kind) {
    type_ = api::builtin_schema().find_kind("v1", kind);
    CHECK(type_ != nullptr);
    rules_ = &find_rules("v1", kind);
  }

  json::Document decode(std::string_view yaml) {
    auto decoded = api::decode_yaml(yaml, *type_, api::FieldValidation::kStrict);
    if (!decoded.ok()) ADD_FAILURE() << decoded.status().message() << "\n" << yaml;
    CHECK(decoded.ok());
    return std::move(decoded->document);
  }

  json::Document defaulted(std::string_view yaml) {
    json::Document document = decode(yaml);
    defaulting_.apply(api::Edit(document), *type_);
    return document;
  }

  json::Document created(std::string_view yaml) {
    json::Document document = defaulted(yaml);
    if (rules_->prepare_create != nullptr) rules_->prepare_create(api::Edit(document), writer_);
    return document;
  }

  std::string outcome(const api::FieldErrors& errors, View object, View old) {
    std::string out;
    for (const std::string& text : errors.texts()) out += text + "\n";
    Warnings warnings;
    if (rules_->warn != nullptr && verb_ != "status") rules_->warn(object, old, warnings);
    for (const std::string& warning : warnings.all()) out += "warning: " + warning + "\n";
    return out.empty() ? "ok\n" : out;
  }

  std::string with_one(std::string_view yaml) {
    if (verb_ == "row") {
      const json::Document document = defaulted(yaml);
      OneRow row;
      rules_->row(document.root(), row);
      EXPECT_EQ(row.count, rules_->columns.size());
      return row.line + "\n";
    }
    const json::Document document = created(yaml);
    if (verb_ == "changes") {
      std::string out;
      print_changes(document.root(), decode(yaml).root(), "", out);
      return out.empty() ? "nothing\n" : out;
    }
    CHECK(verb_ == "create");
    api::FieldErrors errors;
    if (rules_->validate != nullptr) rules_->validate(document.root(), errors);
    return outcome(errors, document.root(), View());
  }

  std::string with_two(std::string_view before, std::string_view after) {
    const json::Document old = verb_ == "status" ? defaulted(before) : created(before);
    json::Document document = defaulted(after);
    const bool is_status = verb_ == "status" || verb_ == "status-changes";
    const auto prepare = is_status ? rules_->prepare_status_update : rules_->prepare_update;
    if (prepare != nullptr) prepare(api::Edit(document), old.root(), writer_);
    if (verb_ == "changes" || verb_ == "status-changes") {
      std::string out;
      print_changes(document.root(), decode(after).root(), "", out);
      return out.empty() ? "nothing\n" : out;
    }
    api::FieldErrors errors;
    if (verb_ == "status") {
      if (rules_->validate_status_update != nullptr) {
        rules_->validate_status_update(document.root(), old.root(), errors);
      }
      return outcome(errors, document.root(), old.root());
    }
    CHECK(verb_ == "update");
    if (rules_->validate != nullptr) rules_->validate(document.root(), errors);
    if (rules_->validate_update != nullptr) {
      rules_->validate_update(document.root(), old.root(), errors);
    }
    return outcome(errors, document.root(), old.root());
  }

  std::string_view verb_;
  const api::Type* type_ = nullptr;
  const KindRules* rules_ = nullptr;
  SeededRandom random_{1};
  Writer writer_{.now = *parse_time("2026-01-02T00:00:00Z"), .random = random_};
  Defaulting defaulting_{api::builtin_schema(), all_type_defaults()};
};

class CoreScripts : public testing::TestWithParam<const char*> {};

TEST_P(CoreScripts, HappenAsWritten) {
  Script script;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata" /
                          (GetParam() + std::string(".txt")),
                      [&](std::string_view command) { return script.run(command); });
}

INSTANTIATE_TEST_SUITE_P(All, CoreScripts,
                         testing::Values("config", "endpoints", "event", "limit_range", "namespace",
                                         "node", "persistent_volume", "persistent_volume_claim",
                                         "replication_controller", "resource_quota", "service",
                                         "service_update", "small_kinds"),
                         [](const auto& script) { return std::string(script.param); });

}  // namespace core_test
}  // namespace proa::kinds
