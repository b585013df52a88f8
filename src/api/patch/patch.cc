#include "api/patch/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/patch/strategic_errors.h"
#include "api/patch/strategic_merge.h"
#include "base/check.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/patch/json_patch.h"
#include "json/patch/merge_patch.h"

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

std::string_view go_kind(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kArray:
      return "array";
    case json::Kind::kObject:
      return "object";
    case json::Kind::kString:
      return "string";
    case json::Kind::kBool:
      return "bool";
    default:
      return "number";
  }
}

// encoding/json's message for a body of another kind.
Status wrong_body(const json::Value& body, std::string_view go_type) {
  return bad_patch(
      fmt::format("json: cannot unmarshal {} into Go value of type {}", go_kind(body), go_type));
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

// Upstream's message for patches that cannot be applied; ours is the cause.
Result<void> as_rejected(const Result<void>& applied) {
  if (applied.is(Reason::kInvalid) && applied.status().details().causes.empty())
    return rejected_patch(applied.status().message());
  return applied;
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

Status unsupported_patch_type(std::span<const PatchType> accepted) {
  std::vector<std::string_view> names;
  for (const PatchType type : accepted) names.push_back(content_type_of(type));
  return {Reason::kUnsupportedMediaType,
          fmt::format("the body of the request was in an unknown format - accepted media types "
                      "include: {}",
                      join(names, ", "))};
}

Result<void> apply_patch(PatchType patch_type, json::Document& document, const json::Value& body,
                         const Type& type, Budget& budget) {
  constexpr std::string_view kGoObject = "map[string]interface {}";
  const bool object = body.is(json::Kind::kObject);
  switch (patch_type) {
    case PatchType::kJson:
      if (!body.is(json::Kind::kArray))
        return patch::wrong_body(body, "[]handlers.jsonPatchOp").in("error decoding patch");
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
  const auto parsed =
      json::parse(body, {.duplicates = strict_problems ? &duplicates : nullptr, .budget = &budget});
  if (budget.exceeded()) return budget.status();
  if (!parsed.ok()) {
    return patch_type == PatchType::kStrategic ? parsed.status()
                                               : parsed.status().in("error decoding patch");
  }
  if (strict_problems != nullptr) {
    const std::string_view prefix = patch_type == PatchType::kJson ? "json patch " : "";
    for (const std::string& path : duplicates)
      strict_problems->push_back(fmt::format("{}duplicate field \"{}\"", prefix, path));
    if (patch_type == PatchType::kJson) patch::add_unknown_fields(parsed->root(), *strict_problems);
  }
  return apply_patch(patch_type, document, parsed->root(), type, budget);
}

}  // namespace proa::api
