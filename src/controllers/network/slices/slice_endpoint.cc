#include "controllers/network/slices/slice_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace proa::controllers {
namespace slice_endpoint {

using api::Edit;
using api::View;

// FNV-1a over length-prefixed texts.
class Fingerprint {
 public:
  void add(std::string_view text) {
    add_number(text.size());
    for (const char byte : text) add_byte(static_cast<unsigned char>(byte));
  }
  void add(std::optional<bool> flag) { add_byte(flag ? (*flag ? 2 : 1) : 0); }
  void add_number(uint64_t number) {
    for (; number > 127; number >>= 7) add_byte(static_cast<unsigned char>(number | 128));
    add_byte(static_cast<unsigned char>(number));
  }
  uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }

  uint64_t value_ = 0xcbf29ce484222325ULL;
};

uint64_t identity_of(const SliceEndpoint& endpoint) {
  std::vector<std::string_view> addresses = endpoint.addresses;
  std::sort(addresses.begin(), addresses.end());
  Fingerprint print;
  print.add_number(addresses.size());
  for (const std::string_view address : addresses) print.add(address);
  print.add(endpoint.hostname);
  print.add(endpoint.target ? endpoint.target->name_space : std::string_view());
  print.add(endpoint.target ? endpoint.target->name : std::string_view());
  return print.value();
}

uint64_t content_of(const SliceEndpoint& endpoint) {
  Fingerprint print;
  print.add(endpoint.ready);
  print.add(endpoint.serving);
  print.add(endpoint.terminating);
  print.add(endpoint.node);
  print.add(endpoint.zone);
  print.add(endpoint.target.has_value());
  if (endpoint.target) {
    print.add(endpoint.target->kind);
    print.add(endpoint.target->uid);
    print.add(endpoint.target->api_version);
    print.add(endpoint.target->field_path);
  }
  return print.value();
}

uint64_t hints_of(const SliceEndpoint& endpoint) {
  if (endpoint.for_zones.empty() && endpoint.for_nodes.empty()) return 0;
  Fingerprint print;
  print.add_number(endpoint.for_zones.size());
  for (const std::string_view zone : endpoint.for_zones) print.add(zone);
  for (const std::string_view node : endpoint.for_nodes) print.add(node);
  return print.value();
}

std::optional<bool> flag_of(View flag) { return flag ? std::optional(flag.flag()) : std::nullopt; }

std::vector<std::string_view> names_in(View hints) {
  std::vector<std::string_view> names;
  for (const View hint : hints.items()) names.push_back(hint["name"].text());
  return names;
}

void write_hints(Edit endpoint, std::string_view name, std::span<const std::string_view> hints) {
  if (hints.empty()) return;
  const Edit list = endpoint.object("hints").array(name);
  for (const std::string_view hint : hints) list.push_object().set("name", hint);
}

}  // namespace slice_endpoint

SliceEndpoint SliceEndpoint::read(api::View endpoint) {
  SliceEndpoint read;
  for (const api::View address : endpoint["addresses"].items()) {
    read.addresses.push_back(address.text());
  }
  const api::View conditions = endpoint["conditions"];
  read.ready = slice_endpoint::flag_of(conditions["ready"]);
  read.serving = slice_endpoint::flag_of(conditions["serving"]);
  read.terminating = slice_endpoint::flag_of(conditions["terminating"]);
  read.hostname = endpoint["hostname"].text();
  read.node = endpoint["nodeName"].text();
  read.zone = endpoint["zone"].text();
  if (endpoint["targetRef"]) read.target = TargetReference::read(endpoint["targetRef"]);
  read.for_zones = slice_endpoint::names_in(endpoint["hints"]["forZones"]);
  read.for_nodes = slice_endpoint::names_in(endpoint["hints"]["forNodes"]);
  return read;
}

void SliceEndpoint::write(api::Edit endpoint) const {
  const api::Edit list = endpoint.array("addresses");
  for (const std::string_view address : addresses) {
    list.push(json::Value::string(endpoint.arena(), address));
  }
  const api::Edit conditions = endpoint.object("conditions");
  if (ready) conditions.set("ready", *ready);
  if (serving) conditions.set("serving", *serving);
  if (terminating) conditions.set("terminating", *terminating);
  if (!hostname.empty()) endpoint.set("hostname", hostname);
  if (target) target->write(endpoint.object("targetRef"));
  if (!node.empty()) endpoint.set("nodeName", node);
  if (!zone.empty()) endpoint.set("zone", zone);
  slice_endpoint::write_hints(endpoint, "forZones", for_zones);
  slice_endpoint::write_hints(endpoint, "forNodes", for_nodes);
}

EndpointMark SliceEndpoint::mark() const {
  return {.identity = slice_endpoint::identity_of(*this),
          .content = slice_endpoint::content_of(*this),
          .hints = slice_endpoint::hints_of(*this)};
}

std::string ports_key(std::span<const EndpointPort> ports) {
  std::vector<std::string> texts;
  for (const EndpointPort& port : ports) {
    texts.push_back(fmt::format("{}/{}/{}/{}", port.name, port.number, port.protocol,
                                port.app_protocol ? *port.app_protocol : "-"));
  }
  std::sort(texts.begin(), texts.end());
  return join(texts, " ");
}

std::vector<EndpointPort> read_slice_ports(api::View ports) {
  std::vector<EndpointPort> read;
  for (const api::View port : ports.items()) read.push_back(EndpointPort::read(port));
  return read;
}

void write_slice_ports(api::Edit slice, std::span<const EndpointPort> ports) {
  slice.remove("ports");
  const api::Edit list = slice.array("ports");
  for (const EndpointPort& port : ports) {
    const api::Edit item = list.push_object();
    item.set("name", port.name);
    item.set("port", port.number);
    item.set("protocol", port.protocol);
    if (port.app_protocol) item.set("appProtocol", *port.app_protocol);
  }
}

}  // namespace proa::controllers
