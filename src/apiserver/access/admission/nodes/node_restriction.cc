#include "apiserver/access/admission/nodes/node_restriction.h"

#include "apiserver/access/admission/nodes/restrictions.h"
#include "apiserver/access/authz/node/node_user.h"

namespace proa::apiserver {
namespace node_restriction {

struct Entry {
  std::string_view group;
  std::string_view resource;
  Result<void> (*restrict)(const NodeChange& change);
};

// To add one: a function in restrictions.h, and a line here.
constexpr Entry kEntries[] = {
    {"", "pods", restrict_pod},
    {"", "nodes", restrict_node},
    {"", "persistentvolumeclaims", restrict_claim},
    {"", "persistentvolumes", restrict_volume},
    {"", "serviceaccounts", restrict_service_account},
    {"coordination.k8s.io", "leases", restrict_lease},
    {"storage.k8s.io", "csinodes", restrict_csi_node},
    {"resource.k8s.io", "resourceslices", restrict_slice},
    {"certificates.k8s.io", "certificatesigningrequests", restrict_certificate_request},
};

class NodeRestriction final : public AdmissionPlugin {
 public:
  explicit NodeRestriction(const AdmissionContext& context)
      : objects_(context.store, context.schema),
        authorizer_(context.authorizer),
        pod_ranges_(context.pod_ranges.begin(), context.pod_ranges.end()) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation != Operation::kConnect && node_of(*admission.request.user);
  }

  // Checks the object as the node sent it, before other plugins change it.
  Result<void> admit(api::Edit object, const Admission& admission) override {
    return check(object.view(), admission);
  }

  Result<void> validate(api::View object, const Admission& admission) override {
    if (admission.operation != Operation::kDelete) return {};
    return check(object, admission);
  }

 private:
  Result<void> check(api::View object, const Admission& admission) {
    const User& user = *admission.request.user;
    const std::string_view node = node_of(user).value_or("");
    if (node.empty()) {
      return admission.forbidden(object,
                                 "could not determine node from user " + api::quoted(user.name));
    }
    const api::Resource& resource = *admission.request.resource;
    for (const Entry& entry : kEntries) {
      if (entry.group != resource.group || entry.resource != resource.name) continue;
      return entry.restrict({.node = node,
                             .admission = admission,
                             .object = object,
                             .objects = objects_,
                             .authorizer = authorizer_,
                             .pod_ranges = pod_ranges_});
    }
    return {};
  }

  const ObjectReader objects_;
  Authorizer& authorizer_;
  const std::vector<IpPrefix> pod_ranges_;
};

}  // namespace node_restriction

std::unique_ptr<AdmissionPlugin> make_node_restriction(const AdmissionContext& context) {
  return std::make_unique<node_restriction::NodeRestriction>(context);
}

}  // namespace proa::apiserver
