#include "kinds/core/pods/pod_spec.h"

#include <limits>

#include "api/validation/metadata.h"
#include "kinds/core/pods/containers/containers.h"
#include "kinds/core/pods/containers/environment.h"
#include "kinds/core/pods/containers/requirements.h"
#include "kinds/core/pods/spec/affinity.h"
#include "kinds/core/pods/spec/context.h"
#include "kinds/core/pods/spec/network.h"
#include "kinds/core/pods/spec/scheduling.h"
#include "kinds/core/pods/spec/security.h"
#include "kinds/core/pods/spec/windows.h"
#include "kinds/core/pods/volumes/volumes.h"

namespace proa::kinds::pods {

namespace spec {

// Names of other objects, each with the name check of its kind.
void check_names(View pod_spec, const Path& path, FieldErrors& errors) {
  for (const std::string_view name : {"serviceAccountName", "nodeName", "priorityClassName"}) {
    if (!pod_spec[name].text().empty())
      check_text(pod_spec[name], api::check_dns1123_subdomain, path.field(name), errors);
  }
  if (const View name = pod_spec["runtimeClassName"]; name.exists())
    check_text(name, api::check_dns1123_subdomain, path.field("runtimeClassName"), errors);
}

// A token needs a service account.
void check_token_projections(View pod_spec, const Path& path, FieldErrors& errors) {
  if (!pod_spec["serviceAccountName"].text().empty()) return;
  each(pod_spec["volumes"], path.field("volumes"), [&](View volume, const Path& at) {
    each(volume["projected"]["sources"], at.field("projected.sources"),
         [&](View source, const Path& item) {
           if (source["serviceAccountToken"].exists()) {
             errors.forbidden(item.field("serviceAccountToken"),
                              "must not be specified when serviceAccountName is not set");
           }
         });
  });
}

void check_scheduling(View pod_spec, const Path& path, FieldErrors& errors) {
  api::validate_labels(pod_spec["nodeSelector"], path.field("nodeSelector"), errors);
  validate_affinity(pod_spec["affinity"], path.field("affinity"), errors);
  validate_readiness_gates(pod_spec["readinessGates"], path.field("readinessGates"), errors);
  validate_scheduling_gates(pod_spec["schedulingGates"], path.field("schedulingGates"), errors);
  validate_topology_spread(pod_spec["topologySpreadConstraints"],
                           path.field("topologySpreadConstraints"), errors);
  validate_tolerations(pod_spec["tolerations"], path.field("tolerations"), errors);
  if (const View policy = pod_spec["preemptionPolicy"]; policy.exists()) {
    require_one_of(policy, {"PreemptLowerPriority", "Never"}, path.field("preemptionPolicy"),
                   errors);
  }
}

}  // namespace spec

void validate_pod_spec(View pod_spec, View metadata, const Path& path, FieldErrors& errors) {
  PodContext pod{.spec = pod_spec, .metadata = metadata};
  for (const View claim : pod_spec["resourceClaims"].items())
    if (!claim["name"].text().empty()) pod.claims.insert(claim["name"].text());

  if (!pod_spec["terminationGracePeriodSeconds"].exists())
    errors.required(path.field("terminationGracePeriodSeconds"));
  validate_volumes(pod, path.field("volumes"), errors);
  const bool is_mirror = metadata["annotations"]["kubernetes.io/config.mirror"].exists();
  validate_resource_claims(pod_spec["resourceClaims"], is_mirror, path.field("resourceClaims"),
                           errors);
  validate_containers(pod, path, errors);
  validate_pod_level_resources(pod_spec, pod.claims, path.field("resources"), errors);
  validate_network(pod, path, errors);
  require_one_of(pod_spec["restartPolicy"], {"Always", "OnFailure", "Never"},
                 path.field("restartPolicy"), errors);
  validate_pod_security(pod_spec, path.field("securityContext"), errors);
  spec::check_scheduling(pod_spec, path, errors);
  validate_host_processes(pod_spec, path, errors);
  validate_host_users(pod_spec, path, errors);
  spec::check_names(pod_spec, path, errors);
  if (const View deadline = pod_spec["activeDeadlineSeconds"]; deadline.exists()) {
    check_range(deadline, 1, std::numeric_limits<int32_t>::max(),
                path.field("activeDeadlineSeconds"), errors);
  }
  validate_overhead(pod_spec["overhead"], path.field("overhead"), errors);
  validate_operating_system(pod_spec, path, errors);
  validate_environment_files(pod_spec, path, errors);
  if (pod.is_pod()) spec::check_token_projections(pod_spec, path, errors);
}

}  // namespace proa::kinds::pods
