#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

// spec.scaleTargetRef, and the object of an object metric.
struct ObjectReference {
  std::string kind;
  std::string name;
  std::string api_version;

  static const api::FieldTable& table();
};

struct MetricTarget {
  std::string_view type;
  std::optional<api::Quantity> value;
  std::optional<api::Quantity> average_value;
  std::optional<int64_t> average_utilization;

  static const api::FieldTable& table();
};

struct MetricIdentifier {
  std::string name;
  api::RawJson selector;

  static const api::FieldTable& table();
};

struct ResourceMetric {
  std::string name;
  MetricTarget target;

  static const api::FieldTable& table();
};

struct ContainerResourceMetric {
  std::string name;
  MetricTarget target;
  std::string container;

  static const api::FieldTable& table();
};

// A metric of pods, or an external one.
struct CustomMetric {
  MetricIdentifier metric;
  MetricTarget target;

  static const api::FieldTable& table();
};

struct ObjectMetric {
  ObjectReference described_object;
  MetricTarget target;
  MetricIdentifier metric;

  static const api::FieldTable& table();
};

// One of spec.metrics: the member that `type` names is set.
struct Metric {
  std::string type;
  ObjectMetric object;
  CustomMetric pods;
  ResourceMetric resource;
  ContainerResourceMetric container_resource;
  CustomMetric external;

  static const api::FieldTable& table();
};

struct AutoscalerPolicy {
  std::string_view type;
  int64_t value = 0;
  int64_t period_seconds = 0;

  static const api::FieldTable& table();
};

struct AutoscalerRules {
  std::string_view select_policy;
  std::vector<AutoscalerPolicy> policies;
  std::optional<int64_t> stabilization_window_seconds;
  std::optional<api::Quantity> tolerance;

  static const api::FieldTable& table();
};

struct AutoscalerBehavior {
  AutoscalerRules scale_up;
  AutoscalerRules scale_down;

  static const api::FieldTable& table();
};

struct AutoscalerSpec {
  ObjectReference target;
  int64_t min_replicas = 1;
  int64_t max_replicas = 0;
  std::vector<Metric> metrics;
  std::optional<AutoscalerBehavior> behavior;

  static const api::FieldTable& table();
};

struct Autoscaler {
  AutoscalerSpec spec;

  static const api::FieldTable& table();
};

// A pod as its autoscaler sees it.

struct RequestedResources {
  std::map<std::string, api::Quantity, std::less<>> requests;

  static const api::FieldTable& table();
};

struct ScaledContainer {
  std::string name;
  RequestedResources resources;
  std::string_view restart_policy;

  static const api::FieldTable& table();
};

struct ScaledPodSpec {
  std::vector<ScaledContainer> init_containers;
  std::vector<ScaledContainer> containers;
  RequestedResources resources;

  static const api::FieldTable& table();
};

struct ScaledPodStatus {
  std::string phase;
  std::vector<StatusCondition> conditions;
  std::optional<Time> started;

  static const api::FieldTable& table();
};

struct ScaledPod {
  ScaledPodSpec spec;
  ScaledPodStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
