#include "kubelet/pod/environment/service_variables.h"

#include <fmt/format.h>

#include <map>

#include "api/object/view.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace service_variables_of {

std::string upper(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

void append_link(Environment& found, const std::string& prefix, std::string_view address,
                 api::View port, bool first) {
  const std::string_view written = port["protocol"].text();
  const std::string_view protocol = written.empty() ? "TCP" : written;
  const std::string number = std::to_string(port["port"].integer());
  const bool v6 = address.find(':') != std::string_view::npos;
  const std::string url = fmt::format("{}://{}{}{}:{}", to_lower(protocol), v6 ? "[" : "", address,
                                      v6 ? "]" : "", number);
  if (first) found.push_back({prefix + "_PORT", url});
  const std::string name = fmt::format("{}_PORT_{}_{}", prefix, number, upper(protocol));
  found.push_back({name, url});
  found.push_back({name + "_PROTO", to_lower(protocol)});
  found.push_back({name + "_PORT", number});
  found.push_back({name + "_ADDR", std::string(address)});
}

void append(Environment& found, std::string_view service, api::View spec) {
  const std::string prefix = upper(service);
  const std::string_view address = spec["clusterIP"].text();
  const api::View ports = spec["ports"];
  found.push_back({prefix + "_SERVICE_HOST", std::string(address)});
  if (ports.empty()) return;
  const std::string of_port = prefix + "_SERVICE_PORT";
  found.push_back({of_port, std::to_string(ports.item(0)["port"].integer())});
  for (const api::View port : ports.items()) {
    const std::string_view name = port["name"].text();
    if (name.empty()) continue;
    found.push_back({of_port + "_" + upper(name), std::to_string(port["port"].integer())});
  }
  bool first = true;
  for (const api::View port : ports.items()) {
    append_link(found, prefix, address, port, first);
    first = false;
  }
}

// By name, which is unique once those of other namespaces are left out.
using Chosen = std::map<std::string_view, const api::Object*>;

Chosen choose(const std::vector<api::ObjectPtr>& services, std::string_view name_space,
              bool links) {
  Chosen chosen;
  for (const api::ObjectPtr& service : services) {
    const api::Metadata& metadata = service->metadata();
    if (metadata.name_space == "default" && metadata.name == "kubernetes") {
      chosen.try_emplace(metadata.name, service.get());
    } else if (links && metadata.name_space == name_space) {
      chosen[metadata.name] = service.get();
    }
  }
  return chosen;
}

bool has_address(const Result<json::Document>& service) {
  if (!service) return false;
  const std::string_view address = api::View(service->root())["spec"]["clusterIP"].text();
  return !address.empty() && address != "None";
}

}  // namespace service_variables_of

Environment service_variables(const std::vector<api::ObjectPtr>& services,
                              std::string_view name_space, bool links) {
  std::vector<api::ObjectPtr> reachable;
  for (const api::ObjectPtr& service : services) {
    if (service_variables_of::has_address(service->document())) reachable.push_back(service);
  }
  Environment found;
  for (const auto& [name, service] : service_variables_of::choose(reachable, name_space, links)) {
    const Result<json::Document> document = service->document();
    if (!document) continue;
    service_variables_of::append(found, name, api::View(document->root())["spec"]);
  }
  return found;
}

}  // namespace proa::kubelet
