#include "api/patch/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "api/codec/json/forms.h"
#include "api/patch/strategic_errors.h"
#include "api/patch/strategic_merge.h"
#include "base/check.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/patch/json_patch.h"
#include "json/patch/merge_patch.h"
#include "json/text/go_syntax.h"

namespace proa::api {

namespace patch {

constexpr std::array<std::string_view, 4> kContentTypes{
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
};

// As many as upstream's strict decoder reports.
constexpr size_t kMaxProblems = 100;

// encoding/json's message for a body of another kind.
Status wrong_body(const json::Value& body, std::string_view go_type) {
  return bad_patch(
      fmt::format("json: cannot unmarshal {} into Go value of type {}", go_kind(body), go_type));
}

// The operations are read into structs first, whose fields are texts.
Result<void> check_operations(const json::Value& operations) {
  for (const json::Value& operation : operations.items()) {
    if (operation.is_null()) continue;
    if (!operation.is(json::Kind::kObject))
      return wrong_body(operation, "handlers.jsonPatchOp").in("error decoding patch");
    for (const json::Member& member : operation.members()) {
      const bool text = member.key == "op" || member.key == "path" || member.key == "from";
      if (!text || member.value.is_null() || member.value.is(json::Kind::kString)) continue;
      return bad_patch(
          fmt::format("error decoding patch: json: cannot unmarshal {} into Go struct "
                      "field jsonPatchOp.{} of type string",
                      go_kind(member.value), member.key));
    }
  }
  return {};
}

// Upstream's converter of maps takes 3.0 for an integer.
void round_numbers(json::Value& value) {
  constexpr double kLimit = 9e18;  // well within int64
  if (value.is(json::Kind::kDouble)) {
    const double number = value.as_double();
    if (std::trunc(number) == number && std::abs(number) < kLimit)
      value = json::Value::integer(static_cast<int64_t>(number));
  }
  for (json::Value& item : value.items()) round_numbers(item);
  for (const json::Member& member : value.members()) round_numbers(*value.find(member.key));
}

void add_unknown_fields(const json::Value& operations, std::vector<std::string>& problems) {
  constexpr std::array<std::string_view, 4> kKnown{"op", "path", "from", "value"};
  size_t index = 0;
  for (const json::Value& operation : operations.items()) {
    for (const json::Member& member : operation.members()) {
      if (problems.size() >= kMaxProblems) return;
      if (std::find(kKnown.begin(), kKnown.end(), member.key) == kKnown.end())
        problems.push_back(fmt::format("json patch unknown field \"[{}].{}\"", index, member.key));
    }
    ++index;
  }
}

// Upstream does not say why a patch cannot be applied.
Result<void> as_rejected(const Result<void>& applied) {
  return applied.is(Reason::kInvalid) ? rejected_patch() : applied;
}

Status malformed(PatchType type, std::string_view body, const Status& why) {
  std::string words = json::go_syntax_error(body);
  const Status status =
      words.empty() || !why.is(Reason::kBadRequest) ? why : bad_patch(std::move(words));
  return type == PatchType::kStrategic ? status : status.in("error decoding patch");
}

}  // namespace patch

std::optional<PatchType> patch_type_from(std::string_view content_type) {
  const std::string_view media_type = trim(content_type.substr(0, content_type.find(';')));
  const auto* found =
      std::find(patch::kContentTypes.begin(), patch::kContentTypes.end(), media_type);
  if (found == patch::kContentTypes.end()) return std::nullopt;
  return static_cast<PatchType>(found - patch::kContentTypes.begin());
}

std::string_view content_type_of(PatchType type) {
  return patch::kContentTypes[static_cast<size_t>(type)];
}

Result<void> apply_patch(PatchType patch_type, json::Document& document, const json::Value& body,
                         const Type& type, Budget& budget) {
  constexpr std::string_view kGoObject = "map[string]interface {}";
  const bool object = body.is(json::Kind::kObject);
  switch (patch_type) {
    case PatchType::kJson:
      if (body.is_null()) return {};
      if (!body.is(json::Kind::kArray))
        return patch::wrong_body(body, "[]handlers.jsonPatchOp").in("error decoding patch");
      TRY(patch::check_operations(body));
      return patch::as_rejected(json::apply_json_patch(document, body, budget));
    case PatchType::kMerge:
      if (body.is_null()) return bad_patch("Invalid JSON Patch");
      if (!object) return patch::wrong_body(body, kGoObject).in("error decoding patch");
      json::apply_merge_patch(document, body);
      budget.holds(document.arena().reserved());
      return budget.check();
    case PatchType::kStrategic:
      if (body.is_null()) return {};
      if (!object) return patch::wrong_body(body, kGoObject);
      return apply_strategic_merge(document, body, type, budget);
    case PatchType::kApply:
      break;
  }
  CHECK(false);
}

Result<void> apply_patch(PatchType patch_type, json::Document& document, std::string_view body,
                         const Type& type, Budget& budget,
                         std::vector<std::string>* strict_problems) {
  std::vector<std::string> duplicates;
  auto parsed =
      json::parse(body, {.duplicates = strict_problems ? &duplicates : nullptr, .budget = &budget});
  if (budget.exceeded()) return budget.status();
  if (!parsed.ok()) return patch::malformed(patch_type, body, parsed.status());
  if (strict_problems != nullptr) {
    const std::string_view prefix = patch_type == PatchType::kJson ? "json patch " : "";
    for (const std::string& path : duplicates)
      strict_problems->push_back(fmt::format("{}duplicate field \"{}\"", prefix, path));
    if (patch_type == PatchType::kJson) patch::add_unknown_fields(parsed->root(), *strict_problems);
  }
  if (patch_type == PatchType::kStrategic) patch::round_numbers(parsed->root());
  return apply_patch(patch_type, document, parsed->root(), type, budget);
}

}  // namespace proa::api
