#include <set>

#include "api/validation/field_errors.h"
#include "apiserver/access/admission/pods/aggregate.h"
#include "apiserver/access/admission/pods/pod_parts.h"
#include "apiserver/access/admission/pods/pods.h"

namespace proa::apiserver {
namespace always_pull_images {

using api::Edit;
using api::Path;
using api::View;

constexpr std::string_view kAlways = "Always";

std::set<std::string_view> images(View pod) {
  std::set<std::string_view> images;
  for (const std::string_view list : kContainerLists) {
    for (const View container : pod["spec"][list].items()) images.insert(container["image"].text());
  }
  return images;
}

void check(View owner, std::string_view field, const Path& path, api::FieldErrors& errors) {
  const std::string_view policy = owner[field].text();
  if (policy != kAlways) errors.not_supported(path.field(field), policy, {kAlways});
}

class AlwaysPullImages final : public AdmissionPlugin {
 public:
  bool concerns(const Admission& admission) const override {
    return admission.is_about("", "pods") &&
           (admission.operation == Operation::kCreate || admission.operation == Operation::kUpdate);
  }

  Result<void> admit(Edit pod, const Admission& admission) override {
    if (brings_no_image(pod.view(), admission)) return {};
    const Edit spec = pod.object("spec");
    for (const std::string_view list : kContainerLists)
      each_object(spec, list, [](Edit container) { container.set("imagePullPolicy", kAlways); });
    each_object(spec, "volumes", [](Edit volume) {
      if (volume["image"].is(json::Kind::kObject))
        volume.existing("image").set("pullPolicy", kAlways);
    });
    return {};
  }

  Result<void> validate(View pod, const Admission& admission) override {
    if (brings_no_image(pod, admission)) return {};
    api::FieldErrors errors;
    const Path path("spec");
    for (const std::string_view list : kContainerLists) {
      const Path containers = path.field(list);
      size_t index = 0;
      for (const View container : pod["spec"][list].items())
        check(container, "imagePullPolicy", containers.index(index++), errors);
    }
    const Path volumes = path.field("volumes");
    size_t index = 0;
    for (const View volume : pod["spec"]["volumes"].items()) {
      const Path at = volumes.index(index++);
      if (volume["image"].exists()) check(volume["image"], "pullPolicy", at.field("image"), errors);
    }
    return refusal(pod, errors, admission);
  }

 private:
  // Existing pods keep their pull policies.
  static bool brings_no_image(View pod, const Admission& admission) {
    if (admission.operation != Operation::kUpdate) return false;
    const std::set<std::string_view> old = images(admission.old);
    for (const std::string_view image : images(pod))
      if (!old.contains(image)) return false;
    return true;
  }

  // Upstream's Validate answers with this message and 500, by mistake: its aggregate error is not a
  // Status.
  static Result<void> refusal(View pod, const api::FieldErrors& errors,
                              const Admission& admission) {
    if (errors.empty()) return {};
    std::vector<std::string> texts;
    for (const std::string& text : errors.texts())
      texts.push_back(admission.forbidden(pod, text).message());
    return Status(Reason::kForbidden, aggregate_text(texts))
        .with_details(admission.forbidden(pod, "").details());
  }
};

}  // namespace always_pull_images

MadePlugin make_always_pull_images(const AdmissionContext& context) {
  (void)context;
  return std::make_unique<always_pull_images::AlwaysPullImages>();
}

}  // namespace proa::apiserver
