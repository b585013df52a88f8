#pragma once

#include "testkit/scheduler/draft.h"

namespace proa::testkit {

// A pod with one container, for default-scheduler. Running if it has a node, otherwise pending,
// unless phase() is called.
class PodBuilder : public NamespacedBuilder<PodBuilder> {
 public:
  explicit PodBuilder(std::string_view name);

  PodBuilder& node(std::string_view name) { return text("spec.nodeName", name); }
  PodBuilder& nominated(std::string_view node) { return text("status.nominatedNodeName", node); }
  PodBuilder& phase(std::string_view phase) { return text("status.phase", phase); }
  PodBuilder& started(std::string_view time) { return text("status.startTime", time); }
  PodBuilder& scheduler_name(std::string_view name) { return text("spec.schedulerName", name); }
  PodBuilder& gate(std::string_view name);
  PodBuilder& priority(int64_t priority) { return number("spec.priority", priority); }
  PodBuilder& never_preempts() { return text("spec.preemptionPolicy", "Never"); }
  PodBuilder& grace(int64_t seconds) {
    return number("spec.terminationGracePeriodSeconds", seconds);
  }
  PodBuilder& host_network() { return json("spec.hostNetwork", "true"); }

  // These apply to the last container; container() adds another.
  PodBuilder& container();
  PodBuilder& request(const Pairs& amounts) { return in_container("resources.requests", amounts); }
  PodBuilder& limit(const Pairs& amounts) { return in_container("resources.limits", amounts); }
  PodBuilder& image(std::string_view name);
  PodBuilder& host_port(int port, std::string_view protocol = "TCP", std::string_view ip = {});
  // Each adds an init container.
  PodBuilder& init_request(const Pairs& amounts, std::string_view image = {});
  PodBuilder& sidecar_request(const Pairs& amounts, std::string_view image = {});
  PodBuilder& overhead(const Pairs& amounts) { return pairs("spec.overhead", amounts); }
  // Pod-level resources.
  PodBuilder& pod_request(const Pairs& amounts) {
    return pairs("spec.resources.requests", amounts);
  }
  PodBuilder& pod_limit(const Pairs& amounts) { return pairs("spec.resources.limits", amounts); }

  PodBuilder& node_selector(const Pairs& labels) { return pairs("spec.nodeSelector", labels); }
  PodBuilder& tolerate(std::string_view key, std::string_view op, std::string_view value = {},
                       std::string_view effect = {});
  // Adds a term with one expression: terms are alternatives.
  PodBuilder& node_affinity(std::string_view key, std::string_view op, const Names& values = {});
  PodBuilder& node_name_affinity(std::string_view op, const Names& names);
  PodBuilder& prefer_node(int weight, std::string_view key, std::string_view op,
                          const Names& values = {});
  // Selects pods with these labels, in this pod's namespace.
  PodBuilder& pod_affinity(std::string_view topology_key, const Pairs& labels);
  PodBuilder& pod_anti_affinity(std::string_view topology_key, const Pairs& labels);
  PodBuilder& prefer_pod_affinity(int weight, std::string_view topology_key, const Pairs& labels);
  PodBuilder& prefer_pod_anti_affinity(int weight, std::string_view topology_key,
                                       const Pairs& labels);
  PodBuilder& spread(int max_skew, std::string_view topology_key, std::string_view when,
                     const Pairs& labels);

  PodBuilder& claim(std::string_view name);
  // A volume as raw JSON; its name is optional.
  PodBuilder& volume_json(std::string_view raw);
  // All of spec.affinity; one more of spec.topologySpreadConstraints, spec.tolerations.
  PodBuilder& affinity_json(std::string_view raw) { return json("spec.affinity", raw); }
  PodBuilder& spread_json(std::string_view raw);
  PodBuilder& toleration_json(std::string_view raw);
  PodBuilder& spec_json(std::string_view path, std::string_view raw);
  PodBuilder& status_json(std::string_view path, std::string_view raw);

  api::ObjectPtr object() const;

 private:
  std::string container_path(std::string_view field) const;
  PodBuilder& in_container(std::string_view field, const Pairs& amounts);
  PodBuilder& add_init(const Pairs& amounts, std::string_view image, bool restarts);
};

inline PodBuilder make_pod(std::string_view name) { return PodBuilder(name); }

}  // namespace proa::testkit
