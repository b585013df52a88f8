#include "kubelet/runtime/containerd/bundles.h"

#include <functional>

#include "base/strings.h"
#include "kubelet/host/mounts/tree_removal.h"

namespace proa::kubelet {
namespace bundles {

constexpr size_t kMostBytes = 4096;

// Every folder of a bundle, with its name. Where there are none, nothing was ever started.
Result<void> for_each(
    Files& files, const std::string& tasks,
    const std::function<Result<void>(const std::string& path, const std::string& name)>& visit) {
  const auto namespaces = files.list(tasks);
  if (namespaces.is(Reason::kNotFound)) return {};
  if (!namespaces.ok()) return namespaces.status();
  for (const std::string& name_space : *namespaces) {
    const std::string folder = tasks + "/" + name_space;
    const std::vector<std::string> names = TRY(files.list(folder));
    for (const std::string& name : names) TRY(visit(folder + "/" + name, name));
  }
  return {};
}

// Whether its shim has started to use it; until then nothing is mounted there either.
Result<bool> is_made(Files& files, const std::string& bundle) {
  for (const char* file : {"/runtime", "/init.pid"}) {
    const bool found = TRY(files.exists(bundle + file));
    if (found) return true;
  }
  return false;
}

}  // namespace bundles

Result<std::set<int64_t>> first_processes(Files& files, const std::string& tasks) {
  std::set<int64_t> found;
  TRY(bundles::for_each(
      files, tasks, [&](const std::string& path, const std::string&) -> Result<void> {
        const auto text = files.read_file(path + "/init.pid", bundles::kMostBytes);
        if (text.is(Reason::kNotFound)) return {};
        if (!text.ok()) return text.status();
        if (const auto pid = parse_int(trim(*text))) found.insert(*pid);
        return {};
      }));
  return found;
}

Result<size_t> remove_stray_bundles(Files& files, const std::string& tasks) {
  size_t removed = 0;
  const auto remove_stray = [&](const std::string& path, const std::string& name) -> Result<void> {
    // What goes is first given a name with a dot.
    const bool made = TRY(bundles::is_made(files, path));
    if (made && !name.starts_with('.')) return {};
    ++removed;
    return remove_tree(path);
  };
  TRY(bundles::for_each(files, tasks, remove_stray));
  return removed;
}

}  // namespace proa::kubelet
