#include "scheduler/plugins/spread/default_selectors.h"

#include <algorithm>
#include <map>
#include <string>

namespace proa::scheduler {
namespace default_selectors {

using api::LabelSelector;
using api::View;
using client::Change;

constexpr std::string_view kServiceIndex = "selected-label";

// spec.selector of a Service, a controller or a set; nothing() where it has none.
struct OwnSelector {
  LabelSelector selector;
};

LabelSelector read_map(View selector) {
  return selector.exists() ? LabelSelector::from_map(selector) : LabelSelector::nothing();
}

LabelSelector read_selector(View selector) {
  Result<LabelSelector> read = LabelSelector::from(selector);
  return read ? std::move(*read) : LabelSelector::nothing();
}

const LabelSelector& kept(const api::Object& object, LabelSelector (*read)(View selector)) {
  const auto make = [&] {
    const Result<json::Document> document = object.document();
    const View root = document ? View(document->root()) : View();
    return OwnSelector{read(root["spec"]["selector"])};
  };
  return object.kept<OwnSelector>(make).selector;
}

// Services and ReplicationControllers have a plain map.
const LabelSelector& map_of(const api::Object& object) { return kept(object, read_map); }
const LabelSelector& selector_of(const api::Object& set) { return kept(set, read_selector); }

std::string index_value(std::string_view name_space, std::string_view key, std::string_view value) {
  return std::string(name_space).append("/").append(key).append("=").append(value);
}

// Under one of the labels that it selects: a pod of the Service has that one too. Those that select
// everything add nothing to what is wanted, so they need not be found.
std::vector<std::string> index_service(const api::Object& service) {
  const auto requirements = map_of(service).requirements();
  if (requirements.empty()) return {};
  const LabelSelector::Requirement& first = requirements.front();
  return {index_value(service.metadata().name_space, first.key, first.values.front())};
}

using LabelMap = std::map<std::string, std::string>;

// All requirements of such a selector are equalities.
void merge(LabelMap& labels, const LabelSelector& map) {
  for (const LabelSelector::Requirement& one : map.requirements()) {
    labels[one.key] = one.values.front();
  }
}

void merge_services(LabelMap& labels, const client::Cache& services, const PodShape& pod) {
  const std::string index(kServiceIndex);
  for (const auto& [key, value] : pod.labels.all()) {
    for (const api::ObjectPtr& service :
         services.find(index, index_value(pod.name_space, key, value))) {
      const LabelSelector& selector = map_of(*service);
      if (selector.matches(pod.labels.all())) merge(labels, selector);
    }
  }
}

const api::Metadata::Owner* controller_of(const Pod& pod) {
  for (const api::Metadata::Owner& owner : pod.object->metadata().owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

LabelSelector join(const LabelMap& labels, const LabelSelector& more) {
  std::string text;
  for (const auto& [key, value] : labels) text.append(key).append("=").append(value).append(",");
  text.append(more.str());
  if (!text.empty() && text.back() == ',') text.pop_back();
  Result<LabelSelector> joined = LabelSelector::parse(text);
  return joined ? std::move(*joined) : LabelSelector();
}

bool same_map(const api::Object& a, const api::Object& b) { return map_of(a) == map_of(b); }

// Selectors of sets never change, and reading them for each status would cost.
bool same_set(const api::Object& a, const api::Object& b) {
  return a.metadata().uid == b.metadata().uid;
}

void watch(client::Informer& informer, const std::shared_ptr<uint64_t>& generation,
           bool (*same)(const api::Object&, const api::Object&)) {
  informer.add_handler([generation, same](const Change& change) {
    if (change.before && change.after && same(*change.before, *change.after)) return;
    ++*generation;
  });
}

}  // namespace default_selectors

DefaultSelectors::DefaultSelectors(client::Informers& informers)
    : services_(informers.indexed("", "services", default_selectors::kServiceIndex,
                                  default_selectors::index_service)),
      replication_controllers_(informers.of("", "replicationcontrollers")),
      replica_sets_(informers.of("apps", "replicasets")),
      stateful_sets_(informers.of("apps", "statefulsets")) {
  using namespace default_selectors;
  watch(services_, generation_, same_map);
  watch(replication_controllers_, generation_, same_map);
  watch(replica_sets_, generation_, same_set);
  watch(stateful_sets_, generation_, same_set);
}

// As upstream's helper.DefaultSelector.
api::LabelSelector DefaultSelectors::of(const Pod& pod) const {
  using namespace default_selectors;
  LabelMap labels;
  LabelSelector more;
  merge_services(labels, services_.cache(), *pod.shape);
  if (const api::Metadata::Owner* owner = controller_of(pod)) {
    const client::Key key{std::string(pod.name_space()), std::string(owner->name)};
    api::ObjectPtr found;
    if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
      found = replication_controllers_.cache().get(key);
      if (found) merge(labels, map_of(*found));
    } else if (owner->api_version == "apps/v1") {
      if (owner->kind == "ReplicaSet") found = replica_sets_.cache().get(key);
      if (owner->kind == "StatefulSet") found = stateful_sets_.cache().get(key);
      if (found) more = selector_of(*found);
    }
  }
  return join(labels, more);
}

bool FoundSelector::is_current(const Pod& pod) const {
  if (selectors_ == nullptr || generation_ == selectors_->generation()) return true;
  if (selectors_->of(pod) != selector_) return false;
  generation_ = selectors_->generation();
  return true;
}

}  // namespace proa::scheduler
