#include "testkit/policy/policy_text.h"

#include "base/check.h"
#include "base/strings.h"
#include "json/print.h"
#include "json/yaml.h"
#include "policy/objects/read_facts.h"

namespace proa::testkit {

void put_objects(policy::PolicyModel& model, std::string_view yaml) {
  const auto documents = json::parse_yaml_stream(yaml);
  CHECK(documents.ok());
  for (const json::Document& document : *documents) {
    if (document.root().is_null()) continue;
    const api::ObjectPtr object = api::Object::make(json::print(document.root()));
    const client::Key key = client::Key::of(*object);
    const bool gone = document.root().find("delete") != nullptr;
    const std::string kind(api::View(document.root())["kind"].text());
    if (kind == "NetworkPolicy") {
      model.set_policy(key,
                       gone ? std::nullopt : std::optional(policy::read_policy(*object).value()));
    } else if (kind == "Namespace") {
      model.set_namespace(key.name,
                          gone ? std::nullopt : std::optional(policy::read_labels(*object)));
    } else {
      CHECK(kind == "Pod");
      model.set_pod(key, gone ? std::nullopt : policy::read_pod(*object, "here").value());
    }
  }
}

policy::Connection read_connection(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ' ');
  CHECK(words.size() == 3);
  const std::vector<std::string_view> service = split(words[2], '/');
  CHECK(service.size() == 2);
  const auto protocol = policy::protocol_number(service[0]);
  return {.source = parse_ip(words[0]).value(),
          .destination = parse_ip(words[1]).value(),
          .protocol = protocol.value(),
          .port = static_cast<uint16_t>(parse_int(service[1]).value())};
}

}  // namespace proa::testkit
