#include "controllers/node/node_events.h"

namespace proa::controllers::nodes {
namespace node_events {

client::ObjectReference reference(const std::string& name, const std::string& uid) {
  return {.api_version = "v1",
          .kind = "Node",
          .name_space = {},
          .name = name,
          .uid = uid,
          .resource_version = {},
          .field_path = {}};
}

}  // namespace node_events

void tell_of_node(client::EventRecorder& events, const std::string& name, const std::string& uid,
                  std::string_view reason, const std::string& what) {
  events.normal(node_events::reference(name, uid), reason, "Node " + name + " event: " + what);
}

void tell_status_of_node(client::EventRecorder& events, const api::Object& node,
                         std::string_view status) {
  const std::string name(node.metadata().name);
  events.normal(node_events::reference(name, std::string(node.metadata().uid)), status,
                "Node " + name + " status is now: " + std::string(status));
}

}  // namespace proa::controllers::nodes
