#include "api/validation/field_errors.h"
#include "apiserver/access/admission/pods/placement/tolerations.h"
#include "apiserver/access/admission/pods/pods.h"
#include "base/strings.h"
#include "json/parse.h"
#include "kinds/core/pods/spec/scheduling.h"
#include "kinds/core/resources/resources.h"

namespace proa::apiserver {
namespace pod_toleration_restriction {

using api::Edit;
using api::View;

constexpr std::string_view kDefaultAnnotation = "scheduler.alpha.kubernetes.io/defaultTolerations";
constexpr std::string_view kAllowedAnnotation =
    "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

Status failure(std::string_view text) { return {Reason::kUnknown, std::string(text)}; }

constexpr std::string_view kTexts[] = {"key", "operator", "value", "effect"};
constexpr std::string_view kSeconds = "tolerationSeconds";

// Copies only the fields of a toleration, since it becomes part of pods. Names are matched without
// case, as by encoding/json.
Result<void> read_toleration(View from, Edit toleration) {
  if (from.exists() && !from.is(json::Kind::kObject)) return failure("a toleration is expected");
  for (const json::Member& member : from.members()) {
    for (const std::string_view name : kTexts) {
      if (!equals_ignoring_case(member.key, name) || member.value.is_null()) continue;
      if (!member.value.is(json::Kind::kString))
        return failure(std::string(name) + " of a toleration must be a string");
      toleration.copy(name, member.value);
    }
    if (!equals_ignoring_case(member.key, kSeconds) || member.value.is_null()) continue;
    if (!member.value.is(json::Kind::kInt))
      return failure(std::string(kSeconds) + " of a toleration must be a number");
    toleration.copy(kSeconds, member.value);
  }
  return {};
}

// An absent list is empty.
Result<json::Document> read_tolerations(View list) {
  if (list.exists() && !list.is(json::Kind::kArray))
    return failure("a list of tolerations is expected");
  json::Document document(json::Arena(), json::Value::array());
  for (const View item : list.items()) TRY(read_toleration(item, Edit(document).push_object()));
  return document;
}

Result<json::Document> read_annotation(std::string_view annotation, std::string_view text) {
  const Result<json::Document> parsed = text.empty() ? json::Document() : json::parse(text);
  if (!parsed) return failure(parsed.status().in(annotation).message());
  auto tolerations = read_tolerations(parsed->root());
  if (!tolerations) return tolerations.status().in(annotation);
  return tolerations;
}

// Applies to namespaces without annotations.
struct Configuration {
  json::Document added;
  json::Document allowed;
};

Result<Configuration> read(View configuration) {
  Configuration result;
  result.added = TRY(read_tolerations(configuration["default"]));
  result.allowed = TRY(read_tolerations(configuration["whitelist"]));
  api::FieldErrors errors;
  const api::Path path("podtolerationrestriction");
  kinds::pods::validate_tolerations(result.added.root(), path.field("default"), errors);
  kinds::pods::validate_tolerations(result.allowed.root(), path.field("whitelist"), errors);
  if (errors.empty()) return result;
  return errors.to_status("podtolerationrestriction.admission.k8s.io", "Configuration", "");
}

void tolerate_memory_pressure(Edit spec) {
  json::Document document(json::Arena(), json::Value::array());
  const Edit toleration = Edit(document).push_object();
  toleration.set("key", "node.kubernetes.io/memory-pressure");
  toleration.set("operator", "Exists");
  toleration.set("effect", "NoSchedule");
  merge_tolerations(spec, document.root());
}

bool is_best_effort(View pod) {
  const std::string_view known = pod["status"]["qosClass"].text();
  return (known.empty() ? kinds::pods::quality_of_service(pod["spec"]) : known) == "BestEffort";
}

class PodTolerationRestriction final : public AdmissionPlugin {
 public:
  PodTolerationRestriction(const AdmissionContext& context, Configuration configuration)
      : reader_(context.store, context.schema), configuration_(std::move(configuration)) {}

  bool concerns(const Admission& admission) const override {
    return admission.is_about("", "pods") &&
           (admission.operation == Operation::kCreate || admission.operation == Operation::kUpdate);
  }

  Result<void> admit(Edit pod, const Admission& admission) override {
    const Edit spec = pod.object("spec");
    if (admission.operation == Operation::kCreate) {
      const json::Document name_space = TRY(namespace_of(admission));
      const View annotation = annotations(name_space)[kDefaultAnnotation];
      if (annotation.exists()) {
        const json::Document added = TRY(read_annotation(kDefaultAnnotation, annotation.text()));
        if (!View(added.root()).empty()) merge_tolerations(spec, added.root());
      } else if (!View(configuration_.added.root()).empty()) {
        merge_tolerations(spec, configuration_.added.root());
      }
    }
    if (!is_best_effort(pod.view())) tolerate_memory_pressure(spec);
    return validate(pod.view(), admission);
  }

  Result<void> validate(View pod, const Admission& admission) override {
    const View tolerations = pod["spec"]["tolerations"];
    if (tolerations.empty()) return {};
    const json::Document name_space = TRY(namespace_of(admission));
    const View annotation = annotations(name_space)[kAllowedAnnotation];
    if (!annotation.exists())
      return check(pod, configuration_.allowed.root(), "cluster", admission);
    const json::Document allowed = TRY(read_annotation(kAllowedAnnotation, annotation.text()));
    return check(pod, allowed.root(), "namespace", admission);
  }

 private:
  // An empty list allows everything. Upstream's Validate answers 500 here, by mistake.
  static Result<void> check(View pod, View allowed, std::string_view whose,
                            const Admission& admission) {
    if (allowed.empty() || are_tolerations_allowed(pod["spec"]["tolerations"], allowed)) return {};
    return admission.forbidden(
        pod,
        "pod tolerations (possibly merged with namespace default tolerations) conflict with its " +
            std::string(whose) + " whitelist");
  }

  static View annotations(const json::Document& name_space) {
    return View(name_space.root())["metadata"]["annotations"];
  }

  Result<json::Document> namespace_of(const Admission& admission) const {
    const std::string& name = admission.request.name_space;
    const api::ObjectPtr object = TRY(reader_.find("", "namespaces", "", name));
    if (object == nullptr) {
      return Status(Reason::kNotFound, "namespaces \"" + name + "\" not found")
          .with_details({.name = name, .kind = "namespaces"});
    }
    return object->document();
  }

  const ObjectReader reader_;
  const Configuration configuration_;
};

}  // namespace pod_toleration_restriction

Result<void> check_pod_toleration_restriction(api::View configuration) {
  TRY(pod_toleration_restriction::read(configuration));
  return {};
}

MadePlugin make_pod_toleration_restriction(const AdmissionContext& context) {
  auto configuration = pod_toleration_restriction::read(context.configuration);
  if (!configuration) return configuration.status().in("invalid config");
  return std::make_unique<pod_toleration_restriction::PodTolerationRestriction>(
      context, *std::move(configuration));
}

}  // namespace proa::apiserver
