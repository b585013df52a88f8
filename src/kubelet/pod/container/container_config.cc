#include "kubelet/pod/container/container_config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/pod/container/annotations.h"
#include "kubelet/pod/container/cri_fields.h"
#include "kubelet/pod/container/resources.h"
#include "kubelet/pod/container/security_context.h"
#include "kubelet/pod/environment/environment.h"
#include "kubelet/runtime/cri/signals.h"

namespace proa::kubelet {
namespace container_config {

constexpr std::string_view kHostsPath = "/etc/hosts";

// "x//y/./z" becomes "/x/y/z".
std::string absolute(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return "/" + join(std::span<const std::string_view>(parts), "/");
}

std::string message_path(const ContainerInputs& inputs) {
  return fmt::format("{}/{}", inputs.paths.container(inputs.pod.uid(), inputs.container.name()),
                     Paths::termination_file(inputs.attempt));
}

// Ours, unless the container mounts something of its own there.
bool gets_hosts_file(const ContainerInputs& inputs) {
  const auto mounts = inputs.container.view["volumeMounts"].items();
  return inputs.has_hosts_file &&
         std::none_of(mounts.begin(), mounts.end(), [](const json::Value& mount) {
           return api::View(mount)["mountPath"].text() == kHostsPath;
         });
}

// Of volumes, and those that every container gets from the kubelet.
std::vector<ContainerMount> all_mounts(const ContainerInputs& inputs) {
  std::vector<ContainerMount> mounts = inputs.mounts;
  if (gets_hosts_file(inputs)) {
    mounts.push_back({.container_path = std::string(kHostsPath),
                      .host_path = inputs.paths.hosts_file(inputs.pod.uid()),
                      .selinux_relabel = true});
  }
  const std::string_view message = inputs.container.view["terminationMessagePath"].text();
  if (!message.empty()) {
    mounts.push_back({.container_path = absolute(message),
                      .host_path = message_path(inputs),
                      .selinux_relabel = true});
  }
  return mounts;
}

// Unlike the container's own image, it has the pod's annotations (upstream's getImageVolumes).
void write_volume_image(const api::Edit& edit, const VolumeImage& image, const Pod& pod) {
  edit.set("image", std::string_view(image.resolved));
  write_text(edit, "user_specified_image", image.specified);
  for (const json::Member& annotation : pod.metadata()["annotations"].members()) {
    edit.object("annotations").set(annotation.key, api::View(annotation.value).text());
  }
}

void write_mounts(const api::Edit& config, const ContainerInputs& inputs) {
  for (const ContainerMount& mount : all_mounts(inputs)) {
    const api::Edit edit = config.array("mounts").push_object();
    write_text(edit, "container_path", mount.container_path);
    write_text(edit, "host_path", mount.host_path);
    write_flag(edit, "readonly", mount.read_only);
    write_flag(edit, "selinux_relabel", mount.selinux_relabel && inputs.machine.has_selinux);
    write_number(edit, "propagation", static_cast<int64_t>(mount.propagation));
    write_flag(edit, "recursive_read_only", mount.recursive_read_only);
    if (mount.image) write_volume_image(edit.object("image"), *mount.image, inputs.pod);
    write_text(edit, "image_sub_path", mount.image_sub_path);
  }
}

void write_devices(const api::Edit& config, const ContainerInputs& inputs) {
  for (const ContainerDevice& device : inputs.devices) {
    const api::Edit edit = config.array("devices").push_object();
    write_text(edit, "container_path", device.container_path);
    write_text(edit, "host_path", device.host_path);
    write_text(edit, "permissions", device.permissions);
  }
}

void write_words(const api::Edit& config, std::string_view name, api::View words,
                 const Environment& environment) {
  std::vector<std::string> expanded;
  for (const api::View word : words.items()) expanded.push_back(expand(word.text(), environment));
  write_texts(config, name, expanded);
}

void write_process(const api::Edit& config, const ContainerInputs& inputs) {
  const api::View container = inputs.container.view;
  write_words(config, "command", container["command"], inputs.environment);
  write_words(config, "args", container["args"], inputs.environment);
  write_text(config, "working_dir", container["workingDir"].text());
  for (const Variable& variable : inputs.environment) {
    const api::Edit pair = config.array("envs").push_object();
    pair.set("key", std::string_view(variable.name));
    write_text(pair, "value", variable.value);
  }
  write_flag(config, "stdin", container["stdin"].flag());
  write_flag(config, "stdin_once", container["stdinOnce"].flag());
  write_flag(config, "tty", container["tty"].flag());
  write_number(config, "stop_signal",
               cri::signal_number(container["lifecycle"]["stopSignal"].text()));
}

void write_identity(const api::Edit& config, const ContainerInputs& inputs) {
  const api::View container = inputs.container.view;
  const api::Edit metadata = config.object("metadata");
  metadata.set("name", inputs.container.name());
  write_number(metadata, "attempt", inputs.attempt);
  const api::Edit image = config.object("image");
  image.set("image", std::string_view(inputs.image_ref));
  write_text(image, "user_specified_image", container["image"].text());
  write_container_labels(config.object("labels"), inputs.pod, inputs.container.name());
  write_container_annotations(config.object("annotations"), inputs.pod, container, inputs.restarts);
  config.set("log_path",
             std::string_view(Paths::log_file(inputs.container.name(), inputs.attempt)));
}

Result<void> write_linux(const api::Edit& config, const ContainerInputs& inputs) {
  const api::View container = inputs.container.view;
  write_container_resources(config.object("resources"), inputs.pod, container, inputs.machine);
  return write_container_security(config.object("security_context"),
                                  {.pod = inputs.pod,
                                   .container = container,
                                   .image = inputs.image,
                                   .machine = inputs.machine,
                                   .root = inputs.paths.root(),
                                   .target_id = inputs.target_id});
}

// Names of containers become names of folders.
Result<void> check_name(std::string_view name) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos)
    return {};
  return Status(Reason::kBadRequest, fmt::format("invalid container name \"{}\"", name));
}

}  // namespace container_config

Result<json::Document> make_container_config(const ContainerInputs& inputs) {
  TRY(check_non_root(inputs.pod, inputs.container.view, inputs.image));
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit config(document);
  container_config::write_identity(config, inputs);
  container_config::write_process(config, inputs);
  container_config::write_mounts(config, inputs);
  container_config::write_devices(config, inputs);
  TRY(container_config::write_linux(config.object("linux"), inputs));
  return document;
}

Result<void> prepare_container_files(Files& files, const ContainerInputs& inputs) {
  const Pod& pod = inputs.pod;
  TRY(container_config::check_name(inputs.container.name()));
  const std::string name(inputs.container.name());
  const std::string logs = inputs.paths.pod_logs(pod.name_space(), pod.name(), pod.uid());
  TRY(make_folders(logs + "/" + name, 0755));
  if (inputs.container.view["terminationMessagePath"].text().empty()) return {};

  const std::string folder = inputs.paths.container(pod.uid(), name);
  TRY(make_folders(folder, 0750));
  const std::string file = Paths::termination_file(inputs.attempt);
  // One that an earlier try left may be mounted somewhere: this container gets its own.
  auto removed = files.remove(folder + "/" + file);
  if (!removed && !removed.is(Reason::kNotFound)) return removed;
  const FileDescriptor made =
      TRY(files.open_beneath(folder, file, O_WRONLY | O_CREAT | O_EXCL, 0666));
  // Undoes the umask; the container may run as any user.
  if (::fchmod(made.get(), 0666) != 0) return errno_status("setting the mode of " + file, errno);
  return {};
}

Result<json::Document> make_container_resources(const Pod& pod, api::View container,
                                                const MachineFacts& machine) {
  json::Document document(json::Arena(), json::Value::object());
  write_container_resources(api::Edit(document), pod, container, machine);
  return document;
}

std::string container_hash(api::View container) {
  // FNV-1a over what upstream counts, with something between them that neither can contain.
  uint32_t hash = 2166136261u;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  add(container["name"].text());
  add(std::string_view("\0", 1));
  add(container["image"].text());
  return fmt::format("{:08x}", hash);
}

}  // namespace proa::kubelet
