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
    {"replicationcontroller-controller", "replication-controller", make_replication_controller},
    {"replicaset-controller", "replicaset-controller", make_replica_set_controller},
    {"deployment-controller", "deployment-controller", make_deployment_controller},
    {"daemonset-controller", "daemon-set-controller", make_daemon_set_controller,
     "daemonset-controller"},
    {"statefulset-controller", "statefulset-controller", make_stateful_set_controller},
    {"job-controller", "job-controller", make_job_controller},
    {"cronjob-controller", "cronjob-controller", make_cron_job_controller},
    {"ttl-after-finished-controller", "ttl-after-finished-controller", make_finished_job_cleaner},
    {"disruption-controller", "disruption-controller", make_disruption_controller,
     "controllermanager"},
    {"disruption-stale-targets", "disruption-controller", make_stale_disruption_controller, "",
     "disruption-controller"},
    {"horizontal-pod-autoscaler-controller", "horizontal-pod-autoscaler", make_autoscaler, "",
     "horizontalpodautoscaling"},
    {"endpoints-controller", "endpoint-controller", make_endpoints_controller, "", "endpoint"},
    {"endpointslice-controller", "endpointslice-controller", make_endpoint_slice_controller,
     "endpoint-slice-controller"},
    {"endpointslice-mirroring-controller", "endpointslicemirroring-controller",
     make_endpoint_slice_mirroring_controller, "endpoint-slice-mirroring-controller",
     "endpointslicemirroring"},
    {"service-lb-controller", "service-controller", make_load_balancer_controller, "", "service"},
    {"dns-service", "dns-service-controller", make_dns_service_controller},
    {"node-lifecycle-controller", "node-controller", make_node_lifecycle_controller, "",
     "nodelifecycle"},
    {"taint-eviction-controller", "node-controller", make_taint_eviction_controller,
     "taint-eviction-controller"},
    {"node-ipam-controller", "node-controller", make_node_ipam_controller, "cidrAllocator",
     "nodeipam"},
    {"ttl-controller", "ttl-controller", make_node_ttl_controller},
    {"persistentvolume-binder-controller", "persistent-volume-binder", make_volume_binder,
     "persistentvolume-controller"},
    {"persistentvolumeclaim-protection-controller", "pvc-protection-controller",
     make_claim_protection, "", "pvc-protection"},
    {"persistentvolume-protection-controller", "pv-protection-controller", make_volume_protection,
     "", "pv-protection"},
    {"volumeattributesclass-protection-controller", "volumeattributesclass-protection-controller",
     make_attributes_class_protection},
    {"persistentvolume-attach-detach-controller", "attachdetach-controller", make_attach_detach, "",
     "attachdetach"},
    {"persistentvolume-expander-controller", "expand-controller", make_volume_expander,
     "volume_expand"},
    {"ephemeral-volume-controller", "ephemeral-volume-controller", make_ephemeral_volumes,
     "ephemeral_volume"},
    {"local-path-provisioner", "local-path-provisioner", make_local_path_provisioner},
    {"garbage-collector-controller", "generic-garbage-collector", make_garbage_collector,
     "garbage-collector-controller", "garbagecollector"},
    {"pod-garbage-collector-controller", "pod-garbage-collector", make_pod_garbage_collector, "",
     "podgc"},
    {"namespace-controller", "namespace-controller", make_namespace_controller},
    {"resourcequota-controller", "resourcequota-controller", make_resource_quota_controller},
    {"serviceaccount-controller", "service-account-controller", make_service_account_controller},
    // As the manager, as upstream.
    {"serviceaccount-token-controller", "", make_account_token_controller},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner",
     make_legacy_token_cleaner, "", "legacy-service-account-token-cleaner"},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher",
     make_root_authority_publisher, "", "root-ca-cert-publisher"},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation-controller",
     make_role_aggregator},
    {"certificatesigningrequest-approving-controller", "certificate-controller",
     make_request_approver, "", "csrapproving"},
    {"certificatesigningrequest-signing-controller", "certificate-controller", make_request_signer,
     "", "csrsigning"},
    {"certificatesigningrequest-cleaner-controller", "certificate-controller", make_request_cleaner,
     "", "csrcleaner"},
    {"validatingadmissionpolicy-status-controller", "validatingadmissionpolicy-status-controller",
     make_policy_status_controller},
    {"bootstrap-signer-controller", "bootstrap-signer", make_bootstrap_signer, "",
     "bootstrapsigner"},
    {"token-cleaner-controller", "token-cleaner", make_bootstrap_token_cleaner, "", "tokencleaner"},
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
