#include "apiserver/resources/write/patch.h"

#include <array>

#include "api/codec/json/decode_touched.h"
#include "api/patch/patch.h"
#include "json/print.h"

namespace proa::apiserver {
namespace patch {

constexpr std::array<api::PatchType, 3> kAccepted = {api::PatchType::kJson, api::PatchType::kMerge,
                                                     api::PatchType::kStrategic};

// The result of a patch may have unknown fields, as a body may.
Result<Body> decode(json::Document patched, const api::Type& type, api::FieldValidation validation,
                    std::vector<std::string> problems, std::span<const std::string_view> touched,
                    Budget budget) {
  api::Decoded decoded =
      TRY(api::decode_touched(std::move(patched), type, validation, touched, &budget));
  Body body{std::move(decoded.document), {}, std::move(budget)};
  if (validation == api::FieldValidation::kWarn) {
    body.warnings = std::move(problems);
    for (std::string& warning : decoded.warnings) body.warnings.push_back(std::move(warning));
  } else if (validation == api::FieldValidation::kStrict && !problems.empty()) {
    return api::strict_decoding_error(problems);
  }
  return body;
}

// Always includes metadata, which is small.
std::vector<std::string_view> touched_members(const json::Value& patched, const json::Value& old) {
  std::vector<std::string_view> touched = {"metadata"};
  for (const json::Member& member : patched.members()) {
    const json::Value* before = old.find(member.key);
    if (before == nullptr || !(member.value == *before)) touched.push_back(member.key);
  }
  return touched;
}

// As sent by the client.
std::string text_of(const Payload& patch) {
  return patch.document ? json::print(patch.document->root()) : std::string(patch.bytes.view());
}

}  // namespace patch

Result<api::PatchType> patch_type(std::string_view content_type) {
  const std::optional<api::PatchType> type = api::patch_type_from(content_type);
  if (!type || *type == api::PatchType::kApply) {
    return api::unsupported_patch_type(patch::kAccepted);
  }
  return *type;
}

Result<Body> apply_to(const json::Document& old, bool is_canonical, const Payload& patch,
                      const api::Type& type, api::FieldValidation validation) {
  const api::PatchType kind = TRY(patch_type(patch.content_type));
  json::Document patched = old.copy();
  std::vector<std::string> problems;
  Budget budget = patch.budget;
  if (patch.document) {
    TRY(api::apply_patch(kind, patched, patch.document->root(), type, budget));
  } else {
    TRY(api::apply_patch(kind, patched, patch.bytes.view(), type, budget, &problems));
  }
  std::vector<std::string_view> touched;
  if (is_canonical) touched = patch::touched_members(patched.root(), old.root());
  Result<Body> body = patch::decode(std::move(patched), type, validation, std::move(problems),
                                    touched, std::move(budget));
  if (!body.is(Reason::kBadRequest) || validation == api::FieldValidation::kStrict) return body;
  // The patch is well-formed, but its result is not.
  api::FieldErrors errors;
  errors.invalid(api::Path("patch"), patch::text_of(patch), body.status().message());
  return errors.to_status("", "", "");
}

Result<Written> patch_object(const ApiContext& context, const Call& call,
                             const UpdateRules& rules) {
  TRY(patch_type(call.payload.content_type));
  const WriteOptions& options = call.write();
  if (options.force) {
    api::FieldErrors errors;
    errors.forbidden(api::Path("force"), "may not be specified for non-apply patch");
    return errors.to_status("meta.k8s.io", "PatchOptions", "");
  }
  const api::Resource& resource = *call.request.resource;
  return change_object(context, call.request, options, rules,
                       [&](const json::Document& old) -> Result<Body> {
                         return apply_to(old, !resource.is_converted(), call.payload,
                                         *resource.type, options.validation);
                       });
}

}  // namespace proa::apiserver
