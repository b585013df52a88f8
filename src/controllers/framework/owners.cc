#include "controllers/framework/owners.h"

#include <optional>

namespace proa::controllers {
namespace owners {

using api::Metadata;
using client::Key;

struct Selector {
  std::optional<api::LabelSelector> read;
};

void add(const Metadata::Owner& owner, const client::Change& change, client::WorkQueue& queue) {
  queue.add({change.key.name_space, std::string(owner.name)});
}

// Nothing new for those who might adopt it: they have seen it as it is.
bool seen(const client::Change& orphan) {
  return orphan.before != nullptr && controller_of(*orphan.before) == nullptr &&
         orphan.before->metadata().labels == orphan.after->metadata().labels;
}

void add_adopters(const api::Object& orphan, const Owners& owners, client::WorkQueue& queue) {
  const Metadata& metadata = orphan.metadata();
  for (const api::ObjectPtr& owner : owners.cache.list(metadata.name_space)) {
    const api::LabelSelector* selector = owners.selector(*owner);
    if (selector != nullptr && selector->matches(metadata.labels)) queue.add(Key::of(*owner));
  }
}

}  // namespace owners

const api::Metadata::Owner* controller_of(const api::Object& object) {
  for (const api::Metadata::Owner& owner : object.metadata().owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

const api::Metadata::Owner* controller_of(const api::ObjectPtr& object, std::string_view kind) {
  const api::Metadata::Owner* owner = object == nullptr ? nullptr : controller_of(*object);
  return owner != nullptr && owner->kind == kind ? owner : nullptr;
}

const api::LabelSelector* selector_of(const api::Object& owner) {
  using owners::Selector;
  const Selector& kept = owner.kept<Selector>([&] {
    Selector selector;
    const Result<json::Document> document = owner.document();
    if (!document) return selector;
    Result<api::LabelSelector> read =
        api::LabelSelector::from(api::View(document->root())["spec"]["selector"]);
    if (read) selector.read = std::move(*read);
    return selector;
  });
  return kept.read ? &*kept.read : nullptr;
}

void wake_owners(const client::Change& change, const Owners& owners, client::WorkQueue& queue) {
  const api::Metadata::Owner* was = controller_of(change.before, owners.kind);
  const api::Metadata::Owner* is = controller_of(change.after, owners.kind);
  const bool stayed = was != nullptr && is != nullptr && was->uid == is->uid;
  if (was != nullptr && !stayed) owners::add(*was, change, queue);
  if (is != nullptr) {
    const bool matters =
        !stayed || owners.matters == nullptr || owners.matters(*change.before, *change.after);
    if (matters) owners::add(*is, change, queue);
    return;
  }
  const bool is_orphan = change.after != nullptr && !change.after->metadata().being_deleted &&
                         controller_of(*change.after) == nullptr;
  if (is_orphan && !owners::seen(change)) {
    owners::add_adopters(*change.after, owners, queue);
  }
}

void listen_for_owned(client::Informer& objects, const Owners& owners, client::WorkQueue& queue) {
  objects.add_handler(
      [owners, &queue](const client::Change& change) { wake_owners(change, owners, queue); });
}

}  // namespace proa::controllers
