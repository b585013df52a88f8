#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The fields of a Pod that the kubelet decides by. Parts that are copied into CRI messages, files
// or the status are read as views of the document instead. Texts are views into the object.

namespace proa::kubelet::objects {

// Names and enumerations are views; texts that users choose freely are copied.
struct ContainerPort {
  int64_t host_port = 0;
  std::string_view protocol = "TCP";
  std::string_view host_ip;

  static const api::FieldTable& table();
};

struct RestartExitCodes {
  std::string_view op;
  std::vector<int64_t> values;

  bool matches(int64_t exit_code) const;
  static const api::FieldTable& table();
};

struct RestartRule {
  std::string_view action;
  std::optional<RestartExitCodes> exit_codes;

  static const api::FieldTable& table();
};

struct ResizePolicy {
  std::string_view resource;
  std::string_view restart_policy;

  static const api::FieldTable& table();
};

struct Probe {
  int64_t initial_delay_seconds = 0;
  int64_t period_seconds = 10;
  int64_t success_threshold = 1;
  int64_t failure_threshold = 3;
  std::optional<int64_t> grace_seconds;

  static const api::FieldTable& table();
};

struct Lifecycle {
  api::Presence post_start;
  api::Presence pre_stop;

  static const api::FieldTable& table();
};

// From any of the three lists.
struct Container {
  std::string_view name;
  std::vector<ContainerPort> ports;
  std::vector<ResizePolicy> resize_policies;
  std::optional<std::string_view> restart_policy;
  std::vector<RestartRule> restart_rules;
  std::optional<Probe> liveness;
  std::optional<Probe> readiness;
  std::optional<Probe> startup;
  Lifecycle lifecycle;

  // The first restart rule that matches the exit code; null if none does.
  const RestartRule* restart_rule(int64_t exit_code) const;
  // An init container that is one.
  bool is_sidecar() const { return restart_policy == "Always"; }
  static const api::FieldTable& table();
};

struct Sysctl {
  std::string name;

  static const api::FieldTable& table();
};

struct PodSecurityContext {
  std::vector<Sysctl> sysctls;
  std::string_view supplemental_groups_policy;

  static const api::FieldTable& table();
};

struct PodSystem {
  std::string_view name;

  static const api::FieldTable& table();
};

struct PodSpec {
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::vector<Container> ephemeral_containers;
  std::string_view restart_policy = "Always";
  int64_t grace_seconds = 30;
  std::optional<int64_t> active_deadline_seconds;
  std::string_view node;
  bool host_network = false;
  bool host_ipc = false;
  PodSecurityContext security;
  int64_t priority = 0;
  api::Presence readiness_gates;
  std::optional<PodSystem> system;

  static const api::FieldTable& table();
};

struct PodStatus {
  std::string_view phase;
  std::string_view address;
  api::Presence started;  // startTime

  static const api::FieldTable& table();
};

struct PodAnnotations {
  std::string hash;      // of the manifest of a static pod
  api::Presence mirror;  // of the API server's copy of a static pod

  static const api::FieldTable& table();
};

struct PodMetadata {
  std::optional<std::string_view> deleted;
  std::optional<int64_t> deletion_grace_seconds;
  PodAnnotations annotations;

  static const api::FieldTable& table();
};

struct Pod {
  PodMetadata metadata;
  PodSpec spec;
  PodStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::kubelet::objects
