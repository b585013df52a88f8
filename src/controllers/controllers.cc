#include "controllers/controllers.h"

#include "controllers/access/account_tokens.h"
#include "controllers/access/bootstrap_controllers.h"
#include "controllers/access/certificates/requests.h"
#include "controllers/access/legacy_token_cleaner.h"
#include "controllers/access/request_cleaner.h"
#include "controllers/access/role_aggregation.h"
#include "controllers/lifecycle/api_services/availability_controller.h"
#include "controllers/lifecycle/definitions/finalizer.h"
#include "controllers/lifecycle/definitions/registration.h"
#include "controllers/lifecycle/definitions/status_controller.h"
#include "controllers/lifecycle/garbage/garbage_collector.h"
#include "controllers/lifecycle/garbage/pod_garbage_collector.h"
#include "controllers/lifecycle/namespaces.h"
#include "controllers/lifecycle/policies/policy_status.h"
#include "controllers/lifecycle/quota/resource_quotas.h"
#include "controllers/lifecycle/service_accounts.h"
#include "controllers/network/balancers/load_balancers.h"
#include "controllers/network/dns_service.h"
#include "controllers/network/endpoints.h"
#include "controllers/network/node_ttl.h"
#include "controllers/network/slices/endpoint_slices.h"
#include "controllers/network/slices/mirroring.h"
#include "controllers/node/ipam.h"
#include "controllers/node/lifecycle.h"
#include "controllers/node/taint_eviction.h"
#include "controllers/storage/attach/attach_detach.h"
#include "controllers/storage/binder/binder.h"
#include "controllers/storage/ephemeral.h"
#include "controllers/storage/expansion.h"
#include "controllers/storage/local_path.h"
#include "controllers/storage/protection.h"
#include "controllers/workload/autoscaler/autoscaler.h"
#include "controllers/workload/cron/cron_jobs.h"
#include "controllers/workload/cron/ttl.h"
#include "controllers/workload/daemon/daemon_sets.h"
#include "controllers/workload/deployment/deployments.h"
#include "controllers/workload/disruption/budgets.h"
#include "controllers/workload/disruption/stale_targets.h"
#include "controllers/workload/job/jobs.h"
#include "controllers/workload/replicas/replica_sets.h"
#include "controllers/workload/stateful/stateful_sets.h"

namespace proa::controllers {
namespace table {

// Adding one: a unit, and a line here. Names, accounts and what Events call them are upstream's;
// the roles of the accounts are among the default ones.
constexpr ControllerEntry kControllers[] = {
    {"replicationcontroller", "replication-controller", make_replication_controller},
    {"replicaset", "replicaset-controller", make_replica_set_controller},
    {"deployment", "deployment-controller", make_deployment_controller},
    {"daemonset", "daemon-set-controller", make_daemon_set_controller, "daemonset-controller"},
    {"statefulset", "statefulset-controller", make_stateful_set_controller},
    {"job", "job-controller", make_job_controller},
    {"cronjob", "cronjob-controller", make_cron_job_controller},
    {"ttl-after-finished", "ttl-after-finished-controller", make_finished_job_cleaner},
    {"disruption", "disruption-controller", make_disruption_controller, "controllermanager"},
    {"disruption-stale-targets", "disruption-controller", make_stale_disruption_controller},
    {"horizontal-pod-autoscaler", "horizontal-pod-autoscaler", make_autoscaler},
    {"endpoints", "endpoint-controller", make_endpoints_controller},
    {"endpointslice", "endpointslice-controller", make_endpoint_slice_controller,
     "endpoint-slice-controller"},
    {"endpointslicemirroring", "endpointslicemirroring-controller",
     make_endpoint_slice_mirroring_controller, "endpoint-slice-mirroring-controller"},
    {"service", "service-controller", make_load_balancer_controller},
    {"dns-service", "dns-service-controller", make_dns_service_controller},
    {"node-lifecycle", "node-controller", make_node_lifecycle_controller},
    {"taint-eviction-controller", "node-controller", make_taint_eviction_controller,
     "taint-eviction-controller"},
    {"node-ipam", "node-controller", make_node_ipam_controller, "cidrAllocator"},
    {"ttl", "ttl-controller", make_node_ttl_controller},
    {"persistentvolume-binder", "persistent-volume-binder", make_volume_binder,
     "persistentvolume-controller"},
    {"persistentvolumeclaim-protection", "pvc-protection-controller", make_claim_protection},
    {"persistentvolume-protection", "pv-protection-controller", make_volume_protection},
    {"volumeattributesclass-protection-controller", "volumeattributesclass-protection-controller",
     make_attributes_class_protection},
    {"persistentvolume-attach-detach", "attachdetach-controller", make_attach_detach},
    {"persistentvolume-expander", "expand-controller", make_volume_expander, "volume_expand"},
    {"ephemeral-volume", "ephemeral-volume-controller", make_ephemeral_volumes, "ephemeral_volume"},
    {"local-path-provisioner", "local-path-provisioner", make_local_path_provisioner},
    {"garbage-collector", "generic-garbage-collector", make_garbage_collector,
     "garbage-collector-controller"},
    {"pod-garbage-collector", "pod-garbage-collector", make_pod_garbage_collector},
    {"namespace", "namespace-controller", make_namespace_controller},
    {"resourcequota", "resourcequota-controller", make_resource_quota_controller},
    {"serviceaccount", "service-account-controller", make_service_account_controller},
    {"serviceaccount-token", "", make_account_token_controller},  // as the manager, as upstream
    {"legacy-serviceaccount-token-cleaner", "legacy-service-account-token-cleaner",
     make_legacy_token_cleaner},
    {"root-ca-certificate-publisher", "root-ca-cert-publisher", make_root_authority_publisher},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation-controller",
     make_role_aggregator},
    {"csrapproving", "certificate-controller", make_request_approver},
    {"csrsigning", "certificate-controller", make_request_signer},
    {"csrcleaner", "certificate-controller", make_request_cleaner},
    {"validatingadmissionpolicy-status", "validatingadmissionpolicy-status-controller",
     make_policy_status_controller},
    {"bootstrapsigner", "bootstrap-signer", make_bootstrap_signer},
    {"tokencleaner", "token-cleaner", make_bootstrap_token_cleaner},
};

// Named as upstream's API server does.
constexpr ControllerEntry kOfApiServer[] = {
    {"crd-status", "custom-resource-definition-controller", make_definition_status_controller},
    {"crd-finalizer", "custom-resource-definition-controller", make_definition_finalizer},
    {"crd-autoregister", "custom-resource-definition-controller", make_definition_registration},
    {"apiservice-status-available", "apiservice-status-controller",
     make_api_service_availability_controller},
};

}  // namespace table

std::span<const ControllerEntry> all_controllers() { return table::kControllers; }
std::span<const ControllerEntry> api_server_controllers() { return table::kOfApiServer; }

}  // namespace proa::controllers
