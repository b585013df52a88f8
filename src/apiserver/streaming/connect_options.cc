#include "apiserver/streaming/connect_options.h"

#include "api/object/edit.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace connect_options_of {

using api::Edit;

// As Go reads flags of a query: everything but these is true.
bool is_false(std::string_view text) { return text == "0" || to_lower(text) == "false"; }

void add_flag(Edit options, const http::Target& target, std::string_view name) {
  const std::string* value = target.find(name);
  if (value != nullptr && !is_false(*value)) options.set(name, true);
}

void add_stream(Edit options, const http::Target& target) {
  for (const std::string_view name : {"stdin", "stdout", "stderr", "tty"})
    add_flag(options, target, name);
  const std::string* container = target.find("container");
  if (container != nullptr && !container->empty()) options.set("container", *container);
  for (const auto& [name, value] : target.query) {
    if (name == "command")
      options.array("command").push(json::Value::string(options.arena(), value));
  }
}

void add_ports(Edit options, const http::Target& target) {
  for (const auto& [name, value] : target.query) {
    const std::optional<int64_t> port = name == "ports" ? parse_int(value) : std::nullopt;
    if (port) options.array("ports").push(json::Value::integer(*port));
  }
}

}  // namespace connect_options_of

json::Document connect_options(const Request& request, const http::Target& target) {
  using namespace connect_options_of;
  json::Document document({}, json::Value::object());
  const Edit options(document);
  options.set("kind", request.subresource->type->name);
  options.set("apiVersion", request.subresource->type->group_version);
  const std::string_view part = request.subresource->name;
  if (part == "exec" || part == "attach") add_stream(options, target);
  if (part == "portforward") add_ports(options, target);
  if (part == "proxy" && !request.subpath.empty()) options.set("path", request.subpath);
  return document;
}

}  // namespace proa::apiserver
