#include "cli/node/join/leave.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "json/parse.h"

namespace proa::cli {
namespace leave {

using api::View;

// As kubectl drain waits after a disruption budget refused an eviction.
constexpr Duration kRetryInterval = std::chrono::seconds(5);
constexpr Duration kPollInterval = std::chrono::seconds(1);

client::Place place_of(std::string_view resource, std::string_view name_space,
                       std::string_view name, std::string_view subresource = {}) {
  return {.resource = api::builtin_schema().find_resource("", "v1", resource),
          .name_space = std::string(name_space),
          .name = std::string(name),
          .subresource = std::string(subresource)};
}

json::Document cordon() { return json::parse_literal(R"({"spec":{"unschedulable":true}})"); }

std::string key_of(const api::Object& pod) {
  return std::string(pod.metadata().name_space) + "/" + std::string(pod.metadata().name);
}

Result<std::vector<api::ObjectPtr>> pods_to_evict(const client::BoundedClient& client,
                                                  const std::string& node) {
  client::ListQuery query;
  query.field_selector = "spec.nodeName=" + node;
  const client::ObjectList found = TRY(client.list(place_of("pods", "", ""), query));
  std::vector<api::ObjectPtr> pods;
  std::ranges::copy_if(found.items, std::back_inserter(pods),
                       [](const api::ObjectPtr& pod) { return is_evicted(*pod); });
  return pods;
}

// False: a disruption budget does not allow it now.
Result<bool> evict(const client::BoundedClient& client, const api::Object& pod) {
  json::Document eviction({}, json::Value::object());
  const api::Edit object(eviction);
  object.set("apiVersion", "policy/v1");
  object.set("kind", "Eviction");
  const api::Edit metadata = object.object("metadata");
  metadata.set("name", pod.metadata().name);
  metadata.set("namespace", pod.metadata().name_space);
  const auto evicted =
      client.create(place_of("pods", pod.metadata().name_space, pod.metadata().name, "eviction"),
                    std::move(eviction), {});
  if (evicted || evicted.is(Reason::kNotFound)) return true;
  if (evicted.is(Reason::kTooManyRequests)) return false;
  return evicted.status();
}

// Evicts those that are not ending yet. Returns whether a budget refused one.
Result<bool> evict_all(const client::BoundedClient& client,
                       const std::vector<api::ObjectPtr>& pods) {
  bool refused = false;
  for (const api::ObjectPtr& pod : pods) {
    if (pod->metadata().being_deleted) continue;
    const bool evicted = TRY(evict(client, *pod));
    refused = refused || !evicted;
  }
  return refused;
}

}  // namespace leave

bool is_evicted(const api::Object& pod) {
  const Result<json::Document> document = pod.document();
  if (!document) return false;
  const api::View root(document->root());
  const std::string_view phase = root["status"]["phase"].text();
  if (phase == "Succeeded" || phase == "Failed") return false;
  if (root["metadata"]["annotations"]["kubernetes.io/config.mirror"]) return false;
  const auto owners = root["metadata"]["ownerReferences"].items();
  return std::none_of(owners.begin(), owners.end(), [](api::View owner) {
    return owner["controller"].flag() && owner["kind"].text() == "DaemonSet";
  });
}

Result<void> drain_node(const client::BoundedClient& client, const Clock& clock,
                        const DrainOptions& options, Terminal& terminal) {
  using namespace leave;
  const auto cordoned =
      client.patch(place_of("nodes", "", options.node), api::PatchType::kMerge, cordon(), {});
  if (cordoned.is(Reason::kNotFound)) return {};
  if (!cordoned) return cordoned.status();
  terminal.out(fmt::format("node {} takes no new pods\n", options.node));
  const Steady end = clock.steady() + options.timeout;
  std::vector<api::ObjectPtr> pods = TRY(pods_to_evict(client, options.node));
  if (!pods.empty()) terminal.out("evicting " + counted(pods.size(), "pod") + "\n");
  while (!pods.empty()) {
    const bool refused = TRY(evict_all(client, pods));
    if (clock.steady() >= end) {
      std::vector<std::string> names;
      for (const api::ObjectPtr& pod : pods) names.push_back(key_of(*pod));
      return Status(
          Reason::kTimeout,
          fmt::format("these pods are still on the node: {}; raise --eviction-timeout, or pass "
                      "--ignore-errors to leave them behind. If the node is to stay: kubectl "
                      "uncordon {}",
                      fmt::join(names, ", "), options.node));
    }
    options.pause(refused ? kRetryInterval : kPollInterval);
    pods = TRY(pods_to_evict(client, options.node));
  }
  return {};
}

Result<void> check_leave_rights(const client::BoundedClient& client, const std::string& node) {
  const client::Place place = leave::place_of("nodes", "", node);
  const auto cordoned =
      client.patch(place, api::PatchType::kMerge, leave::cordon(), {.dry_run = true});
  if (cordoned.is(Reason::kNotFound)) return {};
  if (!cordoned) return cordoned.status();
  Result<void> removed = client.remove(place, {.dry_run = true});
  if (removed || removed.is(Reason::kNotFound)) return {};
  return removed;
}

Result<void> delete_node(const client::BoundedClient& client, const std::string& node) {
  Result<void> removed = client.remove(leave::place_of("nodes", "", node), {});
  if (removed || removed.is(Reason::kNotFound)) return {};
  return removed;
}

}  // namespace proa::cli
