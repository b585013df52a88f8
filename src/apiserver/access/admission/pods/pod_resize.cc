#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "apiserver/access/admission/pods/pods.h"
#include "base/strings.h"
#include "kinds/core/resources/resources.h"

namespace proa::apiserver {
namespace pod_resize {

using api::Quantity;
using api::View;
using kinds::pods::Amounts;

Quantity amount_of(const Amounts& amounts, std::string_view resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? Quantity() : found->second;
}

// The request as the scheduler counts it.
Quantity requested(View spec, std::string_view resource) {
  Quantity sum =
      amount_of(kinds::pods::sum_of_containers(spec, kinds::pods::Bound::kRequests), resource);
  const Amounts whole = kinds::pods::read_amounts(spec["resources"]["requests"]);
  if (whole.contains(resource)) sum = amount_of(whole, resource);
  return sum + amount_of(kinds::pods::read_amounts(spec["overhead"]), resource);
}

// Empty if it fits.
std::string room_problem(View spec, View node) {
  const Amounts allocatable = kinds::pods::read_amounts(node["status"]["allocatable"]);
  std::vector<std::string> missing;
  const auto check = [&](std::string_view resource, int64_t (Quantity::*number)() const) {
    const Quantity wanted = requested(spec, resource);
    const Quantity there = amount_of(allocatable, resource);
    if (wanted <= there) return;
    missing.push_back(fmt::format("{}, requested: {}, allocatable: {}", resource,
                                  (wanted.*number)(), (there.*number)()));
  };
  check("cpu", &Quantity::milli_value);
  check("memory", &Quantity::value);
  if (missing.empty()) return "";
  return "node didn't have enough allocatable resources: " + join(missing, "; ");
}

std::string platform_problem(View node) {
  const View system = node["metadata"]["labels"]["kubernetes.io/os"];
  if (!system.exists() || system.text() == "linux") return "";
  return fmt::format("pod resize is only supported on linux nodes, node {} is {}",
                     api::quoted(node["metadata"]["name"].text()), api::quoted(system.text()));
}

class PodResizeValidator final : public AdmissionPlugin {
 public:
  explicit PodResizeValidator(const AdmissionContext& context)
      : reader_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kUpdate && admission.is_about("", "pods", "resize");
  }

  Result<void> validate(View pod, const Admission& admission) override {
    const View spec = pod["spec"];
    const std::string name(spec["nodeName"].text());
    if (name.empty() || spec == admission.old["spec"]) return {};
    const api::ObjectPtr object = TRY(reader_.find("", "nodes", "", name));
    if (object == nullptr)
      return admission.forbidden(pod, "node " + api::quoted(name) + " not found");
    const json::Document node = TRY(object->document());
    std::string problem = platform_problem(node.root());
    if (!problem.empty()) return refusal(pod, problem, "UnsupportedPlatform", admission);
    problem = room_problem(spec, node.root());
    if (!problem.empty()) return refusal(pod, problem, "NodeCapacity", admission);
    return {};
  }

 private:
  static Status refusal(View pod, const std::string& problem, const std::string& cause,
                        const Admission& admission) {
    const Status status = admission.forbidden(pod, problem);
    StatusDetails details = status.details();
    details.causes.push_back({.reason = cause, .message = "", .field = ""});
    return status.with_details(std::move(details));
  }

  const ObjectReader reader_;
};

}  // namespace pod_resize

MadePlugin make_pod_resize_validator(const AdmissionContext& context) {
  return std::make_unique<pod_resize::PodResizeValidator>(context);
}

}  // namespace proa::apiserver
