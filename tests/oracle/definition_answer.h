#pragma once

#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "api/validation/field_errors.h"
#include "base/random.h"
#include "json/print.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

// Answers a question of tests/oracle/definition as that program does, with our own rooms.
namespace proa::definition_oracle {

struct Answer {
  std::string failure;  // it cannot be decoded
  std::vector<std::string> errors;
  std::vector<std::string> warnings;

  bool operator==(const Answer&) const = default;
};

// As the API server takes a definition up to validation.
class Definitions {
 public:
  Definitions()
      : type_(*api::builtin_schema().find_kind(kVersion, kKind)),
        rules_(kinds::find_rules(kVersion, kKind)),
        hooks_(kinds::all_type_defaults()),
        defaulting_(api::builtin_schema(), hooks_) {}

  Answer answer(const json::Value& question) {
    Answer result;
    auto now = read(*question.find("crd"), result.failure);
    if (!now.ok()) return result;
    const json::Value* old = question.find("old");
    api::FieldErrors errors;
    errors.about(type_);
    kinds::Warnings warnings;
    if (old == nullptr || old->is_null()) {
      create(*now, errors, warnings);
    } else {
      auto before = read(*old, result.failure);
      if (!before.ok()) return result;
      const json::Value* established = question.find("established");
      if (established != nullptr && established->as_bool()) establish(*before);
      update(*now, *before, errors, warnings);
    }
    result.errors = errors.texts();
    result.warnings = warnings.all();
    std::sort(result.warnings.begin(), result.warnings.end());
    return result;
  }

 private:
  static constexpr std::string_view kVersion = "apiextensions.k8s.io/v1";
  static constexpr std::string_view kKind = "CustomResourceDefinition";

  Result<json::Document> read(const json::Value& value, std::string& failure) {
    auto decoded = api::decode_json(json::print(value), type_, api::FieldValidation::kIgnore);
    if (!decoded.ok()) {
      failure = decoded.status().message();
      return decoded.status();
    }
    json::Document document = std::move(decoded->document);
    defaulting_.apply(api::Edit(document), type_);
    rules_.prepare_create(api::Edit(document), writer_);
    return document;
  }

  static void establish(json::Document& document) {
    const api::Edit conditions = api::Edit(document).object("status").array("conditions");
    const api::Edit condition = conditions.push_object();
    condition.set("type", "Established");
    condition.set("status", "True");
  }

  void create(const json::Document& now, api::FieldErrors& errors, kinds::Warnings& warnings) {
    const std::string_view name = api::View(now.root())["metadata"]["name"].text();
    errors.invalid_each(api::Path("metadata.name"), name, rules_.name(name));
    if (rules_.validate != nullptr) rules_.validate(now.root(), errors);
    rules_.validate_create(now.root(), errors);
    rules_.warn(now.root(), api::View(), warnings);
  }

  void update(json::Document& now, const json::Document& before, api::FieldErrors& errors,
              kinds::Warnings& warnings) {
    // The status is that of the stored object.
    api::Edit(now).copy("status", api::View(before.root())["status"]);
    rules_.prepare_update(api::Edit(now), before.root(), writer_);
    if (rules_.validate != nullptr) rules_.validate(now.root(), errors);
    rules_.validate_update(now.root(), before.root(), errors);
    rules_.warn(now.root(), before.root(), warnings);
  }

  const api::Type& type_;
  const kinds::KindRules& rules_;
  std::vector<kinds::TypeDefaults> hooks_;
  kinds::Defaulting defaulting_;
  SeededRandom random_{1};
  kinds::Writer writer_{
      .now = {}, .random = random_, .user = "alice", .uid = "u", .groups = {}, .extra = {}};
};

// Names of types have a random number there, ANTLR has its own words for syntax errors, and the
// order is that of a map.
// Ours end a value after 64 KiB, and say how long it was: so do these.
inline void cut_value(std::string& error) {
  constexpr std::string_view kStart = "Invalid value: ";
  constexpr size_t kMost = size_t{64} << 10;
  const size_t start = error.find(kStart) + kStart.size();
  const size_t end = error.rfind(": ");
  if (error.size() < kMost || start >= end || end - start <= kMost) return;
  if (std::string_view(error).substr(0, end).ends_with(" bytes)")) return;
  size_t cut = start + kMost;
  while ((static_cast<unsigned char>(error[cut]) & 0xC0) == 0x80) --cut;
  error.replace(cut, end - cut, "... (" + std::to_string(end - start) + " bytes)");
}

inline void normalize(std::vector<std::string>& errors) {
  static const RE2 kSelfType("selfType[0-9]*[\\w.@]*");
  constexpr std::string_view kSyntax = "Syntax error";
  for (std::string& error : errors) {
    RE2::GlobalReplace(&error, kSelfType, "selfType");
    const size_t at = error.find(kSyntax);
    if (at != std::string::npos) error.resize(at + kSyntax.size());
    cut_value(error);
  }
  std::sort(errors.begin(), errors.end());
}

inline Answer read_answer(const json::Value& json) {
  Answer result;
  const auto texts = [&](std::string_view key, std::vector<std::string>& out) {
    for (const json::Value& item : api::View(json)[key].items()) out.emplace_back(item.as_string());
  };
  result.failure = api::View(json)["failure"].text();
  texts("errors", result.errors);
  texts("warnings", result.warnings);
  return result;
}

}  // namespace proa::definition_oracle
