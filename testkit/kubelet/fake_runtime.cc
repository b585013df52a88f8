#include "testkit/kubelet/fake_runtime.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/strings.h"
#include "json/print.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/runtime/cri/messages.h"

namespace proa::testkit {
namespace fake_runtime {

using api::View;
using namespace kubelet::cri;

// CRI's value of the host network namespace.
constexpr int64_t kNode = 2;

bool is_of_pod(const Labels& labels, api::UidView uid) {
  const auto found = labels.find(kPodUid);
  return uid.empty() || (found != labels.end() && uid == found->second);
}

Image completed(const std::string& reference, Image image) {
  if (image.id.empty()) image.id = "sha256:" + reference;
  if (image.tags.empty()) image.tags.push_back(reference);
  if (image.size == 0) image.size = 1000;
  return image;
}

ContainerResources read_resources(api::View said) {
  return {.cpu_period = said["cpu_period"].integer(),
          .cpu_quota = said["cpu_quota"].integer(),
          .cpu_shares = said["cpu_shares"].integer(),
          .memory_limit = said["memory_limit_in_bytes"].integer()};
}

}  // namespace fake_runtime

using namespace kubelet::cri;

std::vector<std::string> FakeRuntime::calls() const {
  const MutexLock lock(mutex_);
  return calls_;
}

void FakeRuntime::clear_calls() {
  const MutexLock lock(mutex_);
  calls_.clear();
}

void FakeRuntime::fail_next(const std::string& method, const Status& why) {
  const MutexLock lock(mutex_);
  failures_[method].push_back(why);
}

void FakeRuntime::finish(const std::string& container_id, int exit_code, std::string reason) {
  {
    const MutexLock lock(mutex_);
    const auto found = containers_.find(container_id);
    CHECK(found != containers_.end());
    end_container(found->second.container, exit_code, std::move(reason));
  }
  tell({container_id});
}

void FakeRuntime::kill_sandbox(const std::string& id) {
  std::vector<std::string> changed;
  {
    const MutexLock lock(mutex_);
    const auto found = sandboxes_.find(id);
    CHECK(found != sandboxes_.end());
    changed = end_sandbox(found->second);
  }
  tell(changed);
}

void FakeRuntime::ignore_stops(const std::string& name) {
  const MutexLock lock(mutex_);
  stubborn_[name] = true;
}

void FakeRuntime::add_image(const std::string& reference, Image image) {
  const MutexLock lock(mutex_);
  images_[reference] = fake_runtime::completed(reference, std::move(image));
}

void FakeRuntime::offer_image(const std::string& reference, Image image) {
  const MutexLock lock(mutex_);
  offered_[reference] = fake_runtime::completed(reference, std::move(image));
}

void FakeRuntime::answer_exec(const std::string& command, ExecResult answer) {
  const MutexLock lock(mutex_);
  answers_[command] = std::move(answer);
}

void FakeRuntime::set_readiness(RuntimeReadiness readiness) {
  const MutexLock lock(mutex_);
  readiness_ = std::move(readiness);
}

std::string FakeRuntime::newest(const std::string& container_name) const {
  const MutexLock lock(mutex_);
  const Container* found = nullptr;
  for (const auto& [id, entry] : containers_) {
    const Container& one = entry.container;
    if (one.name == container_name && (found == nullptr || one.created > found->created))
      found = &one;
  }
  return found == nullptr ? std::string() : found->id;
}

std::string FakeRuntime::newest_sandbox(const std::string& pod_name) const {
  const MutexLock lock(mutex_);
  const Sandbox* found = nullptr;
  for (const auto& [id, entry] : sandboxes_) {
    const Sandbox& one = entry.sandbox;
    if (one.name == pod_name && (found == nullptr || one.created > found->created)) found = &one;
  }
  return found == nullptr ? std::string() : found->id;
}

std::string FakeRuntime::config_of(const std::string& id) const {
  const MutexLock lock(mutex_);
  if (const auto found = containers_.find(id); found != containers_.end())
    return found->second.config;
  const auto found = sandboxes_.find(id);
  return found == sandboxes_.end() ? std::string() : found->second.config;
}

Result<void> FakeRuntime::ask(const std::string& method) {
  auto& waiting = failures_[method];
  if (waiting.empty()) return {};
  const Status why = waiting.front();
  waiting.pop_front();
  return why;
}

Result<void> FakeRuntime::begin(const std::string& method, const std::string& words) {
  calls_.push_back(method + " " + words);
  return ask(method);
}

Result<FakeRuntime::ContainerEntry*> FakeRuntime::find_container(const std::string& id) {
  const auto found = containers_.find(id);
  if (found == containers_.end())
    return Status(Reason::kNotFound, "container " + id + " not found");
  return &found->second;
}

Result<FakeRuntime::SandboxEntry*> FakeRuntime::find_sandbox(const std::string& id) {
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end()) return Status(Reason::kNotFound, "sandbox " + id + " not found");
  return &found->second;
}

std::string FakeRuntime::container_name(const std::string& id) const {
  const auto found = containers_.find(id);
  return found == containers_.end() ? id : found->second.container.name;
}

std::string FakeRuntime::pod_name(const std::string& id) const {
  const auto found = sandboxes_.find(id);
  return found == sandboxes_.end() ? id : found->second.sandbox.name;
}

void FakeRuntime::end_container(Container& container, int exit_code, std::string reason) {
  if (reason.empty()) reason = exit_code == 0 ? "Completed" : "Error";
  container.state = ContainerState::kExited;
  container.finished = moment();
  container.exit_code = exit_code;
  container.reason = std::move(reason);
}

std::vector<std::string> FakeRuntime::end_sandbox(SandboxEntry& entry) {
  std::vector<std::string> changed;
  for (auto& [id, one] : containers_) {
    Container& container = one.container;
    if (container.sandbox_id != entry.sandbox.id || container.state != ContainerState::kRunning)
      continue;
    end_container(container, 137, "");
    changed.push_back(id);
  }
  entry.sandbox.state = SandboxState::kNotReady;
  changed.push_back(entry.sandbox.id);
  return changed;
}

const Image* FakeRuntime::find_image(const std::string& reference) const {
  for (const auto& [name, image] : images_) {
    const auto& digests = image.digests;
    if (name == reference || image.id == reference ||
        std::find(digests.begin(), digests.end(), reference) != digests.end())
      return &image;
  }
  return nullptr;
}

Time FakeRuntime::moment() {
  last_moment_ = std::max(clock_.now(), last_moment_ + Duration(1));
  return last_moment_;
}

void FakeRuntime::tell(const std::vector<std::string>& ids) {
  if (!listener_) return;
  for (const auto& id : ids) listener_(id);
}

Result<RuntimeVersion> FakeRuntime::version(const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("version"));
  return RuntimeVersion{.name = "fake", .version = "1.0.0", .api_version = "v1"};
}

Result<RuntimeReadiness> FakeRuntime::readiness(const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("readiness"));
  return readiness_;
}

Result<void> FakeRuntime::set_pod_cidr(const std::string& cidr, const Until&) {
  const MutexLock lock(mutex_);
  return begin("set_pod_cidr", cidr);
}

Result<std::string> FakeRuntime::run_sandbox(const json::Value& config, const std::string& handler,
                                             const Until&) {
  SandboxEntry entry{.sandbox = read_sandbox(config), .config = json::print(config)};
  Sandbox& made = entry.sandbox;
  {
    const MutexLock lock(mutex_);
    TRY(begin("run_sandbox", made.name));
    const int number = ++made_;
    made.id = "sandbox-" + std::to_string(number);
    made.state = SandboxState::kReady;
    made.created = moment();
    made.runtime_handler = handler;
    const auto network = api::View(config)["linux"]["security_context"]["namespace_options"];
    if (network["network"].integer() != fake_runtime::kNode)
      made.addresses.push_back("10.88.0." + std::to_string(number));
    sandboxes_[made.id] = entry;
  }
  tell({made.id});
  return made.id;
}

Result<void> FakeRuntime::stop_sandbox(const std::string& id, const Until&) {
  std::vector<std::string> changed;
  {
    const MutexLock lock(mutex_);
    TRY(begin("stop_sandbox", pod_name(id)));
    if (const auto found = sandboxes_.find(id); found != sandboxes_.end())
      changed = end_sandbox(found->second);
  }
  tell(changed);
  return {};
}

Result<void> FakeRuntime::remove_sandbox(const std::string& id, const Until&) {
  {
    const MutexLock lock(mutex_);
    TRY(begin("remove_sandbox", pod_name(id)));
    sandboxes_.erase(id);
    std::erase_if(containers_,
                  [&](const auto& entry) { return entry.second.container.sandbox_id == id; });
  }
  tell({id});
  return {};
}

Result<Sandbox> FakeRuntime::sandbox(const std::string& id, const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("sandbox"));
  const SandboxEntry* found = TRY(find_sandbox(id));
  return found->sandbox;
}

Result<std::vector<Sandbox>> FakeRuntime::sandboxes(api::UidView pod_uid, const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("sandboxes"));
  std::vector<Sandbox> found;
  for (const auto& [id, entry] : sandboxes_) {
    if (!fake_runtime::is_of_pod(entry.sandbox.labels, pod_uid)) continue;
    found.push_back(entry.sandbox);
    found.back().addresses.clear();
  }
  return found;
}

Result<std::string> FakeRuntime::create_container(const std::string& sandbox_id,
                                                  const json::Value& config,
                                                  const json::Value& /*sandbox_config*/,
                                                  const Until&) {
  ContainerEntry entry{.container = read_container(config), .config = json::print(config)};
  Container& made = entry.container;
  {
    const MutexLock lock(mutex_);
    TRY(begin("create_container", made.name));
    const SandboxEntry* sandbox = TRY(find_sandbox(sandbox_id));
    if (sandbox->sandbox.state != SandboxState::kReady)
      return Status(Reason::kInternalError, "sandbox container " + sandbox_id + " is not running");
    const Image* image = find_image(made.image);
    if (image == nullptr)
      return Status(Reason::kNotFound, "image \"" + made.image + "\": not found");
    made.id = "container-" + std::to_string(++made_);
    made.sandbox_id = sandbox_id;
    made.state = ContainerState::kCreated;
    made.created = moment();
    made.resources = fake_runtime::read_resources(api::View(config)["linux"]["resources"]);
    made.image_id = image->id;
    made.image_ref = image->digests.empty() ? image->id : image->digests.front();
    containers_[made.id] = entry;
  }
  tell({made.id});
  return made.id;
}

Result<void> FakeRuntime::start_container(const std::string& id, const Until&) {
  {
    const MutexLock lock(mutex_);
    TRY(begin("start_container", container_name(id)));
    ContainerEntry* found = TRY(find_container(id));
    if (found->container.state != ContainerState::kCreated)
      return Status(Reason::kInternalError, "container " + id + " is not in created state");
    found->container.state = ContainerState::kRunning;
    found->container.started = moment();
  }
  tell({id});
  return {};
}

Result<void> FakeRuntime::stop_container(const std::string& id, Duration grace, const Until&) {
  {
    const MutexLock lock(mutex_);
    TRY(begin("stop_container", container_name(id) + " " + format_duration(grace)));
    const auto found = containers_.find(id);
    if (found == containers_.end() || found->second.container.state != ContainerState::kRunning)
      return {};
    Container& container = found->second.container;
    const bool killed = grace <= Duration(0) || stubborn_.count(container.name) != 0;
    end_container(container, killed ? 137 : 143, "");
  }
  tell({id});
  return {};
}

Result<void> FakeRuntime::remove_container(const std::string& id, const Until&) {
  {
    const MutexLock lock(mutex_);
    TRY(begin("remove_container", container_name(id)));
    containers_.erase(id);
  }
  tell({id});
  return {};
}

Result<Container> FakeRuntime::container(const std::string& id, const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("container"));
  const ContainerEntry* found = TRY(find_container(id));
  Container whole = found->container;
  whole.sandbox_id.clear();
  return whole;
}

Result<std::vector<Container>> FakeRuntime::containers(const ContainerFilter& filter,
                                                       const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("containers"));
  std::vector<Container> found;
  for (const auto& [id, entry] : containers_) {
    const Container& one = entry.container;
    if (!filter.id.empty() && filter.id != id) continue;
    if (!filter.sandbox_id.empty() && filter.sandbox_id != one.sandbox_id) continue;
    if (!fake_runtime::is_of_pod(one.labels, filter.pod_uid)) continue;
    Container listed = one;
    listed.started = listed.finished = {};
    listed.exit_code = 0;
    listed.mounted_images.clear();
    listed.reason.clear();
    listed.message.clear();
    found.push_back(std::move(listed));
  }
  return found;
}

Result<void> FakeRuntime::update_resources(const std::string& id, const json::Value& resources,
                                           const Until&) {
  {
    const MutexLock lock(mutex_);
    TRY(begin("update_resources", container_name(id)));
    ContainerEntry* found = TRY(find_container(id));
    found->container.resources = fake_runtime::read_resources(resources);
  }
  tell({id});
  return {};
}

Result<void> FakeRuntime::reopen_log(const std::string& id, const Until&) {
  const MutexLock lock(mutex_);
  TRY(begin("reopen_log", container_name(id)));
  TRY(find_container(id));
  return {};
}

Result<ExecResult> FakeRuntime::exec(const std::string& id, const std::vector<std::string>& command,
                                     Duration /*timeout*/, const Until&) {
  const MutexLock lock(mutex_);
  const std::string words = join(command, " ");
  TRY(begin("exec", container_name(id) + " " + words));
  const ContainerEntry* found = TRY(find_container(id));
  if (found->container.state != ContainerState::kRunning)
    return Status(Reason::kInternalError, "container is in an exited state");
  const auto answer = answers_.find(words);
  return answer == answers_.end() ? ExecResult{} : answer->second;
}

Result<std::string> FakeRuntime::exec_url(const std::string& id,
                                          const std::vector<std::string>& command,
                                          const StreamChoices&, const Until&) {
  const MutexLock lock(mutex_);
  TRY(begin("exec_url", container_name(id) + " " + join(command, " ")));
  TRY(find_container(id));
  return "http://127.0.0.1:1/exec/" + id;
}

Result<std::string> FakeRuntime::attach_url(const std::string& id, const StreamChoices&,
                                            const Until&) {
  const MutexLock lock(mutex_);
  TRY(begin("attach_url", container_name(id)));
  TRY(find_container(id));
  return "http://127.0.0.1:1/attach/" + id;
}

Result<std::string> FakeRuntime::port_forward_url(const std::string& sandbox_id,
                                                  const std::vector<int32_t>&, const Until&) {
  const MutexLock lock(mutex_);
  TRY(begin("port_forward_url", pod_name(sandbox_id)));
  TRY(find_sandbox(sandbox_id));
  return "http://127.0.0.1:1/portforward/" + sandbox_id;
}

Result<std::optional<Image>> FakeRuntime::image(const std::string& reference, const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("image"));
  const Image* found = find_image(reference);
  return found == nullptr ? std::optional<Image>() : std::optional(*found);
}

Result<std::vector<Image>> FakeRuntime::images(const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("images"));
  std::vector<Image> found;
  for (const auto& [reference, image] : images_) found.push_back(image);
  return found;
}

Result<std::string> FakeRuntime::pull_image(const std::string& reference, const PullCredentials&,
                                            const json::Value&, const Until&) {
  const MutexLock lock(mutex_);
  TRY(begin("pull_image", reference));
  const auto offered = offered_.find(reference);
  if (offered == offered_.end())
    return Status(Reason::kNotFound, "failed to resolve reference \"" + reference + "\"");
  images_[reference] = offered->second;
  return offered->second.id;
}

Result<void> FakeRuntime::remove_image(const std::string& reference, const Until&) {
  const MutexLock lock(mutex_);
  TRY(begin("remove_image", reference));
  std::erase_if(images_, [&](const auto& entry) {
    return entry.first == reference || entry.second.id == reference;
  });
  return {};
}

Result<std::vector<FilesystemUse>> FakeRuntime::image_filesystems(const Until&) {
  const MutexLock lock(mutex_);
  TRY(ask("image_filesystems"));
  int64_t used = 0;
  for (const auto& [reference, image] : images_) used += image.size;
  return std::vector{FilesystemUse{.mountpoint = "/", .used_bytes = used}};
}

}  // namespace proa::testkit
