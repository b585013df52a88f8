#include "kubelet/workers/start/container_configurer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kubelet/pod/container/container_config.h"
#include "kubelet/pod/environment/dns.h"
#include "kubelet/pod/environment/environment.h"
#include "kubelet/pod/environment/hostname.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/workers/start/pod_files.h"

namespace proa::kubelet {
namespace container_configurer {

// The id of the container whose processes an ephemeral container shall see; empty without one.
Result<std::string> target_id(const ContainerSpec& container, const cri::RuntimePod& running) {
  const std::string_view name = container.view["targetContainerName"].text();
  if (container.kind != ContainerKind::kEphemeral || name.empty()) return std::string();
  const cri::Container* found = running.newest(name);
  if (found == nullptr || found->state != cri::ContainerState::kRunning) {
    return Status(Reason::kNotFound, fmt::format("unable to find target container {}", name));
  }
  return found->id;
}

}  // namespace container_configurer

int ContainerConfigurer::count_restarts(const Pod& pod, const ContainerSpec& container,
                                        const cri::RuntimePod& running) const {
  const cri::Container* newest = running.newest(container.name());
  if (newest != nullptr) {
    const auto noted = newest->annotations.find(cri::kRestartCount);
    const std::optional<int64_t> count =
        noted == newest->annotations.end() ? std::nullopt : parse_int(noted->second);
    return static_cast<int>(count.value_or(newest->attempt)) + 1;
  }
  const Result<std::vector<std::string>> logs =
      context_.files.list(context_.paths.pod_logs(pod.name_space(), pod.name(), pod.uid()) + "/" +
                          std::string(container.name()));
  int next = 0;
  if (!logs.ok()) return next;
  for (const std::string& name : *logs) {
    const std::optional<int64_t> number = parse_int(name.substr(0, name.find('.')));
    if (number) next = std::max(next, static_cast<int>(*number) + 1);
  }
  return next;
}

Result<json::Document> ContainerConfigurer::configure(const Inputs& in) const {
  std::map<std::string, std::string, std::less<>> volume_paths;
  for (const auto& [name, volume] : in.volumes) {
    if (!volume.image) volume_paths[name] = volume.path;  // an image is nowhere on the node
  }
  Environment environment = TRY(make_environment({.pod = in.pod,
                                                  .container = in.container.view,
                                                  .facts = in.facts,
                                                  .objects = context_.objects,
                                                  .services = context_.services,
                                                  .volume_paths = &volume_paths,
                                                  .services_known = context_.services_synced()}));
  std::vector<ContainerMount> mounts =
      TRY(context_.volumes.container_mounts(in.pod, in.container.view, in.volumes, environment));
  std::vector<ContainerDevice> devices =
      TRY(context_.volumes.container_devices(in.container.view, in.volumes));
  const PodHostname hostname = TRY(hostname_for(in.pod, context_.options));
  const std::string hosts = hosts_file(in.pod, in.facts.addresses, hostname,
                                       read_host_file(context_.files, "/etc/hosts"));
  TRY(write_hosts_file(context_.files, context_.paths, in.pod, hosts));
  std::string target = TRY(container_configurer::target_id(in.container, in.running));
  const ContainerInputs inputs{.pod = in.pod,
                               .container = in.container,
                               .attempt = static_cast<uint32_t>(in.restarts),
                               .restarts = in.restarts,
                               .paths = context_.paths,
                               .machine = context_.machine,
                               .image = in.image.image,
                               .image_ref = in.image.reference,
                               .environment = std::move(environment),
                               .mounts = std::move(mounts),
                               .devices = std::move(devices),
                               .target_id = std::move(target),
                               .hostname = hostname.hostname};
  TRY(prepare_container_files(context_.files, inputs));
  return make_container_config(inputs);
}

}  // namespace proa::kubelet
