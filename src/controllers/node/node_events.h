#pragma once

#include <string>
#include <string_view>

#include "client/events/recorder.h"

// Events about nodes, with upstream's messages.

namespace proa::controllers::nodes {

// "Node n event: ...", also for a node that no longer exists.
void tell_of_node(client::EventRecorder& events, const std::string& name, const std::string& uid,
                  std::string_view reason, const std::string& what);
// "Node n status is now: NodeNotReady"
void tell_status_of_node(client::EventRecorder& events, const api::Object& node,
                         std::string_view status);

}  // namespace proa::controllers::nodes
