#include "testkit/scheduler/pod_builder.h"

namespace proa::testkit {
namespace pod_builder {

using api::Edit;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void set_labels(Edit selector, const Pairs& labels) {
  const Edit match = selector.object("matchLabels");
  for (const auto& [name, value] : labels) match.set(name, value);
}

void fill_expression(Edit expression, std::string_view key, std::string_view op,
                     const Names& values) {
  expression.set("key", key);
  expression.set("operator", op);
  if (values.empty()) return;
  const Edit list = expression.array("values");
  for (const std::string& value : values) list.push(json::Value::string(expression.arena(), value));
}

void fill_pod_term(Edit term, std::string_view topology_key, const Pairs& labels) {
  term.set("topologyKey", topology_key);
  set_labels(term.object("labelSelector"), labels);
}

std::string affinity_path(std::string_view kind, std::string_view strength) {
  return std::string("spec.affinity.").append(kind).append(".").append(strength);
}

void require_pods(Draft& draft, std::string_view kind, std::string_view topology_key,
                  const Pairs& labels) {
  const Edit terms = draft.array_at(affinity_path(kind, kRequired));
  fill_pod_term(terms.push_object(), topology_key, labels);
}

void prefer_pods(Draft& draft, std::string_view kind, int weight, std::string_view topology_key,
                 const Pairs& labels) {
  const Edit preference = draft.array_at(affinity_path(kind, kPreferred)).push_object();
  preference.set("weight", weight);
  fill_pod_term(preference.object("podAffinityTerm"), topology_key, labels);
}

}  // namespace pod_builder

PodBuilder::PodBuilder(std::string_view name)
    : NamespacedBuilder(Draft("v1", "Pod", name, "default")) {
  container();
}

PodBuilder& PodBuilder::gate(std::string_view name) {
  draft_.array_at("spec.schedulingGates").push_object().set("name", name);
  return *this;
}

PodBuilder& PodBuilder::container() {
  const api::Edit containers = draft_.array_at("spec.containers");
  const std::string name = "c" + std::to_string(containers.size() + 1);
  const api::Edit container = containers.push_object();
  container.set("name", name);
  container.set("image", "registry.example/some-app:1");
  return *this;
}

std::string PodBuilder::container_path(std::string_view field) const {
  const size_t last = draft_.view("spec.containers").size() - 1;
  return std::string("spec.containers.") + std::to_string(last) + "." + std::string(field);
}

PodBuilder& PodBuilder::in_container(std::string_view field, const Pairs& amounts) {
  return pairs(container_path(field), amounts);
}

PodBuilder& PodBuilder::image(std::string_view name) { return text(container_path("image"), name); }

PodBuilder& PodBuilder::host_port(int port, std::string_view protocol, std::string_view ip) {
  const api::Edit made = draft_.array_at(container_path("ports")).push_object();
  made.set("containerPort", port);
  made.set("hostPort", port);
  made.set("protocol", protocol);
  if (!ip.empty()) made.set("hostIP", ip);
  return *this;
}

PodBuilder& PodBuilder::add_init(const Pairs& amounts, std::string_view image, bool restarts) {
  const api::Edit containers = draft_.array_at("spec.initContainers");
  const size_t index = containers.size();
  const api::Edit container = containers.push_object();
  container.set("name", "i" + std::to_string(index + 1));
  container.set("image", image.empty() ? "registry.example/some-init:1" : image);
  if (restarts) container.set("restartPolicy", "Always");
  if (amounts.empty()) return *this;
  return pairs("spec.initContainers." + std::to_string(index) + ".resources.requests", amounts);
}

PodBuilder& PodBuilder::init_request(const Pairs& amounts, std::string_view image) {
  return add_init(amounts, image, false);
}

PodBuilder& PodBuilder::sidecar_request(const Pairs& amounts, std::string_view image) {
  return add_init(amounts, image, true);
}

PodBuilder& PodBuilder::tolerate(std::string_view key, std::string_view op, std::string_view value,
                                 std::string_view effect) {
  const api::Edit toleration = draft_.array_at("spec.tolerations").push_object();
  if (!key.empty()) toleration.set("key", key);
  if (!op.empty()) toleration.set("operator", op);
  if (!value.empty()) toleration.set("value", value);
  if (!effect.empty()) toleration.set("effect", effect);
  return *this;
}

PodBuilder& PodBuilder::node_affinity(std::string_view key, std::string_view op,
                                      const Names& values) {
  const std::string path = pod_builder::affinity_path("nodeAffinity", pod_builder::kRequired);
  const api::Edit term = draft_.array_at(path + ".nodeSelectorTerms").push_object();
  pod_builder::fill_expression(term.array("matchExpressions").push_object(), key, op, values);
  return *this;
}

PodBuilder& PodBuilder::node_name_affinity(std::string_view op, const Names& names) {
  const std::string path = pod_builder::affinity_path("nodeAffinity", pod_builder::kRequired);
  const api::Edit term = draft_.array_at(path + ".nodeSelectorTerms").push_object();
  pod_builder::fill_expression(term.array("matchFields").push_object(), "metadata.name", op, names);
  return *this;
}

PodBuilder& PodBuilder::prefer_node(int weight, std::string_view key, std::string_view op,
                                    const Names& values) {
  const std::string path = pod_builder::affinity_path("nodeAffinity", pod_builder::kPreferred);
  const api::Edit preference = draft_.array_at(path).push_object();
  preference.set("weight", weight);
  const api::Edit expressions = preference.object("preference").array("matchExpressions");
  pod_builder::fill_expression(expressions.push_object(), key, op, values);
  return *this;
}

PodBuilder& PodBuilder::pod_affinity(std::string_view topology_key, const Pairs& labels) {
  pod_builder::require_pods(draft_, "podAffinity", topology_key, labels);
  return *this;
}

PodBuilder& PodBuilder::pod_anti_affinity(std::string_view topology_key, const Pairs& labels) {
  pod_builder::require_pods(draft_, "podAntiAffinity", topology_key, labels);
  return *this;
}

PodBuilder& PodBuilder::prefer_pod_affinity(int weight, std::string_view topology_key,
                                            const Pairs& labels) {
  pod_builder::prefer_pods(draft_, "podAffinity", weight, topology_key, labels);
  return *this;
}

PodBuilder& PodBuilder::prefer_pod_anti_affinity(int weight, std::string_view topology_key,
                                                 const Pairs& labels) {
  pod_builder::prefer_pods(draft_, "podAntiAffinity", weight, topology_key, labels);
  return *this;
}

PodBuilder& PodBuilder::spread(int max_skew, std::string_view topology_key, std::string_view when,
                               const Pairs& labels) {
  const api::Edit made = draft_.array_at("spec.topologySpreadConstraints").push_object();
  made.set("maxSkew", max_skew);
  made.set("topologyKey", topology_key);
  made.set("whenUnsatisfiable", when);
  pod_builder::set_labels(made.object("labelSelector"), labels);
  return *this;
}

PodBuilder& PodBuilder::claim(std::string_view name) {
  volume_json("{}");
  const size_t last = draft_.view("spec.volumes").size() - 1;
  return text("spec.volumes." + std::to_string(last) + ".persistentVolumeClaim.claimName", name);
}

PodBuilder& PodBuilder::volume_json(std::string_view raw) {
  draft_.push_json("spec.volumes", raw);
  const size_t last = draft_.view("spec.volumes").size() - 1;
  draft_.object_at("spec.volumes." + std::to_string(last))
      .set_default("name", "v" + std::to_string(last + 1));
  return *this;
}

PodBuilder& PodBuilder::spread_json(std::string_view raw) {
  draft_.push_json("spec.topologySpreadConstraints", raw);
  return *this;
}

PodBuilder& PodBuilder::toleration_json(std::string_view raw) {
  draft_.push_json("spec.tolerations", raw);
  return *this;
}

PodBuilder& PodBuilder::spec_json(std::string_view path, std::string_view raw) {
  return json(std::string("spec.").append(path), raw);
}

PodBuilder& PodBuilder::status_json(std::string_view path, std::string_view raw) {
  return json(std::string("status.").append(path), raw);
}

api::ObjectPtr PodBuilder::object() const {
  Draft draft = draft_;
  // Set by admission.
  const api::Edit spec = draft.object_at("spec");
  spec.set_default("priority", 0);
  spec.set_default("preemptionPolicy", std::string_view("PreemptLowerPriority"));
  if (spec.has("nodeName"))
    draft.object_at("status").set_default("phase", std::string_view("Running"));
  return draft.object();
}

}  // namespace proa::testkit
