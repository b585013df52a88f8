#include <map>
#include <optional>

#include "apiserver/access/admission/pods/pods.h"
#include "apiserver/objects/follower.h"

namespace proa::apiserver {
namespace priority {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "scheduling.k8s.io";
constexpr std::string_view kResource = "priorityclasses";

// The relevant fields of a PriorityClass.
struct Class {
  std::string name;
  int64_t value = 0;
  std::string preemption_policy;  // empty: not set
};

Class read(View object) {
  return {std::string(object["metadata"]["name"].text()), object["value"].integer(),
          std::string(object["preemptionPolicy"].text())};
}

class PriorityPlugin final : public AdmissionPlugin {
 public:
  explicit PriorityPlugin(const AdmissionContext& context)
      : reader_(context.store, context.schema),
        follower_(
            context.store, {reader_.prefix(kGroup, kResource)},
            [this](std::string_view key, const api::ObjectPtr& object) { note(key, object); }) {}

  bool concerns(const Admission& admission) const override {
    return (admission.operation == Operation::kCreate ||
            admission.operation == Operation::kUpdate) &&
           (is_pod(admission) || admission.is_about(kGroup, kResource));
  }

  Result<void> admit(Edit object, const Admission& admission) override {
    if (!is_pod(admission)) return {};
    const Edit spec = object.object("spec");
    if (admission.operation == Operation::kCreate) return set_priority(object, spec, admission);
    // Clients that do not know these fields omit them. Validation rejects changes.
    for (const std::string_view field : {"priority", "preemptionPolicy"})
      if (!spec.has(field)) spec.copy(field, admission.old["spec"][field]);
    return {};
  }

  Result<void> validate(View object, const Admission& admission) override {
    if (is_pod(admission) || !object["globalDefault"].flag()) return {};
    const std::optional<Class> found = default_class();
    if (!found) return {};
    if (admission.operation == Operation::kUpdate &&
        found->name == object["metadata"]["name"].text()) {
      return {};
    }
    return admission.forbidden(object, "PriorityClass " + found->name +
                                           " is already marked as default. Only one default can "
                                           "exist");
  }

 private:
  static bool is_pod(const Admission& admission) { return admission.is_about("", "pods"); }

  Result<void> set_priority(Edit pod, Edit spec, const Admission& admission) {
    const Class found = TRY(class_of(pod.view(), admission));
    if (!found.name.empty()) spec.set("priorityClassName", found.name);

    const View priority = spec["priority"];
    if (priority.exists() && priority.integer() != found.value) {
      return admission.forbidden(
          pod.view(), "the integer value of priority (" + std::to_string(priority.integer()) +
                          ") must not be provided in pod spec; priority admission controller "
                          "computed " +
                          std::to_string(found.value) + " from the given PriorityClass name");
    }
    spec.set("priority", found.value);

    if (found.preemption_policy.empty()) return {};
    const View policy = spec["preemptionPolicy"];
    if (policy.exists() && policy.text() != found.preemption_policy) {
      return admission.forbidden(
          pod.view(), "the string value of PreemptionPolicy (" + std::string(policy.text()) +
                          ") must not be provided in pod spec; priority admission controller "
                          "computed " +
                          found.preemption_policy + " from the given PriorityClass name");
    }
    spec.set("preemptionPolicy", found.preemption_policy);
    return {};
  }

  Result<Class> class_of(View pod, const Admission& admission) {
    const std::string_view name = pod["spec"]["priorityClassName"].text();
    if (name.empty()) return default_class().value_or(Class{"", 0, "PreemptLowerPriority"});
    const api::ObjectPtr object = TRY(reader_.find(kGroup, kResource, "", name));
    if (object == nullptr) {
      return admission.forbidden(pod,
                                 "no PriorityClass with name " + std::string(name) + " was found");
    }
    const json::Document document = TRY(object->document());
    return read(document.root());
  }

  // Concurrent creates can result in two defaults: the lower value applies.
  std::optional<Class> default_class() {
    return follower_.read([this]() -> std::optional<Class> {
      const Class* lowest = nullptr;
      for (const auto& [key, one] : defaults_)
        if (lowest == nullptr || one.value < lowest->value) lowest = &one;
      if (lowest == nullptr) return std::nullopt;
      return *lowest;
    });
  }

  void note(std::string_view key, const api::ObjectPtr& object) {
    defaults_.erase(std::string(key));
    if (object == nullptr) return;
    const auto document = object->document();
    if (document && View(document->root())["globalDefault"].flag())
      defaults_.emplace(key, read(document->root()));
  }

  const ObjectReader reader_;
  // Global defaults by key. Accessed only through the follower.
  std::map<std::string, Class> defaults_;
  Follower follower_;
};

}  // namespace priority

MadePlugin make_priority(const AdmissionContext& context) {
  return std::make_unique<priority::PriorityPlugin>(context);
}

}  // namespace proa::apiserver
