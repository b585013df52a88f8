#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "base/strings.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "json/yaml.h"
#include "kinds/conversion.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "testkit/golden.h"

// Rules of kinds as scripts, GROUP/testdata/kinds/*.txt:
//
//   base apps/v1/Deployment     an object in YAML; answers as create does
//   create                      creates the base with a merge patch in YAML; prints all errors or
//                               "ok"
//   update, status              updates: two patches with a line "becomes" between them, or one
//                               patch to update the base
//   warn                        prints the warnings, for one patch or two
//   default                     prints what defaulting adds
//   prepare, prepare-update     prints what the hooks before validation change
//   row                         prints the cells of the table row
//   convert VERSION             prints the object in another version, and what a round trip loses

namespace proa::kinds {
namespace {

constexpr Time kNow{std::chrono::seconds(1'600'000'000)};

const Defaulting& defaulting() {
  static const std::vector<TypeDefaults> kHooks = all_type_defaults();
  static const Defaulting kDefaulting(api::builtin_schema(), kHooks);
  return kDefaulting;
}

class TextCells final : public Cells {
 public:
  void text(std::string_view text) override { add(std::string(text)); }
  void number(int64_t number) override { add(std::to_string(number)); }
  void flag(bool flag) override { add(flag ? "true" : "false"); }
  Time now() const override { return kNow; }
  const std::string& line() const { return line_; }
  size_t count() const { return count_; }

 private:
  void add(const std::string& cell) { line_ += (count_++ == 0 ? "" : " | ") + cell; }
  std::string line_;
  size_t count_ = 0;
};

std::string lines(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out.empty() ? "ok\n" : out;
}

// Prints one line for each value that was added, changed or removed.
void print_changes(View now, View before, const std::string& path, std::string& out) {
  if (now == before) return;
  if (now.is(json::Kind::kObject) && before.is(json::Kind::kObject)) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const json::Member& member : now.members())
      print_changes(member.value, before[member.key], prefix + std::string(member.key), out);
    for (const json::Member& member : before.members()) {
      if (View(member.value).exists() && !now[member.key].exists())
        out += prefix + std::string(member.key) + ": gone\n";
    }
  } else if (now.is(json::Kind::kArray) && before.is(json::Kind::kArray) &&
             now.size() == before.size()) {
    for (size_t i = 0; i < now.size(); ++i)
      print_changes(now.item(i), before.item(i), path + "[" + std::to_string(i) + "]", out);
  } else {
    out += path + ": " + json::print(*now.value()) + "\n";
  }
}

class Script {
 public:
  std::string run(std::string_view command) {
    const auto halves = split_once(command, '\n');
    const std::string_view head = halves ? halves->before : command;
    const std::string_view body = halves ? halves->after : "";
    const auto words = split(head, ' ');
    if (words[0] == "base") return set_base(words.at(1), body);
    if (words[0] == "create") return create(body);
    if (words[0] == "update") return update(body, false);
    if (words[0] == "status") return update(body, true);
    if (words[0] == "warn") return warn(body);
    if (words[0] == "default") return show_defaults(body);
    if (words[0] == "prepare") return show_prepared(body);
    if (words[0] == "prepare-update") return show_prepared_update(body);
    if (words[0] == "row") return row(body);
    if (words[0] == "convert") return show_converted(words.at(1), body);
    ADD_FAILURE() << "unknown command " << head;
    return "";
  }

 private:
  std::string set_base(std::string_view kind, std::string_view yaml) {
    const size_t slash = kind.rfind('/');
    version_ = kind.substr(0, slash);
    kind_ = kind.substr(slash + 1);
    type_ = api::builtin_schema().find_kind(version_, kind_);
    rules_ = &find_rules(version_, kind_);
    CHECK(type_ != nullptr && rules_->kind == kind);
    base_ = parse(yaml);
    api::Edit(base_).set("kind", kind_);
    api::Edit(base_).set("apiVersion", version_);
    return create("");
  }

  static json::Document parse(std::string_view yaml) {
    auto parsed = json::parse_yaml(yaml);
    if (!parsed.ok()) ADD_FAILURE() << parsed.status().message();
    CHECK(parsed.ok());
    return std::move(parsed).value();
  }

  json::Document decoded(std::string_view patch) const {
    json::Document object = base_.copy();
    if (!patch.empty()) json::apply_merge_patch(object, parse(patch).root());
    auto decoded = api::decode_document(std::move(object), *type_, api::FieldValidation::kStrict);
    if (!decoded.ok()) ADD_FAILURE() << decoded.status().message();
    CHECK(decoded.ok());
    return std::move(decoded->document);
  }

  json::Document defaulted(std::string_view patch) const {
    json::Document object = decoded(patch);
    defaulting().apply(api::Edit(object), *type_);
    return object;
  }

  json::Document created(std::string_view patch) {
    json::Document object = defaulted(patch);
    if (rules_->prepare_create != nullptr) rules_->prepare_create(api::Edit(object), writer_);
    return object;
  }

  struct Change {
    json::Document now;
    json::Document before;
  };

  // Without a line "becomes", the base is the old object.
  Change change(std::string_view body) {
    constexpr std::string_view kBecomes = "becomes\n";
    const size_t at = body.find(kBecomes);
    const bool both = at != std::string_view::npos;
    // Clients send the object that they read, as creation left it.
    Change change{.now = created(both ? body.substr(at + kBecomes.size()) : body),
                  .before = created(both ? body.substr(0, at) : "")};
    if (rules_->prepare_update != nullptr)
      rules_->prepare_update(api::Edit(change.now), change.before.root(), writer_);
    return change;
  }

  std::string create(std::string_view patch) {
    const json::Document object = created(patch);
    api::FieldErrors errors;
    errors.about(*type_);
    const std::string_view name = View(object.root())["metadata"]["name"].text();
    errors.invalid_each(api::Path("metadata.name"), name, rules_->name(name));
    if (rules_->validate_first != nullptr) rules_->validate_first(object.root(), errors);
    if (errors.size() > 0) return lines(errors.texts());
    if (rules_->validate != nullptr) rules_->validate(object.root(), errors);
    if (rules_->validate_create != nullptr) rules_->validate_create(object.root(), errors);
    return lines(errors.texts());
  }

  std::string update(std::string_view body, bool status) {
    const Change states = change(body);
    api::FieldErrors errors;
    errors.about(*type_);
    if (status) {
      rules_->validate_status_update(states.now.root(), states.before.root(), errors);
    } else {
      validate_update(states, errors);
    }
    return lines(errors.texts());
  }

  void validate_update(const Change& states, api::FieldErrors& errors) const {
    const bool updates = rules_->validate_update != nullptr;
    const auto run = [&] {
      rules_->validate_update(states.now.root(), states.before.root(), errors);
    };
    if (rules_->validate_first != nullptr) rules_->validate_first(states.now.root(), errors);
    if (errors.size() > 0) return;
    if (updates && rules_->update_comes_first) run();
    if (rules_->validate != nullptr) rules_->validate(states.now.root(), errors);
    if (updates && !rules_->update_comes_first) run();
  }

  std::string warn(std::string_view body) {
    Warnings warnings;
    if (body.find("becomes\n") == std::string_view::npos) {
      rules_->warn(created(body).root(), View(), warnings);
    } else {
      const Change states = change(body);
      rules_->warn(states.now.root(), states.before.root(), warnings);
    }
    return lines(warnings.all());
  }

  std::string show_defaults(std::string_view patch) const {
    std::string out;
    print_changes(defaulted(patch).root(), decoded(patch).root(), "", out);
    return out;
  }

  std::string show_prepared(std::string_view patch) {
    std::string out;
    print_changes(created(patch).root(), defaulted(patch).root(), "", out);
    return out;
  }

  std::string show_prepared_update(std::string_view body) {
    std::string out;
    const Change states = change(body);
    print_changes(states.now.root(), states.before.root(), "", out);
    return out;
  }

  std::string row(std::string_view patch) const {
    TextCells cells;
    rules_->row(defaulted(patch).root(), cells);
    // As upstream, an IPAddress has one more cell than columns.
    EXPECT_EQ(cells.count(), rules_->columns.size() + (kind_ == "IPAddress" ? 1 : 0));
    return cells.line() + "\n";
  }

  std::string show_converted(std::string_view to, std::string_view patch) const {
    const json::Document object = defaulted(patch);
    const auto there = convert(object, version_, to, kind_);
    CHECK(there.ok());
    const auto back = convert(*there, to, version_, kind_);
    CHECK(back.ok());
    std::string out = json::print_pretty(there->root()) + "\n";
    std::string lost;
    print_changes(back->root(), object.root(), "", lost);
    return out + (lost.empty() ? "and back\n" : "but back:\n" + lost);
  }

  SeededRandom random_{1};
  const std::string groups_[1] = {"system:authenticated"};
  Writer writer_{.now = kNow, .random = random_, .user = "alice", .uid = "u-1", .groups = groups_};
  std::string version_;
  std::string kind_;
  const api::Type* type_ = nullptr;
  const KindRules* rules_ = nullptr;
  json::Document base_;
};

std::filesystem::path room() { return std::filesystem::path(__FILE__).parent_path(); }

// Every API group that has scripts.
std::vector<std::string> groups() {
  std::vector<std::string> found;
  std::error_code error;  // runs before main: an empty result fails as an uninstantiated suite
  for (const auto& entry : std::filesystem::directory_iterator(room(), error)) {
    if (std::filesystem::is_directory(entry.path() / "testdata/kinds"))
      found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class KindRulesOf : public testing::TestWithParam<std::string> {};

TEST_P(KindRulesOf, AreAsTheScriptsSay) {
  for (const auto& entry :
       std::filesystem::directory_iterator(room() / GetParam() / "testdata/kinds")) {
    SCOPED_TRACE(entry.path().filename().string());
    Script script;
    testkit::run_golden(entry.path(),
                        [&](std::string_view command) { return script.run(command); });
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, KindRulesOf, testing::ValuesIn(groups()),
                         [](const auto& group) { return group.param; });

}  // namespace
}  // namespace proa::kinds
