#include "cli/node/cluster_status.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "base/strings.h"

namespace proa::cli {
namespace cluster_status {

std::string describe(const ClusterStatus::Node& node) {
  const std::string state = node.ready ? "ready" : "not ready";
  const std::string why = node.ready || node.why_not.empty() ? "" : ": " + node.why_not;
  return fmt::format("{} {} ({}){}", node.name, state, node.version, why);
}

std::string describe(const std::map<std::string, int>& phases) {
  std::vector<std::string> parts;
  for (const auto& [phase, count] : phases) {
    parts.push_back(fmt::format("{} {}", count, to_lower(phase)));
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

std::string line(std::string_view what, std::string_view text) {
  return fmt::format("  {:<14} {}\n", what, text);
}

}  // namespace cluster_status

ClusterStatus::Node node_status(const api::Object& node) {
  ClusterStatus::Node status;
  const auto document = node.document();
  if (!document.ok()) return status;
  const api::View root(document->root());
  status.name = root.at("metadata.name").text();
  status.version = root.at("status.nodeInfo.kubeletVersion").text();
  for (const api::View condition : root.at("status.conditions").items()) {
    if (condition["type"].text() != "Ready") continue;
    status.ready = condition["status"].text() == "True";
    status.why_not = condition["message"].text();
  }
  return status;
}

std::map<std::string, int> count_phases(std::span<const api::ObjectPtr> pods) {
  std::map<std::string, int> phases;
  for (const api::ObjectPtr& pod : pods) {
    const auto document = pod->document();
    if (!document.ok()) continue;
    ++phases[std::string(api::View(document->root()).at("status.phase").text("Unknown"))];
  }
  return phases;
}

std::string status_text(const ClusterStatus& status) {
  std::string text = status.process
                         ? fmt::format("Proa is running as process {}.\n", *status.process)
                         : std::string("Proa is running as a server without a node.\n");
  text += cluster_status::line("data", status.data_dir);
  text += cluster_status::line("https", status.server);
  for (const ClusterStatus::Node& node : status.nodes) {
    text += cluster_status::line("node", cluster_status::describe(node));
  }
  return text + cluster_status::line("pods", cluster_status::describe(status.pods));
}

json::Document status_document(const ClusterStatus& status) {
  json::Document document;
  json::Arena& arena = document.arena();
  const auto text = [&](const std::string& value) { return json::Value::string(arena, value); };
  json::Value nodes = json::Value::array();
  for (const ClusterStatus::Node& node : status.nodes) {
    json::Value one = json::Value::object();
    one.set(arena, "name", text(node.name));
    one.set(arena, "ready", json::Value::boolean(node.ready));
    if (!node.ready) one.set(arena, "message", text(node.why_not));
    one.set(arena, "version", text(node.version));
    nodes.push_back(arena, std::move(one));
  }
  json::Value pods = json::Value::object();
  for (const auto& [phase, count] : status.pods) {
    pods.set(arena, phase, json::Value::integer(count));
  }
  json::Value root = json::Value::object();
  if (status.process) root.set(arena, "process", json::Value::integer(*status.process));
  root.set(arena, "dataDirectory", text(status.data_dir));
  root.set(arena, "server", text(status.server));
  root.set(arena, "nodes", std::move(nodes));
  root.set(arena, "pods", std::move(pods));
  document.root() = std::move(root);
  return document;
}

}  // namespace proa::cli
