#include "testkit/scheduler/builders.h"

namespace proa::testkit {
namespace builders {

constexpr std::string_view kContainers = R"([{"name":"c1","image":"registry.example/some-app:1"}])";

}  // namespace builders

NodeBuilder& NodeBuilder::taint(std::string_view key, std::string_view value,
                                std::string_view effect) {
  const api::Edit taint = draft_.array_at("spec.taints").push_object();
  taint.set("key", key);
  if (!value.empty()) taint.set("value", value);
  taint.set("effect", effect);
  return *this;
}

NodeBuilder& NodeBuilder::images(const Names& names, int64_t size) {
  const api::Edit image = draft_.array_at("status.images").push_object();
  image.set("sizeBytes", size);
  const api::Edit list = image.array("names");
  for (const std::string& name : names) list.push(json::Value::string(image.arena(), name));
  return *this;
}

NodeBuilder& NodeBuilder::features(const Names& names) {
  for (const std::string& name : names) draft_.push_text("status.declaredFeatures", name);
  return *this;
}

ServiceBuilder::ServiceBuilder(std::string_view name)
    : NamespacedBuilder(Draft("v1", "Service", name, "default")) {
  json("spec.ports", R"([{"port":80}])");
}

ReplicationControllerBuilder::ReplicationControllerBuilder(std::string_view name)
    : NamespacedBuilder(Draft("v1", "ReplicationController", name, "default")) {
  json("spec.template.spec.containers", builders::kContainers);
}

ReplicationControllerBuilder& ReplicationControllerBuilder::selector(const Pairs& labels) {
  pairs("spec.selector", labels);
  return pairs("spec.template.metadata.labels", labels);
}

SetBuilder::SetBuilder(std::string_view kind, std::string_view name)
    : NamespacedBuilder(Draft("apps/v1", kind, name, "default")) {
  json("spec.template.spec.containers", builders::kContainers);
  if (kind == "StatefulSet") text("spec.serviceName", name);
}

SetBuilder& SetBuilder::selector(const Pairs& labels) {
  pairs("spec.selector.matchLabels", labels);
  return pairs("spec.template.metadata.labels", labels);
}

}  // namespace proa::testkit
