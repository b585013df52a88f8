#include "kubelet/runtime/cri/event_messages.h"

#include <fmt/format.h>

#include <array>

#include "api/codec/base64.h"
#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/object/edit.h"
#include "api/schema/builtin.h"

namespace proa::kubelet::cri {
namespace event_messages {

using api::View;
using Kind = RuntimeEvent::Kind;

constexpr std::string_view kGreetingTopic = "/proa/greeting";
constexpr std::string_view kExitTopic = "/tasks/exit";

struct Topic {
  std::string_view name;
  Kind kind;
};

// The CRI plugin deletes the task of an exited container, and knows of its exit only then. Starts
// are not included: the worker queries a container after it starts it.
constexpr std::array kTopics{
    Topic{"/tasks/oom", Kind::kChanged},  Topic{kExitTopic, Kind::kEnded},
    Topic{"/tasks/delete", Kind::kEnded}, Topic{"/containers/delete", Kind::kEnded},
    Topic{"/sandbox/exit", Kind::kEnded}, Topic{kGreetingTopic, Kind::kGreeting},
};

const api::Type& type(std::string_view name) {
  const api::Type* found = api::cri_schema().find_openapi(name);
  CHECK(found != nullptr);
  return *found;
}

Result<json::Document> read(std::string_view message, std::string_view name) {
  return api::from_protobuf(message, type(name), api::cri_schema());
}

// REQUIRES: a document that fits its type.
std::string print(const json::Document& document, std::string_view name) {
  auto printed = api::to_protobuf(document.root(), type(name));
  CHECK(printed.ok());
  return std::move(*printed);
}

Kind kind_of(std::string_view topic) {
  for (const Topic& known : kTopics) {
    if (known.name == topic) return known.kind;
  }
  return Kind::kNothing;
}

}  // namespace event_messages

std::string print_subscription() {
  json::Document request(json::Arena(), json::Value::object());
  const api::Edit filters = api::Edit(request).array("filters");
  for (const auto& topic : event_messages::kTopics) {
    filters.push(json::Value::string(
        filters.arena(),
        fmt::format("namespace=={},topic==\"{}\"", kContainerdNamespace, topic.name)));
  }
  return event_messages::print(request, "containerd.services.events.v1.SubscribeRequest");
}

std::string print_greeting() {
  json::Document request(json::Arena(), json::Value::object());
  const api::Edit fields(request);
  fields.set("topic", event_messages::kGreetingTopic);
  // Something that every containerd can decode.
  fields.object("event").set("type_url", "containerd.events.TaskResumed");
  return event_messages::print(request, "containerd.services.events.v1.PublishRequest");
}

Result<RuntimeEvent> read_containerd_event(std::string_view message) {
  const auto envelope =
      TRY(event_messages::read(message, "containerd.services.events.v1.Envelope"));
  const api::View root = envelope.root();
  const std::string_view topic = root["topic"].text();
  RuntimeEvent event{.kind = event_messages::kind_of(topic)};
  if (event.kind == RuntimeEvent::Kind::kNothing || event.kind == RuntimeEvent::Kind::kGreeting)
    return event;
  const std::string payload = TRY(api::read_base64(root["event"]["value"].text()));
  const auto said = TRY(event_messages::read(payload, "containerd.services.events.v1.AnyEvent"));
  event.id = api::View(said.root())["id"].text();
  if (event.id.empty()) return RuntimeEvent{};
  if (topic == event_messages::kExitTopic) {
    const auto exit = TRY(event_messages::read(payload, "containerd.services.events.v1.TaskExit"));
    if (api::View(exit.root())["id"].text() != event.id) return RuntimeEvent{};  // of an exec
  }
  return event;
}

Result<RuntimeEvent> read_cri_event(std::string_view message) {
  const auto said = TRY(event_messages::read(message, "runtime.v1.ContainerEventResponse"));
  const std::string_view id = api::View(said.root())["container_id"].text();
  if (id.empty()) return RuntimeEvent{};
  return RuntimeEvent{.kind = RuntimeEvent::Kind::kChanged, .id = std::string(id)};
}

}  // namespace proa::kubelet::cri
