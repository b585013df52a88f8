#include "controllers/lifecycle/garbage/owner_graph.h"

#include <algorithm>

namespace proa::controllers {
namespace owner_graph {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool is_deleted_by_us(const api::Object& object) {
  const Deletion deletion = deletion_of(object);
  return deletion == Deletion::kForeground || deletion == Deletion::kOrphan;
}

}  // namespace owner_graph

OwnerGraph::OwnerGraph(const CollectedResources& resources) : resources_(resources) {}

OwnerGraph::~OwnerGraph() = default;

// Uids are 32 hexadecimal digits, which fit exactly. References may say anything: other texts get
// some number, and if that is another one's, somebody is looked at in vain.
OwnerGraph::Id OwnerGraph::id_of(std::string_view uid) {
  Id id;
  size_t digits = 0;
  for (const char c : uid) {
    if (c == '-') continue;
    const int digit = owner_graph::hex_digit(c);
    if (digit < 0) break;
    id.high = id.high << 4 | id.low >> 60;
    id.low = id.low << 4 | static_cast<uint64_t>(digit);
    ++digits;
  }
  if (digits == 32 && uid.size() == 36) return id;
  return {0, std::hash<std::string_view>()(uid)};
}

// Whether the dependent really names that owner. A uid alone is not enough: the rest may be wrong,
// and a namespaced owner is for its own namespace.
bool OwnerGraph::means(const Edge& edge) const {
  const Node& owner = *edge.owner;
  const Node& dependent = *edge.dependent;
  if (owner.object == nullptr) return false;
  const auto index = static_cast<size_t>(&edge - dependent.owners.get());
  const OwnerReference reference = owner_references(*dependent.object)[index];
  const api::Metadata& metadata = owner.object->metadata();
  return metadata.name == reference.name &&
         (!owner.resource->resource->namespaced ||
          metadata.name_space == dependent.object->metadata().name_space) &&
         owner.resource == resources_.find_kind(reference.api_version, reference.kind);
}

bool OwnerGraph::holds(const Edge& edge) const { return edge.blocks && means(edge); }

const OwnerGraph::Node* OwnerGraph::find(std::string_view uid) const {
  const auto found = nodes_.find(id_of(uid));
  return found == nodes_.end() ? nullptr : &found->second;
}

// The node of a new dependent's owner. While nobody named it rightly, it was not in the graph: the
// cache knows whether it is there.
OwnerGraph::Node& OwnerGraph::owner_node(const OwnerReference& reference, const Node& dependent) {
  const Id id = id_of(reference.uid);
  Node& node = nodes_.try_emplace(id).first->second;
  node.id = id;
  if (node.object != nullptr) return node;
  CollectedResourcePtr resource = resources_.find_kind(reference.api_version, reference.kind);
  if (resource == nullptr || resource->cache == nullptr) return node;
  client::Key key = client::Key::of(*dependent.object);
  key.name = reference.name;
  if (!resource->resource->namespaced) key.name_space.clear();
  api::ObjectPtr object = resource->cache->get(key);
  if (object == nullptr || object->metadata().uid != reference.uid) return node;
  // One with owners would be here: the cache was filled, and put() is still to come.
  if (!object->metadata().owners.empty()) return node;
  node.waiting = deletion_of(*object) == Deletion::kForeground;
  node.resource = std::move(resource);
  node.object = std::move(object);
  node.gone = false;
  return node;
}

void OwnerGraph::link(Node& node) {
  const std::vector<OwnerReference> references = owner_references(*node.object);
  if (references.empty()) return;
  node.owners = std::make_unique<Edge[]>(references.size());
  node.owner_count = static_cast<uint32_t>(references.size());
  for (size_t i = 0; i < references.size(); ++i) {
    Edge& edge = node.owners[i];
    edge.owner = &owner_node(references[i], node);
    edge.dependent = &node;
    edge.blocks = references[i].blocks;
    edge.next = edge.owner->dependents;
    if (edge.next != nullptr) edge.next->previous = &edge;
    edge.owner->dependents = &edge;
  }
}

void OwnerGraph::unlink(Node& node) {
  const std::unique_ptr<Edge[]> owners = std::move(node.owners);
  const uint32_t count = std::exchange(node.owner_count, 0);
  for (uint32_t i = 0; i < count; ++i) {
    Edge& edge = owners[i];
    if (edge.next != nullptr) edge.next->previous = edge.previous;
    (edge.previous != nullptr ? edge.previous->next : edge.owner->dependents) = edge.next;
    if (edge.owner != &node) drop_if_alone(*edge.owner);
  }
}

void OwnerGraph::drop_if_alone(Node& node) {
  if (node.owner_count == 0 && node.dependents == nullptr) nodes_.erase(Id(node.id));
}

void OwnerGraph::tell_dependents(const Node& owner, Members& told) {
  for (const Edge* edge = owner.dependents; edge != nullptr; edge = edge->next) {
    told.push_back({edge->dependent->resource, edge->dependent->object});
  }
}

void OwnerGraph::tell_waiting_owners(const Node& dependent, Members& told) {
  for (uint32_t i = 0; i < dependent.owner_count; ++i) {
    const Edge& edge = dependent.owners[i];
    if (edge.owner->waiting && edge.blocks)
      told.push_back({edge.owner->resource, edge.owner->object});
  }
}

// Whether all its owners are there, are those that it means, and don't wait for it to go. For who
// is not settled, the server has to be asked.
bool OwnerGraph::is_settled(const Node& dependent) const {
  for (uint32_t i = 0; i < dependent.owner_count; ++i) {
    const Edge& edge = dependent.owners[i];
    if (edge.owner->waiting || !means(edge)) return false;
  }
  return true;
}

void OwnerGraph::become(Node& node, const CollectedResourcePtr& resource,
                        const api::ObjectPtr& object, Members& told) {
  const api::ObjectPtr before = std::exchange(node.object, object);
  node.resource = resource;
  node.gone = false;
  const bool waited = std::exchange(node.waiting, deletion_of(*object) == Deletion::kForeground);
  const std::string_view owned_before =
      before == nullptr ? std::string_view() : owner_references_text(*before);
  if (owned_before != owner_references_text(*object)) {
    tell_waiting_owners(node, told);
    unlink(node);
    link(node);
    if (begun_ && !is_settled(node)) told.push_back({resource, object});
  }
  if (!begun_) return;
  if (node.waiting && !waited) {
    tell_dependents(node, told);
    // It may have closed a circle of those who wait.
    tell_waiting_owners(node, told);
  } else if (before == nullptr) {
    // It was named before it was seen: perhaps by a name that is not its own.
    for (const Edge* edge = node.dependents; edge != nullptr; edge = edge->next) {
      if (is_settled(*edge->dependent)) continue;
      told.push_back({edge->dependent->resource, edge->dependent->object});
    }
  }
}

OwnerGraph::Members OwnerGraph::put(const CollectedResourcePtr& resource,
                                    const api::ObjectPtr& object) {
  Members told;
  if (owner_graph::is_deleted_by_us(*object)) told.push_back({resource, object});
  const Id id = id_of(object->metadata().uid);
  MutexLock lock(mutex_);
  auto found = nodes_.find(id);
  if (found == nodes_.end()) {
    if (object->metadata().owners.empty()) return told;
    found = nodes_.try_emplace(id).first;
    found->second.id = id;
  }
  become(found->second, resource, object, told);
  drop_if_alone(found->second);
  return told;
}

OwnerGraph::Members OwnerGraph::remove(const api::Object& last) { return drop(last, true); }

OwnerGraph::Members OwnerGraph::forget(const api::Object& last) { return drop(last, false); }

OwnerGraph::Members OwnerGraph::drop(const api::Object& last, bool gone) {
  Members told;
  MutexLock lock(mutex_);
  const auto found = nodes_.find(id_of(last.metadata().uid));
  if (found == nodes_.end()) return told;
  Node& node = found->second;
  node.waiting = false;
  tell_waiting_owners(node, told);
  unlink(node);
  node.object = nullptr;
  node.resource = nullptr;  // a custom one may not be followed any more
  node.gone = gone;
  if (begun_) tell_dependents(node, told);
  drop_if_alone(node);
  return told;
}

OwnerGraph::Members OwnerGraph::begin() {
  Members told;
  MutexLock lock(mutex_);
  begun_ = true;
  for (const auto& [id, node] : nodes_) {
    if (node.owner_count > 0 && !is_settled(node)) told.push_back({node.resource, node.object});
  }
  // The order of a hash table is nobody's business.
  std::sort(told.begin(), told.end(), [](const Member& a, const Member& b) {
    const auto order = [](const Member& member) {
      const api::Metadata& metadata = member.object->metadata();
      return std::tie(member.resource->name, metadata.name_space, metadata.name);
    };
    return order(a) < order(b);
  });
  return told;
}

bool OwnerGraph::has_dependents(std::string_view owner) const {
  MutexLock lock(mutex_);
  const Node* node = find(owner);
  return node != nullptr && node->dependents != nullptr;
}

OwnerGraph::Members OwnerGraph::dependents_of(std::string_view owner) const {
  Members dependents;
  MutexLock lock(mutex_);
  if (const Node* node = find(owner)) tell_dependents(*node, dependents);
  return dependents;
}

// All that go, at the latest, when this one has gone.
std::unordered_set<const OwnerGraph::Node*> OwnerGraph::waiting_for(const Node& node) const {
  std::unordered_set<const Node*> waiting;
  std::vector<const Node*> unread{&node};
  while (!unread.empty()) {
    const Node& next = *unread.back();
    unread.pop_back();
    for (uint32_t i = 0; i < next.owner_count; ++i) {
      const Edge& edge = next.owners[i];
      if (!edge.owner->waiting || !holds(edge)) continue;
      if (waiting.insert(edge.owner).second) unread.push_back(edge.owner);
    }
  }
  return waiting;
}

bool OwnerGraph::is_blocked(std::string_view owner) const {
  MutexLock lock(mutex_);
  const Node* node = find(owner);
  if (node == nullptr || node->dependents == nullptr) return false;
  const std::unordered_set<const Node*> circle = waiting_for(*node);
  for (const Edge* edge = node->dependents; edge != nullptr; edge = edge->next) {
    if (holds(*edge) && !circle.contains(edge->dependent)) return true;
  }
  return false;
}

bool OwnerGraph::is_gone(std::string_view owner) const {
  MutexLock lock(mutex_);
  const Node* node = find(owner);
  return node != nullptr && node->gone;
}

size_t OwnerGraph::size() const {
  MutexLock lock(mutex_);
  return nodes_.size();
}

}  // namespace proa::controllers
