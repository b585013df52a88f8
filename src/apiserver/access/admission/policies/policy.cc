#include "apiserver/access/admission/policies/policy.h"

namespace proa::apiserver {
namespace admission_policies {

using cel::AdmissionCompiler;
using cel::Expected;

std::optional<ParamKind> read_param_kind(api::View kind) {
  if (!kind) return std::nullopt;
  return ParamKind{std::string(kind["apiVersion"].text()), std::string(kind["kind"].text())};
}

// With the variables of the policy, which all other expressions may mention.
AdmissionCompiler make_compiler(api::View spec) {
  AdmissionCompiler compiler(spec["paramKind"].exists(), AdmissionCompiler::Composes::kYes);
  for (const api::View variable : spec["variables"].items()) {
    compiler.add_variable(variable["name"].text(), variable["expression"].text());
  }
  return compiler;
}

std::vector<PolicyValidation> read_validations(api::View list, AdmissionCompiler& compiler) {
  std::vector<PolicyValidation> validations;
  for (const api::View item : list.items()) {
    PolicyValidation& made = validations.emplace_back();
    made.expression = compiler.compile(item["expression"].text(), Expected::kBool);
    const std::string_view message = item["messageExpression"].text();
    if (!message.empty()) {
      made.message_expression = compiler.compile(message, Expected::kString, false);
    }
    made.message = item["message"].text();
    const Reason reason = reason_from_name(item["reason"].text());
    if (reason != Reason::kUnknown) made.reason = reason;
  }
  return validations;
}

std::vector<PolicyAnnotation> read_annotations(api::View list, AdmissionCompiler& compiler) {
  std::vector<PolicyAnnotation> annotations;
  for (const api::View item : list.items()) {
    annotations.push_back(
        {.key = std::string(item["key"].text()),
         .value = compiler.compile(item["valueExpression"].text(), Expected::kStringOrNull)});
  }
  return annotations;
}

std::vector<PolicyMutation> read_mutations(api::View list, AdmissionCompiler& compiler) {
  std::vector<PolicyMutation> mutations;
  for (const api::View item : list.items()) {
    const bool applies = item["patchType"].text() == "ApplyConfiguration";
    const api::View patch = applies ? item["applyConfiguration"] : item["jsonPatch"];
    if (!patch) continue;
    mutations.push_back({.type = applies ? PolicyMutation::Type::kApplyConfiguration
                                         : PolicyMutation::Type::kJsonPatch,
                         .expression = compiler.compile(
                             patch["expression"].text(),
                             applies ? Expected::kObject : Expected::kJsonPatch, true, true)});
  }
  return mutations;
}

std::optional<ParamReference> read_reference(api::View reference) {
  if (!reference) return std::nullopt;
  ParamReference read{.name = std::string(reference["name"].text()),
                      .name_space = std::string(reference["namespace"].text()),
                      .selector = std::nullopt,
                      .denies_if_absent = reference["parameterNotFoundAction"].text() == "Deny"};
  if (!reference["selector"]) return read;
  // Validated before: one that cannot be read would select nothing.
  Result<api::LabelSelector> selector = api::LabelSelector::from(reference["selector"]);
  read.selector = selector ? std::move(*selector) : api::LabelSelector::nothing();
  return read;
}

}  // namespace admission_policies

Policy::Policy(api::View object)
    : Policy(object, admission_policies::make_compiler(object["spec"])) {}

Policy::Policy(api::View object, cel::AdmissionCompiler compiler)
    : name_(object["metadata"]["name"].text()),
      failures_(failure_policy(object["spec"])),
      param_kind_(admission_policies::read_param_kind(object["spec"]["paramKind"])),
      criteria_(MatchCriteria::of_policy(object["spec"]["matchConstraints"])),
      conditions_(object["spec"], compiler),
      validations_(admission_policies::read_validations(object["spec"]["validations"], compiler)),
      annotations_(
          admission_policies::read_annotations(object["spec"]["auditAnnotations"], compiler)),
      mutations_(admission_policies::read_mutations(object["spec"]["mutations"], compiler)),
      reinvoked_if_needed_(object["spec"]["reinvocationPolicy"].text() == "IfNeeded"),
      variables_(compiler.variables()) {}

PolicyBinding::PolicyBinding(api::View object)
    : name_(object["metadata"]["name"].text()),
      policy_(object["spec"]["policyName"].text()),
      params_(admission_policies::read_reference(object["spec"]["paramRef"])) {
  const api::View match = object["spec"]["matchResources"];
  if (match) criteria_ = MatchCriteria::of_policy(match);
  for (const api::View action : object["spec"]["validationActions"].items()) {
    const std::string_view name = action.text();
    action_names_.emplace_back(name);
    actions_.deny = actions_.deny || name == "Deny";
    actions_.warn = actions_.warn || name == "Warn";
    actions_.audit = actions_.audit || name == "Audit";
  }
}

}  // namespace proa::apiserver
