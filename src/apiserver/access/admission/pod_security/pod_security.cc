#include "apiserver/access/admission/pod_security/pod_security.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/validation/go_text.h"
#include "apiserver/access/admission/pod_security/standards.h"
#include "apiserver/request/failures.h"
#include "base/log.h"

namespace proa::apiserver {
namespace pod_security {

using api::View;

const Log kLog{"apiserver"};

// Resources with a pod template, and the paths of its metadata and spec.
struct Template {
  std::string_view group;
  std::string_view resource;
  std::string_view path;
};

constexpr Template kTemplates[] = {
    {"", "podtemplates", "template"},
    {"", "replicationcontrollers", "spec.template"},
    {"apps", "daemonsets", "spec.template"},
    {"apps", "deployments", "spec.template"},
    {"apps", "replicasets", "spec.template"},
    {"apps", "statefulsets", "spec.template"},
    {"batch", "cronjobs", "spec.jobTemplate.spec.template"},
    {"batch", "jobs", "spec.template"},
};

// Null if the resource has no template, or the request is for a subresource.
const Template* template_of(const Admission& admission) {
  const auto found = std::find_if(
      std::begin(kTemplates), std::end(kTemplates),
      [&](const Template& one) { return admission.is_about(one.group, one.resource); });
  return found == std::end(kTemplates) ? nullptr : found;
}

// Subresources that do not change the spec. All others, including future ones, are checked as pod
// updates.
constexpr std::string_view kHarmlessParts[] = {"exec", "attach",      "binding", "eviction",
                                               "log",  "portforward", "proxy",   "status"};

bool is_pod_change(const Admission& admission) {
  const Request& request = admission.request;
  if (request.resource->name != "pods" || !request.resource->group.empty()) return false;
  if (request.subresource == nullptr) return true;
  return std::find(std::begin(kHarmlessParts), std::end(kHarmlessParts),
                   request.subresource->name) == std::end(kHarmlessParts);
}

// Among the fields that the checks read, only images can change, and ephemeral containers can be
// added.
bool has_other_images(View list, View old) {
  if (list.size() != old.size()) return true;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.item(i)["image"].text() != old.item(i)["image"].text()) return true;
  }
  return false;
}

bool has_other_ephemeral_containers(View list, View old) {
  using NameAndImage = std::pair<std::string_view, std::string_view>;
  const auto name_and_image = [](View container) -> NameAndImage {
    return {container["name"].text(), container["image"].text()};
  };
  std::set<NameAndImage> before;
  for (const View container : old.items()) before.insert(name_and_image(container));
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](View container) { return !before.contains(name_and_image(container)); });
}

bool is_significant(View spec, View old) {
  return has_other_images(spec["containers"], old["containers"]) ||
         has_other_images(spec["initContainers"], old["initContainers"]) ||
         has_other_ephemeral_containers(spec["ephemeralContainers"], old["ephemeralContainers"]);
}

// The violations of a pod per standard, computed once each.
class Findings {
 public:
  explicit Findings(const PodShape& pod) : pod_(pod) {}

  // `PodSecurity "baseline:latest": ...`; empty: no violation.
  std::string against(const Standard& standard) {
    for (const auto& [known, text] : found_) {
      if (known == standard) return text;
    }
    std::string found = details_of(find_violations(pod_, standard));
    if (!found.empty()) found = "PodSecurity \"" + standard.str() + "\": " + found;
    found_.emplace_back(standard, found);
    return found;
  }

 private:
  const PodShape pod_;
  std::vector<std::pair<Standard, std::string>> found_;
};

void annotate(const Admission& admission, std::string_view key, std::string value) {
  admission.annotate("pod-security.kubernetes.io/" + std::string(key), std::move(value));
}

Status namespace_unknown(const std::string& name) {
  return internal_error("failed to lookup namespace \"" + name + "\"");
}

// The standards in the labels: "enforce=baseline:latest, warn=restricted:latest".
std::string asked_for(View labels, const Policy& policy) {
  std::string text;
  const auto add = [&](std::string_view mode, std::string_view level, std::string_view version,
                       const Standard& standard) {
    if (standard.level == Level::kPrivileged || (!labels[level] && !labels[version])) return;
    if (!text.empty()) text += ", ";
    text += std::string(mode) + "=" + standard.str();
  };
  add("enforce", kEnforceLabel, kEnforceVersionLabel, policy.enforce);
  add("audit", kAuditLabel, kAuditVersionLabel, policy.audit);
  add("warn", kWarnLabel, kWarnVersionLabel, policy.warn);
  return text;
}

// Whether existing pods may violate the new standard.
bool is_tightened(const Standard& standard, const Standard& old) {
  if (standard == old || standard.level == Level::kPrivileged) return false;
  return standard.version != old.version || standard.level > old.level;
}

}  // namespace pod_security

Result<std::unique_ptr<AdmissionPlugin>> PodSecurity::make(const AdmissionContext& context) {
  pod_security::Configuration configuration =
      TRY(pod_security::read_configuration(context.configuration));
  return std::unique_ptr<AdmissionPlugin>(
      std::make_unique<PodSecurity>(context, std::move(configuration)));
}

bool PodSecurity::concerns(const Admission& admission) const {
  if (admission.operation != Operation::kCreate && admission.operation != Operation::kUpdate) {
    return false;
  }
  return admission.is_about("", "namespaces") || pod_security::is_pod_change(admission) ||
         pod_security::template_of(admission) != nullptr;
}

Result<void> PodSecurity::validate(api::View object, const Admission& admission) {
  if (admission.is_about("", "namespaces")) return validate_namespace(object, admission);
  if (is_exempt(admission)) return {};
  if (pod_security::is_pod_change(admission)) return validate_pod(object, admission);
  return validate_template(object, admission);
}

bool PodSecurity::is_exempt(const Admission& admission) {
  std::string_view why;
  if (configuration_.exemptions.has_namespace(admission.request.name_space)) {
    why = "namespace";
  } else if (configuration_.exemptions.has_user(admission.request.user->name)) {
    why = "user";
  } else {
    return false;
  }
  metrics_.count_exemption(admission);
  pod_security::annotate(admission, "exempt", std::string(why));
  return true;
}

bool PodSecurity::has_exempt_runtime_class(api::View spec, const Admission& admission) {
  if (!configuration_.exemptions.has_runtime_class(spec)) return false;
  metrics_.count_exemption(admission);
  pod_security::annotate(admission, "exempt", "runtimeClass");
  return true;
}

void PodSecurity::audit(pod_security::Findings& findings, const pod_security::Policy& policy,
                        api::View object, const Admission& admission) {
  const std::string found = findings.against(policy.audit);
  if (found.empty()) return;
  pod_security::annotate(admission, "audit-violations", "would violate " + found);
  metrics_.count_evaluation(false, policy.audit, "audit", admission);
  pod_security::kLog.info("pod security audit", {{"resource", admission.request.resource->name},
                                                 {"namespace", admission.request.name_space},
                                                 {"name", object["metadata"]["name"].text()},
                                                 {"violates", found}});
}

void PodSecurity::warn(pod_security::Findings& findings, const pod_security::Policy& policy,
                       const Admission& admission) {
  const std::string found = findings.against(policy.warn);
  if (found.empty()) return;
  admission.request.warn("would violate " + found);
  metrics_.count_evaluation(false, policy.warn, "warn", admission);
}

void PodSecurity::report(const pod_security::NamespacePolicy& found, const Admission& admission) {
  if (found.errors.empty()) return;
  pod_security::annotate(admission, "error", "Failed to parse policy: " + found.errors);
  metrics_.count_error(false, admission);
}

pod_security::NamespacePolicy PodSecurity::read_policy(const api::Object& name_space) const {
  // What the store holds can be parsed. Invalid labels are rejected when they are set, unless the
  // plugin was disabled then.
  const json::Document document = name_space.document().value();
  api::FieldErrors errors;
  pod_security::NamespacePolicy read{pod_security::policy_of(
      api::View(document.root())["metadata"]["labels"], configuration_.defaults, errors)};
  if (!errors.empty()) read.errors = api::aggregate_text(errors.texts());
  return read;
}

Result<std::optional<pod_security::NamespacePolicy>> PodSecurity::policy_for(
    const Admission& admission) {
  const api::ObjectPtr found =
      TRY(reader_.find("", "namespaces", "", admission.request.name_space));
  if (found == nullptr) {
    metrics_.count_error(true, admission);
    return std::optional<pod_security::NamespacePolicy>();
  }
  return std::optional(
      found->kept<pod_security::NamespacePolicy>([&] { return read_policy(*found); }));
}

Result<void> PodSecurity::validate_pod(api::View pod, const Admission& admission) {
  const auto found = TRY(policy_for(admission));
  if (!found) return pod_security::namespace_unknown(admission.request.name_space);
  const pod_security::Policy& policy = found->policy;
  if (found->errors.empty() && policy.allows_everything()) {
    pod_security::annotate(admission, "enforce-policy", "privileged:latest");
    metrics_.count_evaluation(true, policy.enforce, "enforce", admission);
    return {};
  }
  if (admission.operation == Operation::kUpdate &&
      !pod_security::is_significant(pod["spec"], admission.old["spec"])) {
    return {};
  }
  if (has_exempt_runtime_class(pod["spec"], admission)) return {};
  report(*found, admission);
  pod_security::Findings findings({pod["metadata"], pod["spec"]});
  pod_security::annotate(admission, "enforce-policy", policy.enforce.str());
  const std::string violated = findings.against(policy.enforce);
  metrics_.count_evaluation(violated.empty(), policy.enforce, "enforce", admission);
  audit(findings, policy, pod, admission);
  if (!violated.empty()) return admission.forbidden(pod, "violates " + violated);
  warn(findings, policy, admission);
  return {};
}

Result<void> PodSecurity::validate_template(api::View object, const Admission& admission) {
  const auto found = TRY(policy_for(admission));
  if (!found) return {};
  const pod_security::Policy& policy = found->policy;
  const bool silent = policy.audit.level == pod_security::Level::kPrivileged &&
                      policy.warn.level == pod_security::Level::kPrivileged;
  if (found->errors.empty() && silent) return {};
  const api::View pod = object.at(pod_security::template_of(admission)->path);
  if (!pod || has_exempt_runtime_class(pod["spec"], admission)) return {};
  report(*found, admission);
  pod_security::Findings findings({pod["metadata"], pod["spec"]});
  audit(findings, policy, object, admission);
  warn(findings, policy, admission);
  return {};
}

Result<void> PodSecurity::validate_namespace(api::View object, const Admission& admission) const {
  api::FieldErrors errors;
  const pod_security::Policy policy =
      pod_security::policy_of(object["metadata"]["labels"], configuration_.defaults, errors);
  api::FieldErrors old_errors;
  const pod_security::Policy old = pod_security::policy_of(admission.old["metadata"]["labels"],
                                                           configuration_.defaults, old_errors);
  const bool is_new = admission.operation == Operation::kCreate;
  // Existing errors do not prevent other updates.
  if (!errors.empty() && (is_new || errors.causes() != old_errors.causes())) {
    return errors.to_status("", "Namespace", object["metadata"]["name"].text());
  }
  const bool exempt = configuration_.exemptions.has_namespace(object["metadata"]["name"].text());
  if (is_new ? exempt : pod_security::is_tightened(policy.enforce, old.enforce)) {
    review_namespace(object, policy, admission);
  }
  return {};
}

void PodSecurity::review_namespace(api::View object, const pod_security::Policy& policy,
                                   const Admission& admission) const {
  const std::string name(object["metadata"]["name"].text());
  if (configuration_.exemptions.has_namespace(name)) {
    if (policy.allows_everything() || policy.is_equivalent(configuration_.defaults)) return;
    admission.request.warn(
        "namespace \"" + name + "\" is exempt from Pod Security, and the policy (" +
        pod_security::asked_for(object["metadata"]["labels"], policy) + ") will be ignored");
    return;
  }
  const auto pods = reader_.list("", "pods", name);
  if (!pods) {
    admission.request.warn("failed to list pods while checking new PodSecurity enforce level");
    return;
  }
  for (std::string& warning : review_.warnings(name, policy.enforce, *pods)) {
    admission.request.warn(std::move(warning));
  }
}

}  // namespace proa::apiserver
