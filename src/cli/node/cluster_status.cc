#include "cli/node/cluster_status.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "base/strings.h"
#include "cli/command_line/output.h"

namespace proa::cli {
namespace cluster_status {

// Between what is wrong and the rest, in the message of the Ready condition.
constexpr std::string_view kWarning = ". WARNING: ";

std::vector<std::string> warnings_in(std::string_view message) {
  std::vector<std::string> warnings;
  for (size_t at = message.find(kWarning); at != std::string_view::npos;) {
    message.remove_prefix(at + kWarning.size());
    at = message.find(kWarning);
    warnings.emplace_back(message.substr(0, at));
  }
  return warnings;
}

std::string describe(const ClusterStatus::Node& node) {
  std::string state = node.ready ? "ready" : "not ready";
  if (node.cordoned) state += ", cordoned";
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

ClusterStatus::Leader leader_of(const api::Object& lease, Time now) {
  ClusterStatus::Leader leader;
  const auto document = lease.document();
  if (!document.ok()) return leader;
  const api::View root(document->root());
  leader.component = root.at("metadata.name").text();
  const auto renewed = parse_time(root.at("spec.renewTime").text());
  const auto lasts = std::chrono::seconds(root.at("spec.leaseDurationSeconds").integer());
  if (renewed.ok() && *renewed + lasts >= now) {
    leader.holder = root.at("spec.holderIdentity").text();
  }
  return leader;
}

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
    if (status.ready) status.warnings = cluster_status::warnings_in(status.why_not);
  }
  status.cordoned = root.at("spec.unschedulable").flag();
  return status;
}

std::vector<std::string> failed_checks(std::string_view report) {
  constexpr std::string_view kFailed = "[-]";
  std::vector<std::string> names;
  for (const std::string_view line : split(report, '\n')) {
    if (!line.starts_with(kFailed)) continue;
    names.emplace_back(line.substr(kFailed.size(), line.find(' ') - kFailed.size()));
  }
  return names;
}

std::string cause_of(std::string_view answer) {
  constexpr std::string_view kBegin = "internal server error: ";
  if (answer.starts_with(kBegin)) answer.remove_prefix(kBegin.size());
  return std::string(trim(answer));
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
  using cluster_status::line;
  const LocalStatus& local = status.local;
  std::string text = local.process ? fmt::format("Proa is running as process {}.\n", *local.process)
                                   : std::string("Proa is not running on this machine.\n");
  text += line("data", status.data_dir);
  if (!status.server.empty()) text += line("https", status.server);
  if (local.runtime) {
    text += line("runtime", local.runtime->socket + (local.runtime->runs ? "" : " (not running)"));
  }
  if (local.disk) {
    text += line("disk", fmt::format("{} of {} free", format_bytes(local.disk->free_bytes),
                                     format_bytes(local.disk->total_bytes)));
  }
  for (const LocalStatus::Certificate& one : local.certificates) {
    text += line("certificate", fmt::format("{} until {}", one.name, format_time(one.not_after)));
  }
  for (const ClusterStatus::Leader& leader : status.leaders) {
    text += line("leader", fmt::format("{}: {}", leader.component,
                                       leader.holder.empty() ? "none" : leader.holder));
  }
  for (const auto& [check, cause] : status.problems) {
    text += line("not healthy", check + ": " + cause);
  }
  const std::string age = status.outdated ? ", by its last report to the server" : "";
  for (const ClusterStatus::Node& node : status.nodes) {
    text += line("node", cluster_status::describe(node) + age);
    for (const std::string& one : node.warnings) text += line("warning", one);
  }
  const std::string pods = status.pods_unknown.empty() ? cluster_status::describe(status.pods) + age
                                                       : "unknown: " + status.pods_unknown;
  return text + line("pods", pods);
}

json::Document status_document(const ClusterStatus& status) {
  json::Document document;
  json::Arena& arena = document.arena();
  const auto text = [&](const std::string& value) { return json::Value::string(arena, value); };
  const auto number = [](uint64_t value) {
    return json::Value::integer(static_cast<int64_t>(value));
  };
  json::Value nodes = json::Value::array();
  for (const ClusterStatus::Node& node : status.nodes) {
    json::Value one = json::Value::object();
    one.set(arena, "name", text(node.name));
    one.set(arena, "ready", json::Value::boolean(node.ready));
    if (!node.ready) one.set(arena, "message", text(node.why_not));
    if (node.cordoned) one.set(arena, "cordoned", json::Value::boolean(true));
    if (!node.warnings.empty()) {
      json::Value warnings = json::Value::array();
      for (const std::string& each : node.warnings) warnings.push_back(arena, text(each));
      one.set(arena, "warnings", std::move(warnings));
    }
    one.set(arena, "version", text(node.version));
    nodes.push_back(arena, std::move(one));
  }
  json::Value pods = json::Value::object();
  for (const auto& [phase, count] : status.pods) {
    pods.set(arena, phase, json::Value::integer(count));
  }
  json::Value problems = json::Value::object();
  for (const auto& [check, cause] : status.problems) problems.set(arena, check, text(cause));
  json::Value root = json::Value::object();
  const LocalStatus& local = status.local;
  if (local.process) root.set(arena, "process", json::Value::integer(*local.process));
  root.set(arena, "dataDirectory", text(status.data_dir));
  root.set(arena, "server", text(status.server));
  if (local.runtime) {
    json::Value runtime = json::Value::object();
    runtime.set(arena, "socket", text(local.runtime->socket));
    runtime.set(arena, "running", json::Value::boolean(local.runtime->runs));
    root.set(arena, "runtime", std::move(runtime));
  }
  if (local.disk) {
    json::Value disk = json::Value::object();
    disk.set(arena, "freeBytes", number(local.disk->free_bytes));
    disk.set(arena, "totalBytes", number(local.disk->total_bytes));
    root.set(arena, "disk", std::move(disk));
  }
  json::Value certificates = json::Value::object();
  for (const LocalStatus::Certificate& one : local.certificates) {
    certificates.set(arena, one.name, text(format_time(one.not_after)));
  }
  root.set(arena, "certificates", std::move(certificates));
  json::Value leaders = json::Value::object();
  for (const ClusterStatus::Leader& leader : status.leaders) {
    leaders.set(arena, leader.component, text(leader.holder));
  }
  root.set(arena, "leaders", std::move(leaders));
  root.set(arena, "failedChecks", std::move(problems));
  root.set(arena, "nodes", std::move(nodes));
  if (status.outdated) root.set(arena, "outdated", json::Value::boolean(true));
  if (status.pods_unknown.empty()) {
    root.set(arena, "pods", std::move(pods));
  } else {
    root.set(arena, "podsUnknown", text(status.pods_unknown));
  }
  document.root() = std::move(root);
  return document;
}

}  // namespace proa::cli
