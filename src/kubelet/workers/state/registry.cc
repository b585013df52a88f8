#include "kubelet/workers/state/registry.h"

#include <algorithm>
#include <set>

namespace proa::kubelet {
namespace registry {

// A previous kubelet admitted it, and it is not finished.
bool has_begun(const Pod& pod) { return pod.fields().status.started && !pod.is_finished(); }

bool may_run(int state) {
  return state == state_number(cri::ContainerState::kRunning) ||
         state == state_number(cri::ContainerState::kUnknown);
}

}  // namespace registry

void Registry::put(PodPtr pod) {
  std::stop_source leaving{std::nostopstate};
  {
    MutexLock lock(mutex_);
    Entry& entry = entries_[pod->uid()];
    if (entry.memory == nullptr) entry.memory = std::make_shared<PodMemory>();
    if (pod->deleted_at()) leaving = entry.memory->leaving;
    if (entry.gone) entry.returned = true;
    entry.gone = false;
    entry.pod = std::move(pod);
  }
  // Not under the lock: it runs the callbacks of waiting calls.
  leaving.request_stop();
}

void Registry::drop(PodPtr last) {
  std::stop_source leaving{std::nostopstate};
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(last->uid());
    if (found == entries_.end()) return;
    found->second.gone = true;
    found->second.pod = std::move(last);
    leaving = found->second.memory->leaving;
  }
  leaving.request_stop();
}

std::vector<api::Uid> Registry::forget(api::UidView uid) {
  MutexLock lock(mutex_);
  std::erase_if(things_, [uid](const auto& thing) { return thing.second.uid == uid; });
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return {};
  if (!found->second.gone) {
    if (!found->second.returned) return {};
    found->second.returned = false;
    found->second.memory = std::make_shared<PodMemory>();
    return {api::Uid(uid)};
  }
  const PodPtr pod = std::move(found->second.pod);
  entries_.erase(found);
  std::vector<api::Uid> next;
  if (!pod->is_static()) return next;
  for (const auto& [other, entry] : entries_) {
    const bool waits = entry.pod->is_static() && entry.pod->key() == pod->key();
    if (waits) next.push_back(other);
  }
  return next;
}

bool Registry::must_wait(const Pod& pod) const {
  if (!pod.is_static()) return false;
  MutexLock lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&pod](const auto& other) {
    const Entry& entry = other.second;
    return entry.gone && entry.pod->is_static() && entry.pod->uid() != pod.uid() &&
           entry.pod->key() == pod.key();
  });
}

Registry::Entry Registry::get(api::UidView uid) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(uid);
  return found == entries_.end() ? Entry{} : found->second;
}

std::vector<PodPtr> Registry::pods() const {
  MutexLock lock(mutex_);
  std::vector<PodPtr> found;
  for (const auto& [uid, entry] : entries_) {
    if (!entry.gone) found.push_back(entry.pod);
  }
  return found;
}

PodPtr Registry::find(const api::PodKey& key) const {
  MutexLock lock(mutex_);
  for (const auto& [uid, entry] : entries_) {
    const bool is_it = entry.pod->name() == key.name && entry.pod->name_space() == key.name_space;
    if (is_it && !entry.gone) return entry.pod;
  }
  return nullptr;
}

bool Registry::uses_node(api::UidView uid, const Entry& entry) const {
  const PodMemory& memory = *entry.memory;
  if (memory.stage >= Stage::kTerminated) return false;
  // The condition under which the status writer writes a final phase.
  if ((memory.final_phase || entry.pod->is_finished()) && !may_run_now(uid)) return false;
  return memory.admission == Admission::kAdmitted || registry::has_begun(*entry.pod);
}

std::vector<PodPtr> Registry::admitted(api::UidView except) const {
  MutexLock lock(mutex_);
  std::vector<PodPtr> found;
  for (const auto& [uid, entry] : entries_) {
    if (uid != except && uses_node(uid, entry)) found.push_back(entry.pod);
  }
  return found;
}

void Registry::admit(api::UidView uid) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(uid);
  if (found != entries_.end()) found->second.memory->admission = Admission::kAdmitted;
}

void Registry::put_mirror(PodPtr mirror) {
  MutexLock lock(mutex_);
  mirrors_[mirror->key()] = std::move(mirror);
}

void Registry::drop_mirror(const Pod& mirror) {
  MutexLock lock(mutex_);
  const auto found = mirrors_.find(mirror.key());
  if (found != mirrors_.end() && found->second->uid() == mirror.uid()) mirrors_.erase(found);
}

PodPtr Registry::mirror(const api::PodKey& key) const {
  MutexLock lock(mutex_);
  const auto found = mirrors_.find(key);
  return found == mirrors_.end() ? nullptr : found->second;
}

void Registry::seen(api::UidView uid, const cri::RuntimePod& running) {
  MutexLock lock(mutex_);
  std::erase_if(things_, [uid](const auto& thing) { return thing.second.uid == uid; });
  for (const cri::Sandbox& sandbox : running.sandboxes) {
    things_[sandbox.id] = {api::Uid(uid), state_number(sandbox.state)};
  }
  for (const cri::Container& container : running.containers) {
    things_[container.id] = {api::Uid(uid), state_number(container.state)};
  }
}

void Registry::made(api::UidView uid, const std::string& id) {
  MutexLock lock(mutex_);
  things_.try_emplace(id, Shape{api::Uid(uid), -1});
}

api::Uid Registry::owner(const std::string& id) const {
  MutexLock lock(mutex_);
  const auto found = things_.find(id);
  return found == things_.end() ? api::Uid() : found->second.uid;
}

bool Registry::may_run(api::UidView uid) const {
  MutexLock lock(mutex_);
  return may_run_now(uid);
}

bool Registry::may_run_now(api::UidView uid) const {
  return std::any_of(things_.begin(), things_.end(), [uid](const auto& thing) {
    return thing.second.uid == uid && registry::may_run(thing.second.state);
  });
}

bool Registry::any_may_run() const {
  MutexLock lock(mutex_);
  return std::any_of(things_.begin(), things_.end(),
                     [](const auto& thing) { return registry::may_run(thing.second.state); });
}

bool Registry::is_known(const std::string& id, int state) const {
  MutexLock lock(mutex_);
  const auto found = things_.find(id);
  return found != things_.end() && found->second.state == state;
}

std::vector<api::Uid> Registry::missing(const std::vector<std::string>& ids) const {
  const std::set<std::string_view> there(ids.begin(), ids.end());
  std::set<api::Uid> owners;
  MutexLock lock(mutex_);
  for (const auto& [id, thing] : things_) {
    if (!there.contains(id)) owners.insert(thing.uid);
  }
  return {owners.begin(), owners.end()};
}

}  // namespace proa::kubelet
