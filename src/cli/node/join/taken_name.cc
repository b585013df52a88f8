#include "cli/node/join/taken_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "base/strings.h"

namespace proa::cli {
namespace taken_name {

// Copies of a virtual machine often share the machine ID, containers on one machine the UUID: one
// that differs suffices. What one of the two does not know says nothing.
bool is_other(api::View info, const kubelet::Machine& machine) {
  const auto differs = [](std::string_view theirs, const std::string& ours) {
    return !theirs.empty() && !ours.empty() && !equals_ignoring_case(theirs, ours);
  };
  return differs(info["machineID"].text(), machine.machine_id) ||
         differs(info["systemUUID"].text(), machine.system_uuid);
}

// Nodes that are not heard from become Unknown; the server's clock decides, not this machine's.
bool is_alive(api::View status) {
  const auto conditions = status["conditions"].items();
  return std::any_of(conditions.begin(), conditions.end(), [](api::View condition) {
    return condition["type"].text() == "Ready" && condition["status"].text() != "Unknown";
  });
}

std::string address_of(api::View status) {
  for (const api::View address : status["addresses"].items()) {
    if (address["type"].text() == "InternalIP") return std::string(address["address"].text());
  }
  return "an unknown address";
}

}  // namespace taken_name

Result<void> refuse_taken_name(const client::BoundedClient& client, api::NodeNameView node_name,
                               const kubelet::Machine& machine) {
  const auto found = client.get({.resource = api::builtin_schema().find_resource("", "v1", "nodes"),
                                 .name_space = {},
                                 .name = node_name.str(),
                                 .subresource = {}});
  if (found.is(Reason::kNotFound)) return {};
  if (!found) return found.status();
  const json::Document node = TRY((*found)->document());
  const api::View status = api::View(node.root())["status"];
  if (!taken_name::is_other(status["nodeInfo"], machine) || !taken_name::is_alive(status)) {
    return {};
  }
  return Status(
      Reason::kConflict,
      fmt::format("another machine, {}, is node {} of this cluster; choose another name with "
                  "--node-name. If this machine is to replace it: run `proa node leave` there, or "
                  "stop it and run on the server: kubectl delete node {}",
                  taken_name::address_of(status), node_name.view(), node_name.view()));
}

}  // namespace proa::cli
