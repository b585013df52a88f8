#include "apiserver/access/admission/pods/pods.h"

namespace proa::apiserver {
namespace default_toleration_seconds {

using api::Edit;
using api::View;

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNoExecute = "NoExecute";

// Whether the pod already tolerates the taint.
bool mentions(View tolerations, std::string_view taint) {
  for (const View toleration : tolerations.items()) {
    const std::string_view key = toleration["key"].text();
    const std::string_view effect = toleration["effect"].text();
    if ((key.empty() || key == taint) && (effect.empty() || effect == kNoExecute)) return true;
  }
  return false;
}

void add(Edit spec, std::string_view taint, int64_t seconds) {
  if (mentions(spec["tolerations"], taint)) return;
  const Edit toleration = spec.array("tolerations").push_object();
  toleration.set("key", taint);
  toleration.set("operator", "Exists");
  toleration.set("effect", kNoExecute);
  toleration.set("tolerationSeconds", seconds);
}

class DefaultTolerationSeconds final : public AdmissionPlugin {
 public:
  explicit DefaultTolerationSeconds(const TolerationSeconds& seconds) : seconds_(seconds) {}

  bool concerns(const Admission& admission) const override {
    return admission.is_about("", "pods") &&
           (admission.operation == Operation::kCreate || admission.operation == Operation::kUpdate);
  }

  Result<void> admit(Edit pod, const Admission& admission) override {
    (void)admission;
    const Edit spec = pod.object("spec");
    add(spec, kNotReady, seconds_.not_ready);
    add(spec, kUnreachable, seconds_.unreachable);
    return {};
  }

 private:
  const TolerationSeconds seconds_;
};

}  // namespace default_toleration_seconds

MadePlugin make_default_toleration_seconds(const TolerationSeconds& seconds) {
  return std::make_unique<default_toleration_seconds::DefaultTolerationSeconds>(seconds);
}

MadePlugin make_default_toleration_seconds(const AdmissionContext& context) {
  (void)context;
  return make_default_toleration_seconds(TolerationSeconds());
}

}  // namespace proa::apiserver
