#include "sim/scenarios/sets/nodes.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "base/time.h"
#include "json/print.h"

namespace proa::sim {
namespace nodes {

constexpr const char* kTaint = "sim.example.com/closed";

}  // namespace nodes

NodeVerdict judge_node(const api::Object& node, std::string_view pool) {
  const std::string_view* its_pool = node.metadata().label("pool");
  const bool wanted = pool.empty() || (its_pool != nullptr && *its_pool == pool);
  NodeVerdict verdict{wanted, wanted};
  const json::Document document = node.document().value();
  for (const api::View taint : api::View(document.root()).at("spec.taints").items()) {
    if (taint["key"].text() != nodes::kTaint) continue;
    verdict.may_start = false;
    if (taint["effect"].text() == "NoExecute") verdict.may_stay = false;
  }
  return verdict;
}

void cordon(Cluster& cluster, const std::string& node, bool closed) {
  cluster.world().patch("", "nodes", "", node,
                        fmt::format(R"({{"spec":{{"unschedulable":{}}}}})", closed));
}

void put_in_pool(Cluster& cluster, const std::string& node, std::string_view pool) {
  cluster.world().patch("", "nodes", "", node,
                        fmt::format(R"({{"metadata":{{"labels":{{"pool":{}}}}}}})", pool));
}

void taint(Cluster& cluster, const api::Object& node, std::string_view effect) {
  const json::Document document = node.document().value();
  std::string taints;
  for (const api::View one : api::View(document.root()).at("spec.taints").items()) {
    if (one["key"].text() == nodes::kTaint) continue;
    taints += (taints.empty() ? "" : ",") + json::print(*one.value());
  }
  if (!effect.empty()) {
    taints += (taints.empty() ? "" : ",") +
              fmt::format(R"({{"key":"{}","effect":"{}"}})", nodes::kTaint, effect);
  }
  cluster.world().patch("", "nodes", "", node.metadata().name,
                        fmt::format(R"({{"spec":{{"taints":[{}]}}}})", taints));
}

void bring_back(Cluster& cluster, const std::string& node) {
  const std::string now = format_time(cluster.world().clock().now());
  cluster.world().create(
      "", "nodes", "",
      fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"pool":"a"}}}}}})", node));
  cluster.world().patch(
      "", "nodes", "", node,
      fmt::format(R"({{"status":{{"conditions":[{{"type":"Ready","status":"True",)"
                  R"("lastHeartbeatTime":"{0}","lastTransitionTime":"{0}"}}]}}}})",
                  now),
      "status");
}

}  // namespace proa::sim
