#include "kubelet/pod/container/sandbox_config.h"

#include <fmt/format.h>

#include <set>

#include "kubelet/pod/container/annotations.h"
#include "kubelet/pod/container/cri_fields.h"
#include "kubelet/pod/container/resources.h"
#include "kubelet/pod/container/security_context.h"

namespace proa::kubelet {
namespace sandbox_config {

int protocol_number(std::string_view protocol) {
  if (protocol == "UDP") return 1;
  return protocol == "SCTP" ? 2 : 0;
}

// Ports with the same name, or without names and otherwise equal, are duplicates.
std::string port_name(api::View port) {
  if (!port["name"].text().empty()) return std::string(port["name"].text());
  return fmt::format("/{}/{}/{}/{}", port["protocol"].text(), port["hostIP"].text(),
                     port["containerPort"].integer(), port["hostPort"].integer());
}

// All container ports, also those without a host port: upstream passes them all.
void write_ports(const api::Edit& config, api::View spec) {
  for (const api::View container : spec["containers"].items()) {
    std::set<std::string> names;
    for (const api::View port : container["ports"].items()) {
      if (!names.insert(port_name(port)).second) continue;
      const api::Edit mapping = config.array("port_mappings").push_object();
      write_number(mapping, "protocol", protocol_number(port["protocol"].text()));
      write_number(mapping, "container_port", port["containerPort"].integer());
      write_number(mapping, "host_port", port["hostPort"].integer());
      write_text(mapping, "host_ip", port["hostIP"].text());
    }
  }
}

void write_metadata(const api::Edit& metadata, const SandboxInputs& inputs) {
  metadata.set("name", inputs.pod.name());
  metadata.set("uid", inputs.pod.uid().view());
  metadata.set("namespace", inputs.pod.name_space());
  write_number(metadata, "attempt", inputs.attempt);
}

void write_dns(const api::Edit& config, const DnsConfig& dns) {
  write_texts(config, "servers", dns.servers);
  write_texts(config, "searches", dns.searches);
  write_texts(config, "options", dns.options);
}

Result<void> write_linux(const api::Edit& config, const SandboxInputs& inputs) {
  const Pod& pod = inputs.pod;
  write_text(config, "cgroup_parent", inputs.cgroup_parent);
  TRY(write_sandbox_security(config.object("security_context"), pod));
  // The runtime makes the link, which has this name with every CNI plugin, before it sets these.
  if (inputs.ignore_router_advertisements && !pod.uses_host_network()) {
    config.object("sysctls").set("net.ipv6.conf.eth0.accept_ra", "0");
  }
  for (const api::View sysctl : pod.spec()["securityContext"]["sysctls"].items())
    config.object("sysctls").set(sysctl["name"].text(), sysctl["value"].text());
  write_sandbox_resources(config, pod.spec(), inputs.cgroup_v2);
  return {};
}

}  // namespace sandbox_config

Result<json::Document> make_sandbox_config(const SandboxInputs& inputs) {
  const Pod& pod = inputs.pod;
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit config(document);
  sandbox_config::write_metadata(config.object("metadata"), inputs);
  // With the node's network comes the node's name.
  if (!pod.uses_host_network()) write_text(config, "hostname", inputs.hostname.hostname);
  config.set("log_directory",
             std::string_view(inputs.paths.pod_logs(pod.name_space(), pod.name(), pod.uid())));
  sandbox_config::write_dns(config.object("dns_config"), inputs.dns);
  sandbox_config::write_ports(config, pod.spec());
  write_sandbox_labels(config.object("labels"), pod);
  config.copy("annotations", pod.metadata()["annotations"]);
  TRY(sandbox_config::write_linux(config.object("linux"), inputs));
  return document;
}

}  // namespace proa::kubelet
