#include "kubelet/runtime/containerd/cni_config.h"

#include "json/print.h"
#include "json/value.h"

namespace proa::kubelet {
namespace cni_config_text {

json::Value address_management(json::Arena& arena, const CniSetup& setup) {
  json::Value range = json::Value::object();
  range.set(arena, "subnet", json::Value::string(arena, setup.pod_cidr));
  json::Value ranges = json::Value::array();
  ranges.push_back(arena, std::move(range));
  json::Value sets = json::Value::array();
  sets.push_back(arena, std::move(ranges));

  // Everything beyond the bridge goes through the host.
  const bool ipv6 = setup.pod_cidr.find(':') != std::string::npos;
  json::Value route = json::Value::object();
  route.set(arena, "dst", json::Value::borrowed(ipv6 ? "::/0" : "0.0.0.0/0"));
  json::Value routes = json::Value::array();
  routes.push_back(arena, std::move(route));

  json::Value out = json::Value::object();
  out.set(arena, "type", json::Value::borrowed("host-local"));
  out.set(arena, "dataDir", json::Value::string(arena, setup.state));
  out.set(arena, "ranges", std::move(sets));
  out.set(arena, "routes", std::move(routes));
  return out;
}

json::Value bridge_plugin(json::Arena& arena, const CniSetup& setup) {
  json::Value plugin = json::Value::object();
  plugin.set(arena, "type", json::Value::borrowed("bridge"));
  plugin.set(arena, "bridge", json::Value::string(arena, setup.bridge));
  plugin.set(arena, "isGateway", json::Value::boolean(true));
  // Hairpin: a pod that calls its own Service is reached through the port it sends from.
  plugin.set(arena, "hairpinMode", json::Value::boolean(true));
  if (setup.mtu > 0) plugin.set(arena, "mtu", json::Value::integer(setup.mtu));
  plugin.set(arena, "ipam", address_management(arena, setup));
  return plugin;
}

json::Value port_plugin(json::Arena& arena) {
  json::Value capabilities = json::Value::object();
  capabilities.set(arena, "portMappings", json::Value::boolean(true));
  json::Value plugin = json::Value::object();
  plugin.set(arena, "type", json::Value::borrowed("portmap"));
  plugin.set(arena, "capabilities", std::move(capabilities));
  return plugin;
}

}  // namespace cni_config_text

std::string cni_config(const CniSetup& setup) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value plugins = json::Value::array();
  plugins.push_back(arena, cni_config_text::bridge_plugin(arena, setup));
  plugins.push_back(arena, cni_config_text::port_plugin(arena));
  document.root() = json::Value::object();
  document.root().set(arena, "cniVersion", json::Value::borrowed("1.0.0"));
  document.root().set(arena, "name", json::Value::string(arena, setup.name));
  document.root().set(arena, "plugins", std::move(plugins));
  return json::print_pretty(document.root()) + "\n";
}

}  // namespace proa::kubelet
