#include "apiserver/access/admission/pods/placement/selector_labels.h"
#include "apiserver/access/admission/pods/pods.h"

namespace proa::apiserver {
namespace pod_node_selector {

using api::Edit;
using api::View;

constexpr std::string_view kAnnotation = "scheduler.alpha.kubernetes.io/node-selector";
constexpr std::string_view kClusterDefault = "clusterDefaultNodeSelector";

// Allowed labels by namespace. kClusterDefault has the selector for namespaces without the
// annotation.
using Configured = std::map<std::string, SelectorLabels, std::less<>>;

Result<Configured> read(View configuration) {
  Configured configured;
  for (const json::Member& member : configuration["podNodeSelectorPluginConfig"].members()) {
    SelectorLabels labels = TRY(parse_selector_labels(View(member.value).text()));
    configured.emplace(member.key, std::move(labels));
  }
  return configured;
}

class PodNodeSelector final : public AdmissionPlugin {
 public:
  PodNodeSelector(const AdmissionContext& context, Configured configured)
      : reader_(context.store, context.schema), configured_(std::move(configured)) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate && admission.is_about("", "pods");
  }

  Result<void> admit(Edit pod, const Admission& admission) override {
    const SelectorLabels wanted = TRY(selector_of(admission.request.name_space));
    const Edit spec = pod.object("spec");
    TRY(check_conflict(pod.view(), wanted, admission));
    if (!wanted.empty()) {
      const Edit selector = spec.object("nodeSelector");
      for (const auto& [key, value] : wanted) selector.set(key, value);
    }
    return check_allowed(pod.view(), admission);
  }

  Result<void> validate(View pod, const Admission& admission) override {
    const SelectorLabels wanted = TRY(selector_of(admission.request.name_space));
    TRY(check_conflict(pod, wanted, admission));
    return check_allowed(pod, admission);
  }

 private:
  // As upstream, omits the name while it is still to be generated.
  static Status forbidden(View pod, const std::string& why, const Admission& admission) {
    const std::string_view name = pod["metadata"]["name"].text();
    if (!name.empty()) return admission.forbidden(pod, why);
    return Status(Reason::kForbidden, "pods is forbidden: " + why)
        .with_details(admission.request.details(""));
  }

  static Result<void> check_conflict(View pod, const SelectorLabels& wanted,
                                     const Admission& admission) {
    if (!do_labels_conflict(wanted, pod["spec"]["nodeSelector"])) return {};
    return forbidden(
        pod, "pod node label selector conflicts with its namespace node label selector", admission);
  }

  Result<void> check_allowed(View pod, const Admission& admission) const {
    const auto allowed = configured_.find(admission.request.name_space);
    if (allowed == configured_.end() ||
        is_selector_within(pod["spec"]["nodeSelector"], allowed->second)) {
      return {};
    }
    return forbidden(pod, "pod node label selector labels conflict with its namespace whitelist",
                     admission);
  }

  Result<SelectorLabels> selector_of(const std::string& name_space) const {
    const api::ObjectPtr object = TRY(reader_.find("", "namespaces", "", name_space));
    if (object == nullptr) {
      return Status(Reason::kInternalError,
                    "Internal error occurred: namespace " + name_space + " does not exist");
    }
    const json::Document document = TRY(object->document());
    const View annotation = View(document.root())["metadata"]["annotations"][kAnnotation];
    if (annotation.exists()) return parse_selector_labels(annotation.text());
    const auto by_default = configured_.find(kClusterDefault);
    return by_default == configured_.end() ? SelectorLabels() : by_default->second;
  }

  const ObjectReader reader_;
  const Configured configured_;
};

}  // namespace pod_node_selector

Result<void> check_pod_node_selector(api::View configuration) {
  TRY(pod_node_selector::read(configuration));
  return {};
}

MadePlugin make_pod_node_selector(const AdmissionContext& context) {
  pod_node_selector::Configured configured = TRY(pod_node_selector::read(context.configuration));
  return std::make_unique<pod_node_selector::PodNodeSelector>(context, std::move(configured));
}

}  // namespace proa::apiserver
