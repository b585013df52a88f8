#include "network/cni/cni_config.h"

#include "json/print.h"
#include "json/value.h"

namespace proa::network {
namespace cni_config_text {

// Links of a network namespace begin with this setting.
constexpr std::string_view kAcceptAdvertisements = "net.ipv6.conf.default.accept_ra";

json::Value single(json::Arena& arena, std::string_view name, json::Value value) {
  json::Value object = json::Value::object();
  object.set(arena, name, std::move(value));
  return object;
}

json::Value address_management(json::Arena& arena, const CniSetup& setup) {
  json::Value sets = json::Value::array();
  json::Value routes = json::Value::array();
  for (const IpPrefix& range : setup.ranges) {
    json::Value one = json::Value::array();
    one.push_back(arena, single(arena, "subnet", json::Value::string(arena, range.str())));
    sets.push_back(arena, std::move(one));
    // Everything beyond the bridge goes through the host.
    routes.push_back(arena,
                     single(arena, "dst", json::Value::borrowed(range.v6 ? "::/0" : "0.0.0.0/0")));
  }
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
  // A node may come back with another range, while its bridge still has the old address.
  plugin.set(arena, "forceAddress", json::Value::boolean(true));
  // Hairpin: a pod that calls its own Service is reached through the port it sends from.
  plugin.set(arena, "hairpinMode", json::Value::boolean(true));
  if (setup.mtu > 0) plugin.set(arena, "mtu", json::Value::integer(setup.mtu));
  plugin.set(arena, "ipam", address_management(arena, setup));
  return plugin;
}

// Pods ignore router advertisements from the moment they have a link: another pod on the bridge may
// send some while this one starts, and a route that was learnt stays when the link's own setting is
// changed later. The plugin tuning fails without the result of a plugin before it. That is
// loopback, which only repeats what the runtime does for every pod.
void add_link_defaults(json::Arena& arena, json::Value& plugins) {
  plugins.push_back(arena, single(arena, "type", json::Value::borrowed("loopback")));
  json::Value tuning = single(arena, "type", json::Value::borrowed("tuning"));
  tuning.set(arena, "sysctl", single(arena, kAcceptAdvertisements, json::Value::borrowed("0")));
  plugins.push_back(arena, std::move(tuning));
}

json::Value capable_plugin(json::Arena& arena, std::string_view type, std::string_view capability) {
  json::Value plugin = json::Value::object();
  plugin.set(arena, "type", json::Value::borrowed(type));
  plugin.set(arena, "capabilities", single(arena, capability, json::Value::boolean(true)));
  return plugin;
}

}  // namespace cni_config_text

std::string cni_config(const CniSetup& setup) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value plugins = json::Value::array();
  if (setup.ipv6) cni_config_text::add_link_defaults(arena, plugins);
  plugins.push_back(arena, cni_config_text::bridge_plugin(arena, setup));
  plugins.push_back(arena, cni_config_text::capable_plugin(arena, "portmap", "portMappings"));
  plugins.push_back(arena, cni_config_text::capable_plugin(arena, "bandwidth", "bandwidth"));
  document.root() = json::Value::object();
  document.root().set(arena, "cniVersion", json::Value::borrowed("1.0.0"));
  document.root().set(arena, "name", json::Value::string(arena, setup.name));
  document.root().set(arena, "plugins", std::move(plugins));
  return json::print_pretty(document.root()) + "\n";
}

}  // namespace proa::network
