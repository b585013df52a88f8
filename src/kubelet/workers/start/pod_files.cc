#include "kubelet/workers/start/pod_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "kubelet/host/mounts/folder.h"

namespace proa::kubelet {
namespace pod_files {

// More than any sensible /etc/hosts or resolv.conf has.
constexpr size_t kMaxHostFileBytes = size_t{64} * 1024;

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

// Of a pod: a folder for each container.
Result<void> remove_tree(Files& files, const std::string& folder) {
  const Result<std::vector<std::string>> containers = files.list(folder);
  if (containers.is(Reason::kNotFound)) return {};
  if (!containers.ok()) return containers.status();
  for (const std::string& container : *containers) {
    TRY(remove_folder(files, folder + "/" + container));
  }
  return unless_missing(files.remove(folder));
}

// Everything of the pod with that folder of logs; its record last.
Result<void> remove_pod(Files& files, const Paths& paths, const std::string& name) {
  TRY(remove_tree(files, paths.logs() + "/" + name));
  TRY(remove_log_links(paths.log_links(), paths.logs() + "/" + name));
  if (!paths.has_log_records()) return {};
  const std::string record = paths.log_records() + "/" + name;
  if (::unlink(record.c_str()) == 0 || errno == ENOENT) return {};
  // Logs from a time when they were kept there.
  if (errno == EISDIR) return remove_tree(files, record);
  return errno_status("removing " + record, errno);
}

// Of "default_web_7f3c...": the part after the second underscore. Empty for other names.
api::UidView uid_of(std::string_view name) {
  const size_t first = name.find('_');
  const size_t last = name.rfind('_');
  return first == last ? api::UidView() : api::UidView(name.substr(last + 1));
}

}  // namespace pod_files

std::string read_host_file(Files& files, const std::string& path) {
  Result<std::string> text = files.read_file(path, pod_files::kMaxHostFileBytes);
  return text.ok() ? std::move(*text) : std::string();
}

Result<void> write_hosts_file(Files& files, const Paths& paths, const Pod& pod,
                              std::string_view text) {
  const std::string path = paths.hosts_file(pod.uid());
  const Result<std::string> before = files.read_file(path, text.size());
  if (before.ok() && *before == text) return {};
  const size_t slash = path.rfind('/');
  const FileDescriptor file =
      TRY(files.open_beneath(path.substr(0, slash), path.substr(slash + 1),
                             O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644));
  // Undoes the umask; containers may run as any user.
  bool done = ::fchmod(file.get(), 0644) == 0;
  while (done && !text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    done = count >= 0 || errno == EINTR;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
  return done ? Result<void>() : errno_status("writing " + path, errno);
}

Result<void> make_log_folder(const Paths& paths, const Pod& pod) {
  const std::string folder = paths.pod_logs(pod.name_space(), pod.name(), pod.uid());
  // First the record: what it names may be missing, but no folder of ours has none.
  if (paths.has_log_records()) {
    const std::string record = paths.log_records() + folder.substr(folder.rfind('/'));
    if (::symlink(folder.c_str(), record.c_str()) != 0 && errno != EEXIST) {
      return errno_status("creating " + record, errno);
    }
  }
  return make_folders(folder, 0755);
}

Result<void> link_log(const Paths& paths, const Pod& pod, std::string_view container,
                      std::string_view log_file, const std::string& id) {
  const std::string log =
      paths.pod_logs(pod.name_space(), pod.name(), pod.uid()) + "/" + std::string(log_file);
  const std::string link =
      paths.log_links() + "/" + Paths::log_link(pod.name(), pod.name_space(), container, id);
  int result = ::symlink(log.c_str(), link.c_str());
  if (result != 0 && errno == ENOENT) {
    // Somebody else removed the folder when it was empty.
    TRY(make_folders(paths.log_links(), 0755));
    result = ::symlink(log.c_str(), link.c_str());
  }
  if (result == 0 || errno == EEXIST) return {};
  return errno_status("creating " + link, errno);
}

Result<void> remove_log_links(const std::string& links, const std::string& target) {
  const Result<FileDescriptor> folder = open_folder(links);
  if (folder.is(Reason::kNotFound)) return {};
  if (!folder.ok()) return folder.status();
  return each_name(folder->get(), [&](const char* name) {
    char text[PATH_MAX];
    const ssize_t size = ::readlinkat(folder->get(), name, text, sizeof text);
    if (size <= 0) return true;
    const std::string_view to(text, static_cast<size_t>(size));
    const bool is_of_it = to == target || to.starts_with(target + "/");
    // Somebody else may have removed it.
    if (is_of_it) ::unlinkat(folder->get(), name, 0);
    return true;
  });
}

Result<void> remove_log(Files& files, const Paths& paths, const Pod& pod,
                        const cri::Container& container) {
  const std::string folder =
      paths.pod_logs(pod.name_space(), pod.name(), pod.uid()) + "/" + container.name;
  const std::string log = std::to_string(container.attempt) + ".log";
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names.ok()) return {};
  for (const std::string& name : *names) {
    const bool is_of_it = name == log || name.starts_with(log + ".");
    if (is_of_it) TRY(pod_files::unless_missing(files.remove(folder + "/" + name)));
  }
  return remove_log_links(paths.log_links(), folder + "/" + log);
}

Result<void> remove_logs(Files& files, const Paths& paths, const Pod& pod) {
  const std::string folder = paths.pod_logs(pod.name_space(), pod.name(), pod.uid());
  return pod_files::remove_pod(files, paths, folder.substr(folder.rfind('/') + 1));
}

Result<void> remove_logs(Files& files, const Paths& paths, api::UidView uid) {
  const Result<std::vector<std::string>> names = files.list(paths.log_records());
  if (names.is(Reason::kNotFound)) return {};
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (pod_files::uid_of(name) != uid) continue;
    TRY(pod_files::remove_pod(files, paths, name));
  }
  return {};
}

Result<std::vector<api::Uid>> pods_with_logs(Files& files, const Paths& paths) {
  const std::vector<std::string> names = TRY(files.list(paths.log_records()));
  std::vector<api::Uid> uids;
  for (const std::string& name : names) {
    const api::UidView uid = pod_files::uid_of(name);
    if (!uid.empty()) uids.emplace_back(uid);
  }
  return uids;
}

}  // namespace proa::kubelet
