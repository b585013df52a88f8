#include "controllers/workload/objects/autoscaler.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& ObjectReference::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ObjectReference::kind>("kind"),
      entry<&ObjectReference::name>("name"),
      entry<&ObjectReference::api_version>("apiVersion"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/CrossVersionObjectReference",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& MetricTarget::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&MetricTarget::type>("type"),
      entry<&MetricTarget::value>("value"),
      entry<&MetricTarget::average_value>("averageValue"),
      entry<&MetricTarget::average_utilization>("averageUtilization"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/MetricTarget",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& MetricIdentifier::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&MetricIdentifier::name>("name"),
      entry<&MetricIdentifier::selector>("selector"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/MetricIdentifier",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ResourceMetric::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ResourceMetric::name>("name"),
      entry<&ResourceMetric::target>("target"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/ResourceMetricSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerResourceMetric::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerResourceMetric::name>("name"),
      entry<&ContainerResourceMetric::target>("target"),
      entry<&ContainerResourceMetric::container>("container"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/ContainerResourceMetricSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& CustomMetric::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&CustomMetric::metric>("metric"),
      entry<&CustomMetric::target>("target"),
  };
  static constexpr api::FieldTable kTable{
      .types = "autoscaling/v2/PodsMetricSource autoscaling/v2/ExternalMetricSource",
      .entries = kEntries};
  return kTable;
}

const api::FieldTable& ObjectMetric::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ObjectMetric::described_object>("describedObject"),
      entry<&ObjectMetric::target>("target"),
      entry<&ObjectMetric::metric>("metric"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/ObjectMetricSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Metric::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Metric::type>("type"),
      entry<&Metric::object>("object"),
      entry<&Metric::pods>("pods"),
      entry<&Metric::resource>("resource"),
      entry<&Metric::container_resource>("containerResource"),
      entry<&Metric::external>("external"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/MetricSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AutoscalerPolicy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AutoscalerPolicy::type>("type"),
      entry<&AutoscalerPolicy::value>("value"),
      entry<&AutoscalerPolicy::period_seconds>("periodSeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/HPAScalingPolicy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AutoscalerRules::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AutoscalerRules::stabilization_window_seconds>("stabilizationWindowSeconds"),
      entry<&AutoscalerRules::select_policy>("selectPolicy"),
      entry<&AutoscalerRules::policies>("policies"),
      entry<&AutoscalerRules::tolerance>("tolerance"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/HPAScalingRules",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AutoscalerBehavior::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AutoscalerBehavior::scale_up>("scaleUp"),
      entry<&AutoscalerBehavior::scale_down>("scaleDown"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/HorizontalPodAutoscalerBehavior",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AutoscalerSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AutoscalerSpec::target>("scaleTargetRef"),
      entry<&AutoscalerSpec::min_replicas>("minReplicas"),
      entry<&AutoscalerSpec::max_replicas>("maxReplicas"),
      entry<&AutoscalerSpec::metrics>("metrics"),
      entry<&AutoscalerSpec::behavior>("behavior"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/HorizontalPodAutoscalerSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Autoscaler::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Autoscaler::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v2/HorizontalPodAutoscaler",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& RequestedResources::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&RequestedResources::requests>("requests"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ResourceRequirements", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ScaledContainer::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ScaledContainer::name>("name"),
      entry<&ScaledContainer::resources>("resources"),
      entry<&ScaledContainer::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ScaledPodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ScaledPodSpec::init_containers>("initContainers"),
      entry<&ScaledPodSpec::containers>("containers"),
      entry<&ScaledPodSpec::resources>("resources"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ScaledPodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ScaledPodStatus::phase>("phase"),
      entry<&ScaledPodStatus::conditions>("conditions"),
      entry<&ScaledPodStatus::started>("startTime"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ScaledPod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ScaledPod::spec>("spec"),
      entry<&ScaledPod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
