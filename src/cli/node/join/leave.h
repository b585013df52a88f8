#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/clock.h"
#include "cli/command_line/command.h"
#include "client/bounded_client.h"

// Taking a node out of its cluster, with the rights of the node itself or of an administrator.
namespace proa::cli {

struct DrainOptions {
  std::string node = {};
  Duration timeout{};                        // for all pods
  std::function<void(Duration)> pause = {};  // sleeps
};

// Whether a drain evicts the pod: not those of DaemonSets, which would come back, nor static pods,
// nor finished ones.
bool is_evicted(const api::Object& pod);

// Marks the node as unschedulable, evicts its pods as `kubectl drain` does, respecting disruption
// budgets, and waits until they are gone. kTimeout, naming the pods, if some remain. Nothing to do
// if the Node does not exist.
Result<void> drain_node(const client::BoundedClient& client, const Clock& clock,
                        const DrainOptions& options, Terminal& terminal);

// kForbidden if drain_node() and delete_node() would be refused for lack of rights. Changes
// nothing.
Result<void> check_leave_rights(const client::BoundedClient& client, const std::string& node);

// Deletes the Node; it may be gone already.
Result<void> delete_node(const client::BoundedClient& client, const std::string& node);

}  // namespace proa::cli
