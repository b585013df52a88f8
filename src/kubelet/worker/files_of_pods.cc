#include "kubelet/worker/files_of_pods.h"

namespace proa::kubelet {
namespace files_of_pods {

Result<void> unless_missing(Result<void> removed) {
  if (removed.is(Reason::kNotFound)) return {};
  return removed;
}

// A folder of containers' logs: files only.
Result<void> remove_folder(Files& files, const std::string& folder) {
  const Result<std::vector<std::string>> names = files.list(folder);
  if (names.is(Reason::kNotFound)) return {};
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) TRY(unless_missing(files.remove(folder + "/" + name)));
  return unless_missing(files.remove(folder));
}

}  // namespace files_of_pods

Result<void> remove_log(Files& files, const Paths& paths, const Pod& pod,
                        const cri::Container& container) {
  const std::string folder =
      paths.pod_logs(pod.name_space(), pod.name(), pod.uid()) + "/" + container.name;
  const std::string log = std::to_string(container.attempt) + ".log";
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names.ok()) return {};
  for (const std::string& name : *names) {
    const bool is_of_it = name == log || name.starts_with(log + ".");
    if (is_of_it) TRY(files_of_pods::unless_missing(files.remove(folder + "/" + name)));
  }
  return {};
}

Result<void> remove_logs(Files& files, const Paths& paths, const Pod& pod) {
  return remove_logs(files, paths, pod.name_space(), pod.name(), pod.uid());
}

Result<void> remove_logs(Files& files, const Paths& paths, std::string_view name_space,
                         std::string_view name, std::string_view uid) {
  const std::string folder = paths.pod_logs(name_space, name, uid);
  const Result<std::vector<std::string>> containers = files.list(folder);
  if (containers.is(Reason::kNotFound)) return {};
  if (!containers.ok()) return containers.status();
  for (const std::string& container : *containers) {
    TRY(files_of_pods::remove_folder(files, folder + "/" + container));
  }
  return files_of_pods::unless_missing(files.remove(folder));
}

}  // namespace proa::kubelet
