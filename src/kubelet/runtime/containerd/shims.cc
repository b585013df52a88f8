#include "kubelet/runtime/containerd/shims.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/process/spawn.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "kubelet/runtime/containerd/bundles.h"

namespace proa::kubelet {
namespace shims {

constexpr Duration kPatience = std::chrono::seconds(5);
constexpr size_t kMostBytes = 4096;
// One more pass after each that found something: a shim is started by a helper process, and may be
// missed.
constexpr int kMostLooks = 20;

// Zero when it is gone.
int64_t parent_of(Files& files, const std::string& pid) {
  const auto text = files.read_file("/proc/" + pid + "/stat", kMostBytes);
  if (!text.ok()) return 0;
  // The name is in parentheses and may contain some itself; then come the state and the parent.
  const auto fields = split(std::string_view(*text).substr(text->rfind(')') + 1), ' ');
  return fields.size() > 2 ? parse_int(fields[2]).value_or(0) : 0;
}

// The word after `word`; empty if there is none.
std::string value_of(const std::vector<std::string>& words, std::string_view name) {
  const auto found = std::find(words.begin(), words.end(), name);
  return found == words.end() || std::next(found) == words.end() ? "" : *std::next(found);
}

// "containerd-shim-runc-v2 -namespace k8s.io -id ID -address SOCKET"
struct Shim {
  ProcessHandle process = {};
  int64_t parent = 0;
  std::string bundle = {};  // "k8s.io/ID"
  // The same program starts shims, cleans up after them, and exits by itself.
  bool is_helper = false;
};

struct Look {
  std::vector<Shim> shims = {};
  std::multimap<int64_t, int64_t> children = {};  // of all processes of the machine
};

Result<Look> look_around(Files& files, const ShimPlace& place) {
  Look look;
  for (const std::string& name : TRY(files.list("/proc"))) {
    const auto pid = parse_int(name);
    if (!pid) continue;
    const int64_t parent = parent_of(files, name);
    look.children.emplace(parent, *pid);
    auto process = ProcessHandle::open(static_cast<pid_t>(*pid));
    if (!process.ok()) continue;
    const std::vector<std::string> words = process->words();
    const std::string name_space = value_of(words, "-namespace");
    const std::string id = value_of(words, "-id");
    if (value_of(words, "-address") != place.socket || name_space.empty() || id.empty()) continue;
    look.shims.push_back({.process = std::move(*process),
                          .parent = parent,
                          .bundle = name_space + "/" + id,
                          .is_helper = words.back() == "start" || words.back() == "delete"});
  }
  // What a shim starts has its words for a moment.
  std::set<int64_t> pids;
  for (const Shim& shim : look.shims) pids.insert(shim.process.pid());
  std::erase_if(look.shims, [&](const Shim& shim) { return pids.contains(shim.parent); });
  return look;
}

// It, and all that it started that still belong to it.
std::vector<ProcessHandle> family_of(Files& files, const Look& look, const Shim& shim) {
  std::vector<ProcessHandle> family;
  std::vector<int64_t> parents = {shim.process.pid()};
  while (!parents.empty()) {
    const int64_t parent = parents.back();
    parents.pop_back();
    const auto [begin, end] = look.children.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      auto process = ProcessHandle::open(static_cast<pid_t>(child->second));
      // The number may be another's by now.
      if (!process.ok() || parent_of(files, std::to_string(child->second)) != parent) continue;
      family.push_back(std::move(*process));
      parents.push_back(child->second);
    }
  }
  return family;
}

// The init processes of containers; nullopt if there are no bundles.
using FirstProcesses = std::optional<std::set<int64_t>>;

Result<FirstProcesses> find_first(Files& files, const ShimPlace& place) {
  const bool known = TRY(files.exists(place.tasks));
  if (!known) return FirstProcesses();
  std::set<int64_t> found = TRY(first_processes(files, place.tasks));
  return FirstProcesses(std::move(found));
}

bool runs_something(const Look& look, const Shim& shim, const FirstProcesses& first) {
  const auto [begin, end] = look.children.equal_range(shim.process.pid());
  // Any child might be a container.
  if (!first) return begin != end;
  return std::any_of(begin, end, [&](const auto& child) { return first->contains(child.second); });
}

// A killed shim does not remove it itself.
void remove_socket(Files& files, const std::string& path) {
  struct stat info {};
  // One that is gone meanwhile is as good; one that stays does no harm.
  if (lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) (void)files.remove(path);
}

void end(Files& files, const Look& look, const Shim& shim, const ShimPlace& place) {
  // Processes that these start later exit by themselves when the shim is gone.
  const std::vector<ProcessHandle> family = family_of(files, look, shim);
  shim.process.signal(SIGKILL);
  for (const ProcessHandle& process : family) process.signal(SIGKILL);
  shim.process.wait_for_end(kPatience);
  for (const ProcessHandle& process : family) process.wait_for_end(kPatience);
  remove_socket(files, shim_socket(place, shim.bundle));
}

bool refuses(const std::string& path) {
  const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (!probe.valid() || path.size() >= sizeof where.sun_path) return false;
  std::memcpy(where.sun_path, path.c_str(), path.size() + 1);
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 &&
         errno == ECONNREFUSED;
}

bool is_older(const std::string& path, Duration age) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return false;
  const Time changed{std::chrono::seconds(info.st_ctim.tv_sec)};
  return SystemClock().now() - changed >= age;
}

// Named by a digest, as containerd does.
bool is_shim_socket(std::string_view name) {
  return name.size() == 2 * sizeof(crypto::Sha256Digest::bytes) &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "k8s.io/ID"
Result<std::vector<std::string>> find_bundles(Files& files, const ShimPlace& place) {
  std::vector<std::string> bundles;
  const bool known = TRY(files.exists(place.tasks));
  if (!known) return bundles;
  for (const std::string& name_space : TRY(files.list(place.tasks))) {
    const auto ids = files.list(place.tasks + "/" + name_space);
    if (!ids.ok()) continue;
    for (const std::string& id : *ids) bundles.push_back(name_space + "/" + id);
  }
  return bundles;
}

}  // namespace shims

std::string shim_socket(const ShimPlace& place, const std::string& bundle) {
  const std::string name = place.socket + "/" + bundle;
  return place.shim_sockets + "/" + crypto::sha256(name).hex();
}

Result<size_t> end_idle_shims(Files& files, const ShimPlace& place) {
  size_t ended = 0;
  for (int looks = 0; looks < shims::kMostLooks; ++looks) {
    const shims::Look look = TRY(shims::look_around(files, place));
    const shims::FirstProcesses first = TRY(shims::find_first(files, place));
    bool changed = false;
    for (const shims::Shim& shim : look.shims) {
      if (shim.is_helper && shim.process.wait_for_end(shims::kPatience)) {
        changed = true;
      } else if (!shims::runs_something(look, shim, first)) {
        shims::end(files, look, shim, place);
        changed = true;
        ++ended;
      }
    }
    if (!changed) return ended;
  }
  return Status(Reason::kTimeout, "shims of " + place.socket + " do not exit");
}

Result<size_t> end_lost_shims(Files& files, const ShimPlace& place) {
  const shims::Look look = TRY(shims::look_around(files, place));
  const shims::FirstProcesses first = TRY(shims::find_first(files, place));
  if (!first) return size_t{0};
  size_t ended = 0;
  for (const shims::Shim& shim : look.shims) {
    if (shim.is_helper || shims::runs_something(look, shim, first)) continue;
    // It is made before its shim is started.
    const bool is_known = TRY(files.exists(place.tasks + "/" + shim.bundle));
    if (is_known) continue;
    shims::end(files, look, shim, place);
    ++ended;
  }
  return ended;
}

Result<void> remove_dead_sockets(Files& files, const ShimPlace& place, Duration start_time) {
  for (const std::string& bundle : TRY(shims::find_bundles(files, place))) {
    const std::string path = shim_socket(place, bundle);
    if (shims::refuses(path)) shims::remove_socket(files, path);
  }
  const bool exists = TRY(files.exists(place.shim_sockets));
  if (!exists) return {};
  for (const std::string& name : TRY(files.list(place.shim_sockets))) {
    const std::string path = place.shim_sockets + "/" + name;
    if (!shims::is_shim_socket(name) || !shims::is_older(path, start_time) || !shims::refuses(path))
      continue;
    shims::remove_socket(files, path);
  }
  return {};
}

}  // namespace proa::kubelet
