#include "apiserver/access/admission/policies/param_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace proa::apiserver {
namespace param_access {

using api::View;

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kMasters = "system:masters";
constexpr std::string_view kValidating = "validatingadmissionpolicies";
constexpr std::string_view kValidatingBindings = "validatingadmissionpolicybindings";
constexpr std::string_view kMutating = "mutatingadmissionpolicies";
constexpr std::string_view kMutatingBindings = "mutatingadmissionpolicybindings";

bool is_binding(std::string_view resource) {
  return resource == kValidatingBindings || resource == kMutatingBindings;
}

// As Go prints the struct.
std::string shown(const User& user) {
  std::string extra;
  auto entries = user.extra;
  std::ranges::sort(entries);
  for (const auto& [key, values] : entries) {
    extra += fmt::format("{}{}:[{}]", extra.empty() ? "" : " ", key, join(values, " "));
  }
  return fmt::format("&{{{} {} [{}] map[{}]}}", user.name, user.uid, join(user.groups, " "), extra);
}

std::string shown(View param_kind) {
  return fmt::format("&{{{} {}}}", param_kind["apiVersion"].text(), param_kind["kind"].text());
}

Result<void> refuse(const Admission& admission, View object, std::string_view field,
                    std::string_view why) {
  api::FieldErrors errors;
  const api::Path spec("spec");
  errors.forbidden(spec.field(field), why);
  return admission.invalid(object, errors);
}

}  // namespace param_access

bool ParamAccess::concerns(const Admission& admission) const {
  if (admission.operation != Operation::kCreate && admission.operation != Operation::kUpdate) {
    return false;
  }
  const api::Resource& resource = *admission.request.resource;
  if (resource.group != param_access::kGroup || admission.request.subresource != nullptr) {
    return false;
  }
  return resource.name == param_access::kValidating || resource.name == param_access::kMutating ||
         param_access::is_binding(resource.name);
}

Result<void> ParamAccess::validate(api::View object, const Admission& admission) {
  if (admission.request.user->in_group(param_access::kMasters)) return {};
  return param_access::is_binding(admission.request.resource->name)
             ? check_binding(object, admission)
             : check_policy(object, admission);
}

Result<void> ParamAccess::check_policy(api::View object, const Admission& admission) {
  const api::View kind = object["spec"]["paramKind"];
  if (!kind || kind == admission.old["spec"]["paramKind"]) return {};
  if (may("get", target_of(kind), "*", "*", admission)) return {};
  return param_access::refuse(
      admission, object, "paramKind",
      fmt::format("user {} must have \"get\" permission on all objects of the referenced paramKind "
                  "(kind={}, apiVersion={})",
                  param_access::shown(*admission.request.user), kind["kind"].text(),
                  kind["apiVersion"].text()));
}

// Unlike a policy, a binding is checked at every update, as upstream does.
Result<void> ParamAccess::check_binding(api::View object, const Admission& admission) {
  const api::View reference = object["spec"]["paramRef"];
  if (!reference) return {};
  const Target target = target_of_binding(object, admission);
  const std::string_view name = reference["name"].text();
  const std::string_view verb = name.empty() ? "list" : "get";
  if (may(verb, target, reference["namespace"].text(), name, admission)) return {};
  const std::string user = param_access::shown(*admission.request.user);
  const std::string why =
      target.unknown.empty()
          ? fmt::format(
                "user {} does not have \"{}\" permission on the object referenced by paramRef",
                user, verb)
          : fmt::format(
                "unable to {} to determine minimum required permissions and user {} does "
                "not have \"{}\" permission for all groups, versions and resources",
                target.unknown, user, verb);
  return param_access::refuse(admission, object, "paramRef", why);
}

ParamAccess::Target ParamAccess::target_of(api::View param_kind) {
  const std::string_view api_version = param_kind["apiVersion"].text();
  Target target;
  if (std::ranges::count(api_version, '/') > 1) {
    target.unknown = "parse paramKind " + param_access::shown(param_kind);
    return target;
  }
  const auto halves = split_once(api_version, '/');
  target.group = halves ? halves->before : std::string_view();
  target.version = halves ? halves->after : api_version;
  const Result<ResourcePtr> resource =
      params_.find_kind({std::string(api_version), std::string(param_kind["kind"].text())});
  if (resource) {
    target.resource = (*resource)->name;
  } else {
    target.unknown = "resolve paramKind " + param_access::shown(param_kind);
  }
  return target;
}

ParamAccess::Target ParamAccess::target_of_binding(api::View object, const Admission& admission) {
  const bool validates = admission.request.resource->name == param_access::kValidatingBindings;
  const std::string_view name = object["spec"]["policyName"].text();
  const Result<api::ObjectPtr> policy =
      objects_.find(param_access::kGroup,
                    validates ? param_access::kValidating : param_access::kMutating, "", name);
  Target everything;
  if (!policy || *policy == nullptr) {
    everything.unknown = fmt::format("get policy {}", name);
    return everything;
  }
  const Result<json::Document> document = (*policy)->document();
  if (!document) return everything;
  const api::View kind = api::View(document->root())["spec"]["paramKind"];
  return kind ? target_of(kind) : everything;
}

bool ParamAccess::may(std::string_view verb, const Target& target, std::string_view name_space,
                      std::string_view name, const Admission& admission) {
  const Attributes asked{.user = admission.request.user.get(),
                         .verb = verb,
                         .is_resource = true,
                         .group = target.group,
                         .version = target.version,
                         .resource = target.resource,
                         .subresource = {},
                         .name_space = name_space,
                         .name = name,
                         .path = {}};
  return authorizer_.authorize(asked).allowed();
}

}  // namespace proa::apiserver
