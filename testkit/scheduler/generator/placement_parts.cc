#include <set>

#include "testkit/scheduler/generator/plot.h"

// Placement constraints that only depend on nodes.

namespace proa::testkit::generator {
namespace placement_parts {

void label_topology(const Plot&, Dice& dice, NodePlan& node) {
  if (dice.percent(85)) node.builder.zone(random_zone(dice));
  if (dice.percent(80)) node.builder.region(dice.pick({"region-1", "region-2"}));
  if (dice.percent(60)) node.builder.label("rack", dice.pick({"r1", "r2", "r3", "r4"}));
}

void taint_node(const Plot&, Dice& dice, NodePlan& node) {
  if (!dice.percent(45)) return;
  std::set<std::pair<std::string, std::string>> seen;
  for (int count = dice.between(1, 2); count > 0; --count) {
    const std::string key = dice.pick({"dedicated", "gpu", "node.kubernetes.io/not-ready"});
    const std::string effect =
        dice.pick({"NoSchedule", "PreferNoSchedule", "PreferNoSchedule", "NoExecute"});
    const std::string value = dice.pick({"", "a", "b"});
    if (seen.emplace(key, effect).second) node.builder.taint(key, value, effect);
  }
}

void tolerate_one(Dice& dice, PodBuilder& pod) {
  const std::string key = dice.pick({"dedicated", "gpu"});
  const std::string value = dice.pick({"", "a", "b"});
  const std::string effect = dice.pick({"", "NoSchedule", "PreferNoSchedule", "NoExecute"});
  switch (dice.below(7)) {
    case 0:
      pod.tolerate(key, "Equal", value, effect);
      break;
    case 1:
      pod.tolerate(key, "", value, effect);  // which means Equal
      break;
    case 2:
      pod.tolerate(key, "Exists", "", effect);
      break;
    case 3:
      pod.tolerate("", "Exists", "", effect);
      break;
    case 4:
      pod.tolerate(key, "Exists");
      break;
    default:
      pod.toleration_json(R"({"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
                          R"("effect":"NoExecute","tolerationSeconds":300})");
  }
}

void tolerate_taints(const Plot&, Dice& dice, PodPlan& pod) {
  for (int count = dice.between(0, 3); count > 0; --count) tolerate_one(dice, pod.builder);
}

void close_node(const Plot&, Dice& dice, NodePlan& node) {
  if (!dice.percent(12)) return;
  node.builder.unschedulable();
  // The node controller may not have added the taint yet.
  if (dice.percent(80)) node.builder.taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
}

void tolerate_closed(const Plot&, Dice& dice, PodPlan& pod) {
  if (dice.percent(25)) pod.builder.tolerate("node.kubernetes.io/unschedulable", "Exists");
}

void select_nodes(const Plot&, Dice& dice, PodPlan& pod) {
  if (!dice.percent(30)) return;
  pod.builder.node_selector({{"disk", dice.pick({"ssd", "hdd"})}});
  if (dice.percent(20)) pod.builder.node_selector({{"cores", "8"}});
}

// Values that nodes have under a key.
Names random_values(const Plot& plot, Dice& dice, std::string_view key) {
  const auto draw = [&] {
    if (key == "arch") return dice.pick({"amd64", "arm64"});
    if (key == "disk") return dice.pick({"ssd", "hdd"});
    if (key == "cores") return dice.pick({"4", "8", "16"});
    return key == kZone ? random_zone(dice) : plot.any_node(dice);
  };
  Names values = {draw()};
  if (dice.percent(60)) values.push_back(draw());
  return values;
}

std::string random_expression(const Plot& plot, Dice& dice) {
  const std::string key = dice.pick({"arch", "disk", "cores", kZone, kZone, kHostname});
  switch (dice.below(7)) {
    case 0:
      return R"({"key":)" + json_text(key) + R"(,"operator":"Exists"})";
    case 1:
      return R"({"key":)" + json_text(key) + R"(,"operator":"DoesNotExist"})";
    case 2:
      return R"({"key":"cores","operator":)" + json_text(dice.pick({"Gt", "Lt"})) +
             R"(,"values":)" + json_list({dice.pick({"0", "6", "8"})}) + "}";
    default: {
      const std::string op = dice.pick({"In", "In", "NotIn"});
      return R"({"key":)" + json_text(key) + R"(,"operator":)" + json_text(op) + R"(,"values":)" +
             json_list(random_values(plot, dice, key)) + "}";
    }
  }
}

// May be empty: then it matches nothing.
std::string random_term(const Plot& plot, Dice& dice) {
  std::string term = R"({"matchExpressions":[)";
  const int count = dice.percent(5) ? 0 : dice.between(1, 2);
  for (int i = 0; i < count; ++i) term += (i == 0 ? "" : ",") + random_expression(plot, dice);
  term += "]";
  if (dice.percent(15)) {
    term += R"(,"matchFields":[{"key":"metadata.name","operator":)" +
            json_text(dice.pick({"In", "NotIn"})) + R"(,"values":)" +
            json_list({plot.any_node(dice)}) + "}]";
  }
  return term + "}";
}

void require_nodes(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (!dice.percent(35)) return;
  if (dice.percent(10)) {
    pod.builder.node_name_affinity("In", {plot.any_node(dice)});
    return;
  }
  std::string terms = random_term(plot, dice);
  for (int more = dice.between(0, 2); more > 0; --more) terms += "," + random_term(plot, dice);
  pod.builder.spec_json("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                        R"({"nodeSelectorTerms":[)" + terms + "]}");
}

void prefer_nodes(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (!dice.percent(70)) return;
  std::string all;
  for (int count = dice.between(1, 3); count > 0; --count) {
    all += (all.empty() ? "" : ",") + (R"({"weight":)" + std::to_string(dice.between(1, 100))) +
           R"(,"preference":)" + random_term(plot, dice) + "}";
  }
  pod.builder.spec_json("affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
                        "[" + all + "]");
}

void declare_features(const Plot&, Dice& dice, NodePlan& node) {
  if (dice.percent(75)) node.builder.features({"RestartAllContainersOnContainerExits"});
}

void need_features(const Plot&, Dice& dice, PodPlan& pod) {
  if (!dice.percent(30)) return;
  pod.builder.spec_json("containers.0.restartPolicy", R"("Never")");
  pod.builder.spec_json("containers.0.restartPolicyRules",
                        R"([{"action":"RestartAllContainers",)"
                        R"("exitCodes":{"operator":"In","values":[42]}}])");
}

// One image and how nodes and pods call it.
struct Image {
  std::string_view on_node;
  std::string_view in_pod;
  int64_t megabytes;
};
constexpr Image kImages[] = {
    {"registry.example/web:1", "registry.example/web:1", 600},
    {"registry.example/web:latest", "registry.example/web", 250},
    {"nginx:latest", "nginx", 40},
    {"docker.io/library/nginx:latest", "nginx:latest", 900},
    {"registry.example:5000/db:latest", "registry.example:5000/db", 1200},
    {"registry.example/db@sha256:"
     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     "registry.example/db@sha256:"
     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     2500},
};

void pull_images(const Plot&, Dice& dice, NodePlan& node) {
  for (const Image& image : kImages) {
    if (!dice.percent(45)) continue;
    // Nodes need not agree about the size.
    const int64_t size = (image.megabytes + dice.between(0, 1)) * 1'000'000;
    Names names = {std::string(image.on_node)};
    if (dice.percent(20)) names.push_back("other.example/" + std::string(image.on_node));
    node.builder.images(names, size);
  }
}

void use_images(const Plot&, Dice& dice, PodPlan& pod) {
  const auto any = [&] { return kImages[dice.below(std::size(kImages))].in_pod; };
  if (dice.percent(80)) pod.builder.spec_json("containers.0.image", json_text(any()));
  if (dice.percent(10)) pod.builder.init_request({}, any());
  if (dice.percent(10)) {
    pod.builder.volume_json(R"({"name":"image","image":{"reference":)" + json_text(any()) + "}}");
  }
}

constexpr Part kParts[] = {
    {Feature::kTopology, label_topology, nullptr},
    {Feature::kTaints, taint_node, tolerate_taints},
    {Feature::kUnschedulable, close_node, tolerate_closed},
    {Feature::kNodeSelector, nullptr, select_nodes},
    {Feature::kNodeAffinity, nullptr, require_nodes},
    {Feature::kPreferredNodes, nullptr, prefer_nodes},
    {Feature::kDeclaredFeatures, declare_features, need_features},
    {Feature::kImages, pull_images, use_images},
};

}  // namespace placement_parts

std::span<const Part> parts_of_placement() { return placement_parts::kParts; }

}  // namespace proa::testkit::generator
