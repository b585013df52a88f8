#include "apiserver/access/admission/policies/mutate.h"

#include "api/codec/json/decode.h"
#include "apiserver/access/admission/matching/patched_kind.h"
#include "apiserver/access/admission/policies/apply.h"
#include "apiserver/access/admission/policies/patch_values.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/request/failures.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"
#include "json/patch/json_patch.h"
#include "kinds/conversion.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace mutate_policies {

using api::View;

Status invalid(std::string_view why) { return {Reason::kInvalid, std::string(why)}; }

json::Document copy_of(View object) {
  json::Arena arena;
  json::Value root = object.value()->copy(arena);
  return {std::move(arena), std::move(root)};
}

bool is_custom_object(const Matched& matched) {
  return matched.resource->custom && matched.kind == matched.resource->type;
}

// Back to the version that the write is in.
Result<json::Document> converted_back(json::Document document, View original,
                                      const Subject& subject) {
  const std::string wanted(original["apiVersion"].text());
  const std::string stated(View(document.root())["apiVersion"].text());
  if (wanted.empty() || stated == wanted) return document;
  if (subject.resource().custom) {
    return convert_custom(std::move(document), subject.resource(), wanted);
  }
  return kinds::convert(document, stated, wanted, subject.kind().name);
}

}  // namespace mutate_policies

Result<bool> PolicyMutator::matches(const Policy& policy, const Matched& matched, api::View param,
                                    const Admission& admission, api::View object) const {
  if (policy.conditions().empty()) return true;
  json::Arena arena;
  const Subject subject(admission, object, objects_);
  RequestInputs inputs(subject, authorizer_, metrics_.clock(), arena);
  const cel::AdmissionInputs seen = TRY(inputs.for_conditions(matched, param));
  return policy.conditions().match(
      seen, arena,
      {.metrics = metrics_, .owner = policy.condition_owner(), .operation = admission.operation},
      &policy.variables());
}

Result<bool> PolicyMutator::mutate(const Policy& policy, const PolicyMutation& mutation,
                                   const Matched& matched, api::View param,
                                   const Admission& admission, api::Edit object) const {
  namespace own = mutate_policies;
  if (!mutation.expression.error.empty()) return own::invalid(mutation.expression.error);
  json::Arena arena;
  const Subject subject(admission, object.view(), objects_);
  RequestInputs inputs(subject, authorizer_, metrics_.clock(), arena);
  const cel::AdmissionInputs seen = TRY(inputs.for_policy(matched, param));
  cel::AdmissionEvaluator evaluator(arena, seen, &policy.variables());
  int64_t budget = cel::kPolicyCostBudget;
  const cel::AdmissionValue made = TRY(evaluator.evaluate(mutation.expression, budget));
  if (made.error) return own::invalid(*made.error);
  const ObjectVersions::Objects before = TRY(inputs.versions().in(matched));
  Budget work;
  work.end_with(admission.request.until, metrics_.clock());
  json::Document document = TRY(changed(mutation, made.value, before.object, matched, work));
  if (api::View(document.root()) == before.object) return false;
  document = TRY(own::converted_back(std::move(document), object.view(), subject));
  admission.replace(object, document.root());
  return true;
}

Result<json::Document> PolicyMutator::changed(const PolicyMutation& mutation,
                                              const cel::Value& value, api::View object,
                                              const Matched& matched, Budget& work) const {
  namespace own = mutate_policies;
  if (mutation.type == PolicyMutation::Type::kApplyConfiguration) {
    json::Arena arena;
    json::Value configuration = TRY(configuration_of(value, arena, work));
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const api::View stated = object[name];
      if (stated) configuration.set(arena, name, json::Value::string(arena, stated.text()));
    }
    json::Value merged = TRY(apply_configuration(*object.value(), configuration, matched, arena));
    json::Document document(std::move(arena), std::move(merged));
    return finished(std::move(document), matched, *matched.kind, mutation.type);
  }
  json::Document document = own::copy_of(object);
  const json::Value patch = TRY(json_patch_of(value, document.arena(), work));
  const Result<void> applied = json::apply_json_patch(document, patch, work);
  if (!applied) {
    // A test that fails keeps the rest from being done, and is no failure.
    if (json::is_failed_test(applied.status())) return own::copy_of(object);
    return own::invalid(applied.status().in("JSON Patch").message());
  }
  const Result<const api::Type*> type = settle_patched_kind(document, object, matched, schema_);
  if (!type) {
    // kInvalid would say that the policy failed.
    return type.is(Reason::kInvalid) ? internal_error(type.status().message()) : type.status();
  }
  return finished(std::move(document), matched, **type, mutation.type);
}

// Decoded and with defaults. What a patch makes of an object must be one; the configuration that is
// applied was checked before.
Result<json::Document> PolicyMutator::finished(json::Document document, const Matched& matched,
                                               const api::Type& type,
                                               PolicyMutation::Type mutation) const {
  namespace own = mutate_policies;
  Budget budget;
  if (own::is_custom_object(matched)) {
    const custom::Schema* schema = TRY(custom::custom_resource(*matched.resource).schema());
    const auto decoded = schema->decode(document, {}, budget);
    if (!decoded) return internal_error(decoded.status().message());
    return document;
  }
  const auto validation = mutation == PolicyMutation::Type::kJsonPatch
                              ? api::FieldValidation::kStrict
                              : api::FieldValidation::kIgnore;
  Result<api::Decoded> decoded =
      api::decode_document(std::move(document), type, validation, &budget);
  if (!decoded) return internal_error(decoded.status().message());
  defaulting().apply(api::Edit(decoded->document), type, &budget);
  TRY(budget.check());
  return std::move(decoded->document);
}

const kinds::Defaulting& PolicyMutator::defaulting() const {
  std::call_once(made_, [this] {
    defaulting_ = std::make_unique<const kinds::Defaulting>(schema_, kinds::all_type_defaults());
  });
  return *defaulting_;
}

}  // namespace proa::apiserver
