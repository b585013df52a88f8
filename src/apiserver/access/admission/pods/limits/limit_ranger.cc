#include "apiserver/access/admission/pods/limits/constraints.h"
#include "apiserver/access/admission/pods/limits/default_resources.h"
#include "apiserver/access/admission/pods/pods.h"

namespace proa::apiserver {
namespace limit_ranger {

using api::Edit;
using api::View;

class LimitRanger final : public AdmissionPlugin {
 public:
  explicit LimitRanger(const AdmissionContext& context) : reader_(context.store, context.schema) {}

  // Containers of an existing pod are immutable except for resources, by resize.
  bool concerns(const Admission& admission) const override {
    const bool creates = admission.operation == Operation::kCreate;
    const bool updates = admission.operation == Operation::kUpdate;
    return (creates && admission.is_about("", "pods")) ||
           (updates && admission.is_about("", "pods", "resize")) ||
           ((creates || updates) && admission.is_about("", "persistentvolumeclaims"));
  }

  Result<void> admit(Edit object, const Admission& admission) override {
    if (is_claim(admission) || is_being_deleted(admission)) return {};
    const std::vector<api::ObjectPtr> all = TRY(limit_ranges(admission));
    for (const api::ObjectPtr& limit_range : all) {
      const json::Document document = TRY(limit_range->document());
      set_default_resources(object, limits_of(document));
    }
    return {};
  }

  Result<void> validate(View object, const Admission& admission) override {
    if (is_being_deleted(admission)) return {};
    const auto problems_of = is_claim(admission) ? limit_problems_of_claim : limit_problems_of_pod;
    const std::vector<api::ObjectPtr> all = TRY(limit_ranges(admission));
    for (const api::ObjectPtr& limit_range : all) {
      const json::Document document = TRY(limit_range->document());
      const std::string problems = problems_of(limits_of(document), object["spec"]);
      if (!problems.empty()) return admission.forbidden(object, problems);
    }
    return {};
  }

 private:
  static bool is_claim(const Admission& admission) {
    return admission.request.resource->name == "persistentvolumeclaims";
  }
  // Objects being deleted must remain updatable.
  static bool is_being_deleted(const Admission& admission) {
    return admission.old["metadata"]["deletionTimestamp"].exists();
  }
  static View limits_of(const json::Document& limit_range) {
    return View(limit_range.root())["spec"]["limits"];
  }
  Result<std::vector<api::ObjectPtr>> limit_ranges(const Admission& admission) const {
    return reader_.list("", "limitranges", admission.request.name_space);
  }

  const ObjectReader reader_;
};

}  // namespace limit_ranger

MadePlugin make_limit_ranger(const AdmissionContext& context) {
  return std::make_unique<limit_ranger::LimitRanger>(context);
}

}  // namespace proa::apiserver
