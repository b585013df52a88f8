#include "kinds/workloads/table.h"

#include "kinds/workloads/apps/apps.h"
#include "kinds/workloads/autoscaling/autoscaling.h"
#include "kinds/workloads/batch/batch.h"
#include "kinds/workloads/pod_disruption_budget.h"
#include "kinds/workloads/priority_class.h"

namespace proa::kinds {

std::span<const KindRules> workloads_rules() {
  static const KindRules kRules[] = {
      controller_revision_rules(),
      daemon_set_rules(),
      deployment_rules(),
      replica_set_rules(),
      stateful_set_rules(),
      job_rules(),
      cron_job_rules(),
      horizontal_pod_autoscaler_rules(),
      horizontal_pod_autoscaler_v1_rules(),
      scale_rules(),
      pod_disruption_budget_rules(),
      priority_class_rules(),
  };
  return kRules;
}

std::span<const TypeDefaults> workloads_type_defaults() {
  static constexpr TypeDefaults kDefaults[] = {
      {"apps/v1/DaemonSetUpdateStrategy", default_daemon_set_strategy},
      {"apps/v1/DeploymentStrategy", default_deployment_strategy},
      {"apps/v1/StatefulSetSpec", default_stateful_set_spec},
      {"apps/v1/StatefulSetUpdateStrategy", default_stateful_set_strategy},
      {"batch/v1/Job", default_job},
      {"autoscaling/v2/HorizontalPodAutoscalerBehavior", default_autoscaler_behavior},
  };
  return kDefaults;
}

}  // namespace proa::kinds
